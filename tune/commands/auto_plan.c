/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/commands/auto_internal.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -- sizes -- */

/* A height with the shape of the source: both even. */
static Rung rung_of_height(int width, int height, int wanted)
{
    if (wanted == height)
        return (Rung){width, height};
    const double exact = (double)width * wanted / height;
    return (Rung){2 * (int)fmax(1, rint(exact / 2)), wanted};
}

/* Sizes to try for a source, from the largest: its own, and from 2160 lines on smaller ones. Their
 * number. */
static size_t rungs_of(int width, int height, Rung rungs[AUTO_MAX_RUNGS])
{
    static const int heights[] = {2160, 1440, 1080, 720, 540};
    size_t n = 0;
    if (height < heights[0]) {
        rungs[0] = (Rung){width, height};
        return 1;
    }
    for (size_t i = 0; i < sizeof heights / sizeof *heights; i++)
        rungs[n++] = rung_of_height(width, height, heights[i]);
    return n;
}

/* -- cells -- */

bool cell_wants_search(const AutoCell *cell, double best_kbps)
{
    const double most = 1.5; /* times: some steps of the quality parameter that were not found */
    return cell->q >= 0 && !cell->is_certain && cell->kbps <= most * best_kbps;
}

/* -- the winner -- */

static bool is_finite(const AutoCell *cell)
{
    return isfinite(cell->vmaf) && isfinite(cell->kbps);
}

static int in_order(double a, double b)
{
    return (a > b) - (a < b);
}

/* Cheaper, better, larger, then by name. */
static int compare_cost(const AutoCell *a, const AutoCell *b)
{
    int order = in_order(a->kbps, b->kbps);
    if (!order)
        order = in_order(b->vmaf, a->vmaf);
    if (!order)
        order = b->rung.height - a->rung.height;
    return order ? order : strcmp(a->codec, b->codec);
}

/* Better, cheaper, larger, then by name: the last of names, as for a maximum. */
static int compare_quality(const AutoCell *a, const AutoCell *b)
{
    int order = in_order(b->vmaf, a->vmaf);
    if (!order)
        order = in_order(a->kbps, b->kbps);
    if (!order)
        order = b->rung.height - a->rung.height;
    return order ? order : strcmp(b->codec, a->codec);
}

static WinnerStatus status_of(const AutoCell *cell, double target, double budget)
{
    if (!is_finite(cell))
        return WINNER_NONE;
    if (cell->vmaf < target)
        return WINNER_UNMET;
    return cell->kbps <= budget ? WINNER_IN_BUDGET : WINNER_OVER_BUDGET;
}

Winner winner_of(const AutoCell *cells, size_t n, double target, double budget)
{
    Winner winner = {.status = WINNER_NONE};
    for (size_t i = 0; i < n; i++) {
        const WinnerStatus status = status_of(&cells[i], target, budget);
        if (status > winner.status || status == WINNER_NONE)
            continue;
        if (status == winner.status) {
            const AutoCell *best = &cells[winner.cell];
            const int order = status == WINNER_UNMET ? compare_quality(&cells[i], best)
                                                     : compare_cost(&cells[i], best);
            if (order >= 0)
                continue;
        }
        winner = (Winner){status, i};
    }
    return winner;
}

/* -- names -- */

const char *winner_status_name(WinnerStatus status)
{
    static const char *const names[] = {"budget_and_quality_met", "quality_met_budget_exceeded",
                                        "target_unmet", "no_eligible_cells"};
    return names[status];
}

const char *cell_basis_name(CellBasis basis)
{
    static const char *const names[] = {"probe", "bisect"};
    return names[basis];
}

/* -- what there is to look at -- */

static void choose_rungs(AutoRun *run)
{
    const IntegerList *heights = &run->settings->heights;
    if (!heights->n) {
        run->n_rungs = rungs_of(run->size.width, run->size.height, run->rungs);
        return;
    }
    for (size_t i = 0; i < heights->n && run->n_rungs < AUTO_MAX_RUNGS; i++)
        run->rungs[run->n_rungs++] =
            rung_of_height(run->size.width, run->size.height, heights->value[i]);
}

/* Encoders to choose from: the pinned one, else those that are allowed, else libx264. */
static const char *codec_at(const AutoSettings *settings, size_t index)
{
    if (settings->codec || !settings->codecs.n)
        return index ? NULL : (settings->codec ? settings->codec : "libx264");
    return index < settings->codecs.n ? settings->codecs.text[index] : NULL;
}

int auto_lay_out(AutoRun *run)
{
    size_t n = 0;
    while (codec_at(run->settings, n))
        n++;
    choose_rungs(run);
    run->cells = calloc(run->n_rungs * n, sizeof(*run->cells));
    if (!run->cells)
        return -ENOMEM;
    for (size_t i = 0; i < run->n_rungs; i++)
        for (size_t j = 0; j < n; j++)
            run->cells[run->n_cells++] = (AutoCell){
                .rung = run->rungs[i],
                .codec = codec_at(run->settings, j),
                .q = -1,
                .vmaf = NAN,
                .kbps = NAN,
                .baseline = NAN,
            };
    return 0;
}

void auto_choose(AutoRun *run)
{
    run->winner =
        winner_of(run->cells, run->n_cells, run->settings->search.target, run->settings->budget);
    for (size_t i = 0; i < run->n_cells; i++)
        run->cells[i].selected = run->winner.status != WINNER_NONE && run->winner.cell == i;
}
