/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/commands/fast/fast_report.h"

#include "tune/commands/session/search_record.h"
#include "tune/rows/json_document.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* -- what follows -- */

__attribute__((format(printf, 2, 3))) static void note(FastResult *result, const char *format, ...)
{
    const size_t used = strlen(result->notes);
    va_list arguments;
    va_start(arguments, format);
    if (used + 2 < sizeof result->notes) {
        if (used)
            strcpy(result->notes + used, "; ");
        const size_t from = strlen(result->notes);
        vsnprintf(result->notes + from, sizeof result->notes - from, format, arguments);
    }
    va_end(arguments);
}

/* The encode of the whole video that is compared with its estimate: the answer, else the last. */
static const Measurement *verified_of(const FastResult *result)
{
    const SearchRun *run = &result->verified;
    if (!result->is_verified || !run->search.n_samples)
        return NULL;
    for (size_t i = 0; i < run->search.n_samples; i++)
        if (run->result.ok && run->search.samples[i].q == run->result.best_q)
            return &run->search.samples[i];
    return &run->search.samples[run->search.n_samples - 1];
}

static void explain(FastResult *result)
{
    Message why;
    const bool of_samples = !result->sampled.result.ok || result->sampled.error;
    if (of_samples)
        search_run_explain(&result->sampled, &result->sampled_plan, &why);
    else if (result->is_verified && (!result->verified.result.ok || result->verified.error))
        search_run_explain(&result->verified, &result->verified_plan, &why);
    else
        return;
    note(result, "%s: %s", of_samples ? "samples" : "the whole video", why.text);
}

void fast_conclude(FastResult *result)
{
    const SearchRun *sampled = &result->sampled;
    const SearchRun *answer = result->is_verified ? &result->verified : sampled;
    const bool ok = answer->result.ok && !answer->error && sampled->result.ok && !sampled->error;
    const Measurement *verified = verified_of(result);
    result->recommended = ok ? answer->result.best_q : -1;
    result->predicted_vmaf = result->predicted_kbps = NAN;
    result->verify_vmaf = result->verify_kbps = result->gap = NAN;
    const int q = verified ? verified->q : result->recommended;
    if (q >= 0) {
        result->predicted_vmaf = sampled_score(sampled, q);
        result->predicted_kbps = search_predicted_kbps(&sampled->search, q);
    }
    if (verified) {
        result->verify_vmaf = verified->values[0];
        result->verify_kbps = verified->kbps;
        result->gap = fabs(result->predicted_vmaf - result->verify_vmaf);
    }
    explain(result);
    if (!result->source)
        note(result, "self-test: nothing was encoded, and scores are of a formula");
    else if (!result->samples->n)
        note(result, "the video is no longer than samples would be: all of it was searched");
    if (ok && result->is_verified && sampled->result.best_q != answer->result.best_q)
        note(result, "samples alone would say %d", sampled->result.best_q);
    if (ok && !answer->result.converged)
        note(result, "further encodes would tell more exactly");
}

/* -- JSON -- */

static json_t *measurements_of(const SearchRun *run)
{
    json_t *json = json_array();
    for (size_t i = 0; json && i < run->search.n_samples; i++) {
        const Measurement *sample = &run->search.samples[i];
        json_t *one = json_object();
        json_put(one, "crf", json_integer(sample->q));
        json_put(one, "vmaf", json_number_or_null(sample->values[0]));
        json_put(one, "bitrate_kbps", json_number_or_null(sample->kbps));
        json_array_append_new(json, one);
    }
    return json;
}

static json_t *encodes_of(const SearchPlan *plan, const SearchRun *run)
{
    json_t *json = json_array();
    for (size_t i = 0; json && i < run->n_encodes; i++)
        json_array_append_new(json, search_sample(plan, &run->encodes[i]));
    return json;
}

static json_t *windows_of(const Samples *samples)
{
    json_t *json = json_array();
    for (size_t i = 0; json && samples && i < samples->n; i++) {
        const SampleWindow *window = &samples->windows[i];
        json_t *one = json_object();
        json_put(one, "first_frame", json_integer((json_int_t)window->first));
        json_put(one, "frames", json_integer((json_int_t)window->frames));
        json_put(one, "stands_for", json_integer((json_int_t)window->stands_for));
        json_array_append_new(json, one);
    }
    return json;
}

static const char *backend_of(const FastResult *result)
{
    const SearchRun *run = result->verified.n_encodes ? &result->verified : &result->sampled;
    for (size_t i = 0; i < run->n_encodes; i++)
        if (run->encodes[i].has_scores)
            return run->encodes[i].scores.backend;
    return NULL;
}

static int put_answer(json_t *json, const FastResult *result)
{
    const TuneGates *gates = &result->sampled_plan.gates;
    int err = json_put(json, "recommended_crf", json_integer(result->recommended));
    err |= json_put(json, "target_vmaf", json_number_or_null(gates->gate[0].target));
    err |= json_put(json, "predicted_vmaf", json_number_or_null(result->predicted_vmaf));
    err |= json_put(json, "predicted_kbps", json_number_or_null(result->predicted_kbps));
    err |= json_put(json, "verify_vmaf", json_number_or_null(result->verify_vmaf));
    err |= json_put(json, "verify_kbps", json_number_or_null(result->verify_kbps));
    err |= json_put(json, "proxy_verify_gap", json_number_or_null(result->gap));
    err |= json_put(json, "notes", json_text_or_null(result->notes));
    return err;
}

static json_t *rate_control_of(const SearchPlan *plan)
{
    char name[RATE_CONTROL_SIZE];
    encode_rate_control(
        &(EncodeRequest){.encoder = plan->spec.encoder, .two_pass = plan->spec.two_pass}, name);
    return json_text_or_null(name);
}

int fast_print_json(const FastResult *result, FILE *out)
{
    const SearchPlan *plan = &result->sampled_plan;
    const bool is_smoke = !result->source;
    json_t *json = json_object();
    if (!json)
        return -ENOMEM;
    int err = put_answer(json, result);
    err |= is_smoke ? json_put(json, "src", json_null())
                    : search_put_source(json, result->source, result->options);
    err |= json_put(json, "encoder", json_text_or_null(plan->spec.encoder->name));
    err |= json_put(json, "preset", json_text_or_null(plan->spec.preset));
    err |= json_put(json, "rate_control", rate_control_of(plan));
    err |= json_put(json, "vmaf_model", json_text_or_null(result->model));
    err |= json_put(json, "score_backend", json_text_or_null(backend_of(result)));
    err |= json_put(json, "n_trials", json_integer(result->sampled.result.n_iterations));
    err |= json_put(json, "smoke", json_boolean(is_smoke));
    err |= json_put(json, "windows", windows_of(result->samples));
    err |=
        json_put(json, "samples",
                 is_smoke ? measurements_of(&result->sampled) : encodes_of(plan, &result->sampled));
    err |= json_put(json, "verifications", encodes_of(&result->verified_plan, &result->verified));
    if (!err)
        err = json_document_print(json, 2, out);
    fputc('\n', out);
    json_decref(json);
    return err;
}

/* -- for people -- */

void fast_print_text(const FastResult *result, FILE *out)
{
    const SearchPlan *plan = &result->sampled_plan;
    const char *knob = plan->spec.encoder->knob_name;
    if (result->source) {
        const double seconds = result->source->seconds;
        fprintf(out, "%zu of %zu frames:\n", result->samples->frames, result->source->frames);
        search_print_text(plan, &result->sampled, seconds, out);
        if (result->is_verified) {
            fprintf(out, "\nThe whole video:\n");
            search_print_text(&result->verified_plan, &result->verified, seconds, out);
        }
        fputc('\n', out);
    }
    if (result->recommended >= 0)
        fprintf(out, "%s %d: VMAF %.3f and %.1f kbit/s expected", knob, result->recommended,
                result->predicted_vmaf, result->predicted_kbps);
    if (result->recommended >= 0 && isfinite(result->gap))
        fprintf(out, ", %.3f and %.1f kbit/s measured", result->verify_vmaf, result->verify_kbps);
    fprintf(out, "%s%s%s\n", result->recommended >= 0 ? "\n" : "", *result->notes ? "Note: " : "",
            result->notes);
}
