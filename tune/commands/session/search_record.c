/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/commands/session/search_record.h"

#include "tune/rows/json_document.h"

#include <math.h>
#include <string.h>

static int put_number(json_t *json, const char *key, double number)
{
    return json_put(json, key, json_number_or_null(number));
}

static int put_text(json_t *json, const char *key, const char *text)
{
    return json_put(json, key, json_text_or_null(text));
}

/* -- the source -- */

int search_put_source(json_t *json, const TuneSource *source, const SessionOptions *options)
{
    json_t *extra = json_array();
    for (size_t i = 0; extra && i < options->extra.n; i++)
        json_array_append_new(extra, json_text_or_null(options->extra.text[i]));
    int err = json_put(json, "extra_params", extra);
    err |= put_text(json, "src", source->path);
    if (source_stream_choice(source) >= 0)
        err |= json_put(json, "stream", json_integer(source_stream_choice(source)));
    if (source_picture_choice(source) >= 0)
        err |= json_put(json, "start_number", json_integer(source_picture_choice(source)));
    if (source->ignores_errors)
        err |= put_text(json, "errors", "ignore");
    return err;
}

/* -- samples -- */

/* Values of all gates by their labels; the first one is "vmaf" beside it. */
static json_t *gate_values(const TuneGates *gates, const double *values)
{
    char label[GATE_LABEL_SIZE];
    json_t *json = json_object();
    for (size_t i = 0; json && i < gates->n; i++) {
        snprintf(label, sizeof label, "%s.%s", gates->gate[i].name,
                 score_pool_name(gates->gate[i].pool));
        put_number(json, label, values[i]);
    }
    return json;
}

json_t *search_sample(const SearchPlan *plan, const MeasuredEncode *encode)
{
    double values[SEARCH_MAX_GATES];
    Message why;
    json_t *json = json_object();
    if (!json)
        return NULL;
    const bool is_scored = !encode->error && !tune_gates_values(&plan->gates, encode, values, &why);
    int err = json_put(json, "crf", json_integer(encode->spec.q));
    err |= put_number(json, "bitrate_kbps", encode->has_encode ? encode->kbps : NAN);
    err |= put_number(json, "vmaf", is_scored ? values[0] : NAN);
    if (is_scored && plan->gates.n > 1)
        err |= json_put(json, "scores", gate_values(&plan->gates, values));
    err |= put_number(json, "encode_time_ms", encode->has_encode ? encode->outcome.wall_ms : NAN);
    err |= put_number(json, "score_time_ms", is_scored ? encode->scores.ms : NAN);
    err |= json_put(json, "cached", json_boolean(encode->is_cached));
    if (encode->error)
        err |= put_text(json, "error", encode->why.text);
    if (encode->path)
        err |= put_text(json, "encode_path", encode->path);
    if (err) {
        json_decref(json);
        return NULL;
    }
    return json;
}

static json_t *samples_of(const SearchPlan *plan, const SearchRun *run)
{
    json_t *json = json_array();
    for (size_t i = 0; json && i < run->n_encodes; i++)
        json_array_append_new(json, search_sample(plan, &run->encodes[i]));
    return json;
}

/* -- the record -- */

static json_t *conditions_of(const TuneGates *gates)
{
    char text[GATE_LABEL_SIZE + 32];
    json_t *json = json_array();
    for (size_t i = 0; json && i < gates->n; i++) {
        const TuneGate *gate = &gates->gate[i];
        if (isnan(gate->target))
            continue;
        snprintf(text, sizeof text, "%s.%s%s%.15g", gate->name, score_pool_name(gate->pool),
                 gate->lower_is_better ? "<=" : ">=", gate->target);
        json_array_append_new(json, json_string(text));
    }
    return json;
}

static int put_answer(json_t *json, const SearchPlan *plan, const SearchRun *run)
{
    const SearchResult *result = &run->result;
    const bool ok = result->ok && !run->error;
    Message why = {""};
    if (!ok)
        search_run_explain(run, plan, &why);
    int err = json_put(json, "ok", json_boolean(ok));
    err |= json_put(json, "best_crf", json_integer(ok ? result->best_q : -1));
    err |= put_number(json, "measured_vmaf", ok ? result->best.values[0] : NAN);
    err |= put_number(json, "bitrate_kbps", ok ? result->best.kbps : NAN);
    err |= put_number(json, "encode_time_ms", ok ? result->best.encode_ms : NAN);
    err |= put_text(json, "error", ok ? NULL : why.text);
    return err;
}

/* The encode that tells of all: the answer, or else any. */
static const MeasuredEncode *typical(const SearchRun *run)
{
    const MeasuredEncode *best = search_run_encode(run, run->result.best_q);
    for (size_t i = 0; !best && i < run->n_encodes; i++)
        if (!run->encodes[i].error)
            best = &run->encodes[i];
    return best;
}

json_t *search_record(const SearchPlan *plan, const SearchRun *run)
{
    const MeasuredEncode *encode = typical(run);
    json_t *json = json_object();
    if (!json)
        return NULL;
    int err = put_answer(json, plan, run);
    err |= put_text(json, "codec", plan->spec.encoder->name);
    err |= put_text(json, "preset", plan->spec.preset);
    err |= put_text(json, "encoder_version",
                    encode ? encode->outcome.encoder_version : plan->spec.encoder_version);
    err |= put_text(json, "rate_control", encode ? encode->outcome.rate_control : NULL);
    err |= put_number(json, "target_vmaf", plan->gates.gate[0].target);
    err |= json_put(json, "conditions", conditions_of(&plan->gates));
    err |= json_put(json, "n_iterations", json_integer(run->result.n_iterations));
    err |= json_put(json, "converged", json_boolean(run->result.converged));
    err |= json_put(json, "non_monotonic", json_boolean(run->result.non_monotonic));
    err |= put_text(json, "score_backend", encode ? encode->scores.backend : NULL);
    err |= json_put(json, "samples", samples_of(plan, run));
    if (err) {
        json_decref(json);
        return NULL;
    }
    return json;
}

/* -- for people -- */

static void print_heads(const SearchPlan *plan, FILE *out)
{
    fprintf(out, "%6s  %10s", plan->spec.encoder->knob_name, "kbit/s");
    for (size_t i = 0; i < plan->gates.n; i++) {
        char label[GATE_LABEL_SIZE];
        tune_gate_label(&plan->gates.gate[i], label);
        fprintf(out, "  %10s", label);
    }
    fprintf(out, "  %9s  %8s\n", "encode", "score");
}

static void print_sample(const SearchPlan *plan, const MeasuredEncode *encode, bool is_best,
                         FILE *out)
{
    double values[SEARCH_MAX_GATES];
    Message why;
    fprintf(out, "%6d", encode->spec.q);
    if (encode->error || tune_gates_values(&plan->gates, encode, values, &why)) {
        fprintf(out, "  failed: %s\n", encode->error ? encode->why.text : why.text);
        return;
    }
    fprintf(out, "  %10.1f", encode->kbps);
    for (size_t i = 0; i < plan->gates.n; i++)
        fprintf(out, "  %10.4f", values[i]);
    if (encode->is_cached)
        fprintf(out, "  %9s  %8s", "known", "known");
    else
        fprintf(out, "  %7.1f s  %6.1f s", encode->outcome.wall_ms / 1000,
                encode->scores.ms / 1000);
    fprintf(out, "%s\n", is_best ? "  <" : "");
}

void search_print_text(const SearchPlan *plan, const SearchRun *run, double seconds, FILE *out)
{
    const SearchResult *result = &run->result;
    const bool ok = result->ok && !run->error;
    print_heads(plan, out);
    for (size_t i = 0; i < run->n_encodes; i++)
        print_sample(plan, &run->encodes[i], ok && run->encodes[i].spec.q == result->best_q, out);
    if (!ok)
        return;
    fprintf(out, "\n%s %s: %s %d, %.1f kbit/s (%.1f MB in all), VMAF %.3f, %d encode%s%s\n",
            plan->spec.encoder->name, plan->spec.preset ? plan->spec.preset : "",
            plan->spec.encoder->knob_name, result->best_q, result->best.kbps,
            result->best.kbps * seconds / 8000, result->best.values[0], result->n_iterations,
            result->n_iterations == 1 ? "" : "s",
            result->converged ? "" : " (more would tell more exactly)");
}
