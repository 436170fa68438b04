/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/commands/auto/auto_run.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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
    run->winner = winner_of(run->cells, run->n_cells, run->settings->target, run->settings->budget);
    for (size_t i = 0; i < run->n_cells; i++)
        run->cells[i].selected = run->winner.status != WINNER_NONE && run->winner.cell == i;
}
