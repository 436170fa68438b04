/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/commands/auto/auto_run.h"

#include "tune/rows/json_document.h"

#include <math.h>

enum { LOW_COMPLEXITY_KBPS = 200 };

static int put_number(json_t *json, const char *key, double number)
{
    return json_put(json, key, json_number_or_null(number));
}

static int put_text(json_t *json, const char *key, const char *text)
{
    return json_put(json, key, json_text_or_null(text));
}

static json_t *integer_or_null(int value)
{
    return value < 0 ? json_null() : json_integer(value);
}

/* What encoders are told of colours; nothing of SDR. */
static json_t *hdr_of(const AutoRun *run)
{
    json_t *json = json_array();
    if (json && run->is_hdr)
        json_array_append_new(json, json_text_or_null(run->source->transfer));
    return json;
}

static json_t *cell_record(const AutoRun *run, const AutoCell *cell)
{
    json_t *json = json_object();
    int err = put_text(json, "codec", cell->codec);
    err |= json_put(json, "rung", json_integer(cell->rung.height));
    err |= json_put(json, "width", json_integer(cell->rung.width));
    err |= put_text(json, "verdict", verdict_name(cell->verdict));
    err |= json_put(json, "crf", integer_or_null(cell->q));
    err |= put_number(json, "estimated_vmaf", cell->vmaf);
    err |= put_number(json, "estimated_bitrate_kbps", cell->kbps);
    err |= json_put(json, "hdr_args", hdr_of(run));
    err |= put_number(json, "sample_clip_seconds", run->is_sampled ? run->sample.chunk_seconds : 0);
    err |= put_text(json, "confidence_decision", escalation_name(cell->escalation));
    err |= put_number(json, "interval_width", cell->interval_width);
    err |= put_number(json, "effective_predictor_target_vmaf", run->target);
    err |= put_text(json, "prediction_source", cell_basis_name(cell->basis));
    err |= put_text(json, "saliency_intensity", NULL);
    err |= json_put(json, "selected", json_boolean(cell->selected));
    err |= put_text(json, "error", *cell->error.text ? cell->error.text : NULL);
    if (err) {
        json_decref(json);
        return NULL;
    }
    return json;
}

static json_t *cells_of(const AutoRun *run)
{
    json_t *json = json_array();
    for (size_t i = 0; json && i < run->n_cells; i++)
        json_array_append_new(json, cell_record(run, &run->cells[i]));
    return json;
}

/* -- what was left out -- */

typedef bool CellTest(const AutoRun *run, const AutoCell *cell);

static bool is_gospel(const AutoRun *run, const AutoCell *cell)
{
    (void)run;
    return cell->verdict == VERDICT_GOSPEL;
}

static bool is_simple(const AutoRun *run, const AutoCell *cell)
{
    (void)run;
    return cell->basis != CELL_MODEL && cell->kbps < LOW_COMPLEXITY_KBPS;
}

static bool is_met_by_default(const AutoRun *run, const AutoCell *cell)
{
    return cell->baseline >= run->target;
}

static bool all_cells(const AutoRun *run, CellTest *test)
{
    for (size_t i = 0; i < run->n_cells; i++)
        if (!test(run, &run->cells[i]))
            return false;
    return run->n_cells > 0;
}

static void name_if(json_t *json, bool holds, const char *name)
{
    if (holds)
        json_array_append_new(json, json_string(name));
}

static json_t *short_circuits(const AutoRun *run)
{
    json_t *json = json_array();
    if (!json)
        return NULL;
    name_if(json, run->n_rungs == 1, "ladder-single-rung");
    name_if(json, run->settings->codec, "codec-pinned");
    name_if(json, all_cells(run, is_gospel), "predictor-gospel");
    name_if(json, true, "skip-saliency");
    name_if(json, !run->is_hdr, "sdr-skip");
    name_if(json, run->is_sampled, "sample-clip-propagate");
    name_if(json, all_cells(run, is_simple), "low-complexity");
    name_if(json, all_cells(run, is_met_by_default), "baseline-meets-target");
    name_if(json, !run->is_two_pass, "no-two-pass");
    return json;
}

/* -- all of it -- */

static json_t *escalations_of(const AutoRun *run)
{
    json_t *json = json_array();
    for (size_t i = 0; json && i < run->n_cells; i++)
        if (run->cells[i].is_escalated)
            json_array_append_new(json, json_integer((json_int_t)i));
    return json;
}

static json_t *thresholds_of(const AutoRun *run)
{
    json_t *json = json_object();
    const double tight = run->recipe->tight_width;
    put_number(json, "tight_interval_max_width",
               isfinite(tight) ? tight : run->uncertainty.widths.tight);
    put_number(json, "wide_interval_min_width", run->uncertainty.widths.wide);
    return json;
}

static json_t *overrides_of(const Recipe *recipe)
{
    json_t *json = json_object();
    if (isfinite(recipe->tight_width))
        put_number(json, "tight_interval_max_width", recipe->tight_width);
    if (recipe->has_single_rung)
        json_put(json, "force_single_rung", json_true());
    if (recipe->target_offset != 0)
        put_number(json, "target_vmaf_offset", recipe->target_offset);
    return json;
}

static json_t *source_record(const AutoRun *run)
{
    json_t *json = json_object();
    json_put(json, "width", json_integer(run->size.width));
    json_put(json, "height", json_integer(run->size.height));
    put_number(json, "framerate", run->fps);
    put_number(json, "duration_s", run->seconds);
    json_put(json, "is_hdr", json_boolean(run->is_hdr));
    return json;
}

static json_t *codecs_of(const AutoRun *run)
{
    json_t *json = json_array();
    const size_t n = run->n_rungs ? run->n_cells / run->n_rungs : 0;
    for (size_t i = 0; json && i < n; i++)
        json_array_append_new(json, json_text_or_null(run->cells[i].codec));
    return json;
}

static json_t *winner_record(const AutoRun *run)
{
    const AutoSettings *settings = run->settings;
    json_t *json = json_object();
    put_text(json, "status", winner_status_name(run->winner.status));
    if (run->winner.status == WINNER_NONE)
        return json;
    const AutoCell *cell = &run->cells[run->winner.cell];
    json_put(json, "cell_index", json_integer((json_int_t)run->winner.cell));
    json_put(json, "rung", json_integer(cell->rung.height));
    put_text(json, "codec", cell->codec);
    json_put(json, "crf", integer_or_null(cell->q));
    put_number(json, "estimated_vmaf", cell->vmaf);
    put_number(json, "estimated_bitrate_kbps", cell->kbps);
    put_number(json, "quality_margin", cell->vmaf - settings->target);
    put_number(json, "budget_margin_kbps", settings->budget - cell->kbps);
    return json;
}

static json_t *metadata_of(const AutoRun *run)
{
    const AutoSettings *settings = run->settings;
    json_t *json = json_object();
    int err = put_text(json, "src", run->source ? run->source->path : NULL);
    err |= put_number(json, "target_vmaf", settings->target);
    err |= put_number(json, "max_budget_kbps", settings->budget);
    err |= json_put(json, "allow_codecs", codecs_of(run));
    err |= json_put(json, "user_pinned_codec", json_text_or_null(settings->codec));
    err |= json_put(json, "smoke", json_boolean(settings->smoke));
    err |= json_put(json, "plan_only", json_boolean(settings->is_plan_only || settings->smoke));
    err |= json_put(json, "source_meta", source_record(run));
    err |= json_put(json, "short_circuits", short_circuits(run));
    err |= json_put(json, "confidence_aware_escalations", escalations_of(run));
    err |= json_put(json, "confidence_thresholds", thresholds_of(run));
    err |= put_text(json, "recipe_applied", run->recipe->name);
    err |= json_put(json, "recipe_overrides", overrides_of(run->recipe));
    err |= put_number(json, "effective_predictor_target_vmaf", run->target);
    err |= json_put(json, "winner", winner_record(run));
    if (run->executed)
        err |= json_put(json, "executed", json_incref(run->executed));
    if (err) {
        json_decref(json);
        return NULL;
    }
    return json;
}

json_t *auto_record(const AutoRun *run)
{
    json_t *json = json_object();
    if (json_put(json, "cells", cells_of(run)) || json_put(json, "metadata", metadata_of(run))) {
        json_decref(json);
        return NULL;
    }
    return json;
}
