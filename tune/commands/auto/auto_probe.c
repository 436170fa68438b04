/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/commands/auto/auto_run.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* Copies the result of a search to its cell. */
static void take_result(AutoCell *cell, const Encoder *encoder, const SearchPlan *plan,
                        const SearchRun *run)
{
    const SearchResult *result = &run->result;
    const Measurement *best = result->ok ? &result->best : NULL;
    for (size_t i = 0; i < run->search.n_samples && !result->ok && !run->error; i++)
        if (!best || run->search.samples[i].values[0] > best->values[0])
            best = &run->search.samples[i];
    cell->verdict = result->converged || result->status == SEARCH_UNREACHABLE ? VERDICT_GOSPEL
                                                                              : VERDICT_FALL_BACK;
    cell->baseline = sampled_score(run, encoder->default_q);
    if (best) {
        cell->q = best->q;
        cell->vmaf = best->values[0];
        cell->kbps = best->kbps;
        return;
    }
    search_run_explain(run, plan, &cell->error);
}

/* Errors that are not of one encoder alone. */
static bool ends_all(int error)
{
    return error && measure_error_is_final(error) && error != -EINVAL && error != -ENOENT;
}

/* Searches for the quality of a cell. An error that ends all work, as a status. */
static int search_cell(Session *session, const AutoRun *run, const Samples *samples,
                       Measurer *measurer, AutoCell *cell)
{
    const SearchChoice all = search_choice();
    SessionEncoder encoder;
    SearchPlan plan;
    SearchRun searched;
    Message why;
    const int err = session_try_encoder(session, cell->codec, &encoder, &why);
    if (err && session_is_interrupted())
        return session_fail(session, err, why.text);
    if (err) { /* the others may work */
        cell->error = why;
        return 0;
    }
    int status =
        search_make_plan(session, &all, run->source, &encoder, run->settings->preset, &plan);
    if (status)
        return status;
    if (cell->rung.height != run->size.height) {
        plan.spec.width = cell->rung.width;
        plan.spec.height = cell->rung.height;
    }
    search_set_target(&plan, run->source, &all, run->target);
    if (samples)
        sample_plan(&run->sample, samples, &plan);
    plan.search.on_non_monotonic = NON_MONOTONIC_KEEP;
    search_run(measurer, &plan, &searched);
    cell->basis = samples && samples->n ? CELL_PROBE : CELL_SEARCH;
    *cell->error.text = '\0';
    if (ends_all(searched.error))
        status = session_fail(session, searched.error, searched.why.text);
    else
        take_result(cell, encoder.encoder, &plan, &searched);
    search_run_free(&searched);
    return status;
}

static int estimate(Session *session, AutoRun *run, const Samples *samples)
{
    SessionMeasurer measurer;
    int status =
        session_open_measurer_of(session, run->source, samples->windows, samples->n, &measurer);
    for (size_t i = 0; i < run->n_cells && !status; i++)
        status = search_cell(session, run, samples, measurer.measurer, &run->cells[i]);
    session_close_measurer(&measurer);
    return status;
}

/* The bitrate of the winner so far; INFINITY if there is none. */
static double best_kbps(const AutoRun *run)
{
    const AutoSettings *settings = run->settings;
    const Winner winner = winner_of(run->cells, run->n_cells, settings->target, settings->budget);
    return winner.status <= WINNER_OVER_BUDGET ? run->cells[winner.cell].kbps : INFINITY;
}

/* Searches cells again on the whole video, where their estimates ask for that. */
static int escalate(Session *session, AutoRun *run)
{
    SessionMeasurer measurer = {0};
    int status = 0;
    for (size_t i = 0; i < run->n_cells && !status; i++) {
        AutoCell *cell = &run->cells[i];
        if (cell->basis != CELL_PROBE || !cell_wants_search(cell, best_kbps(run)))
            continue;
        if (!measurer.measurer)
            status = session_open_measurer_of(session, run->source, NULL, 0, &measurer);
        if (!status)
            status = search_cell(session, run, NULL, measurer.measurer, cell);
        cell->is_escalated = !status;
    }
    session_close_measurer(&measurer);
    return status;
}

int auto_probe(Session *session, AutoRun *run, const Samples *samples)
{
    run->is_sampled = samples->n > 0;
    int status = estimate(session, run, samples);
    if (status)
        return status;
    auto_judge(run);
    return escalate(session, run);
}
