/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/commands/auto_internal.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const Recipe recipes[] = {
    [CONTENT_DEFAULT] = {"default", NAN, false, 0},
    [CONTENT_ANIMATION] = {"animation", 1.75, true, 2},
    [CONTENT_SCREEN] = {"screen_content", NAN, false, 1},
    [CONTENT_HDR] = {"live_action_hdr", 1.4, false, 0},
    [CONTENT_UGC] = {"ugc", 3.5, false, 1.5},
};

const Recipe *recipe_of(ContentClass content)
{
    return &recipes[content];
}

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
static size_t rungs_of(int width, int height, bool is_single, Rung rungs[AUTO_MAX_RUNGS])
{
    static const int heights[] = {2160, 1440, 1080, 720, 540};
    size_t n = 0;
    if (is_single || height < heights[0]) {
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
    if (cell->q < 0 || cell->escalation == ESCALATION_SKIP)
        return false;
    return cell->escalation == ESCALATION_FORCE ||
           (cell->verdict == VERDICT_FALL_BACK && cell->kbps <= most * best_kbps);
}

/* Without an encode, what a probe would take is guessed from the size. */
static double guessed_probe_kbps(const Rung *rung)
{
    return fmax(500, (double)rung->width * rung->height / 900);
}

void cell_guess(AutoCell *cell, int lowest, int highest, int probe_q, int default_q, double target)
{
    const ScoreModel model = score_model_of(cell->codec);
    const double probe_kbps = guessed_probe_kbps(&cell->rung);
    const QPrediction prediction = q_predicted(&model, target, probe_kbps, lowest, highest);
    cell->q = prediction.q;
    cell->vmaf = prediction.score;
    cell->kbps = kbps_predicted(probe_kbps, probe_q, prediction.q);
    cell->baseline = score_predicted(&model, default_q, probe_kbps);
    cell->basis = CELL_MODEL;
    cell->verdict = VERDICT_FALL_BACK; /* nobody has looked whether it holds */
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

const char *verdict_name(Verdict verdict)
{
    static const char *const names[] = {"GOSPEL", "RECALIBRATE", "FALL_BACK"};
    return names[verdict];
}

const char *winner_status_name(WinnerStatus status)
{
    static const char *const names[] = {"budget_and_quality_met", "quality_met_budget_exceeded",
                                        "target_unmet", "no_eligible_cells"};
    return names[status];
}

const char *escalation_name(Escalation escalation)
{
    static const char *const names[] = {"skip-escalation", "recommend-escalation",
                                        "force-escalation"};
    return names[escalation];
}

const char *cell_basis_name(CellBasis basis)
{
    static const char *const names[] = {"analytic", "probe", "bisect"};
    return names[basis];
}

/* -- what there is to look at -- */

static void choose_rungs(AutoRun *run)
{
    const IntegerList *heights = &run->settings->heights;
    if (!heights->n) {
        run->n_rungs =
            rungs_of(run->size.width, run->size.height, run->recipe->has_single_rung, run->rungs);
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
                .interval_width = NAN,
                .verdict = VERDICT_FALL_BACK,
            };
    return 0;
}

/* -- how certain it is -- */

static Escalation escalation_of(const AutoRun *run, const AutoCell *cell)
{
    ConfidenceWidths widths = run->uncertainty.widths;
    Confidence confidence;
    if (isfinite(run->recipe->tight_width))
        widths.tight = fmin(run->recipe->tight_width, widths.wide);
    if (confidence_of(cell->interval_width, &widths, &confidence))
        return ESCALATION_BY_VERDICT;
    switch (confidence) {
    case CONFIDENCE_TIGHT:
        return ESCALATION_SKIP;
    case CONFIDENCE_WIDE:
        return ESCALATION_FORCE;
    default:
        return ESCALATION_BY_VERDICT;
    }
}

void auto_judge(AutoRun *run)
{
    const Uncertainty *uncertainty = &run->uncertainty;
    for (size_t i = 0; i < run->n_cells; i++) {
        AutoCell *cell = &run->cells[i];
        if (uncertainty->has_residuals && uncertainty->calibration.calibrated &&
            isfinite(cell->vmaf)) {
            const ScoreInterval interval =
                calibrated_interval(&uncertainty->calibration, cell->vmaf);
            cell->interval_width = interval.high - interval.low;
        }
        cell->escalation = escalation_of(run, cell);
    }
}

void auto_choose(AutoRun *run)
{
    run->winner =
        winner_of(run->cells, run->n_cells, run->settings->search.target, run->settings->budget);
    for (size_t i = 0; i < run->n_cells; i++)
        run->cells[i].selected = run->winner.status != WINNER_NONE && run->winner.cell == i;
}
