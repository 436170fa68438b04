/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* vmaf-tune fast: a search on samples, whose answer is verified on the whole video. */
#include "tune/commands/commands.h"

#include "common/json.h"
#include "tune/measure/search_run.h"
#include "tune/rows/row.h"
#include "tune/session/option_rows.h"
#include "tune/session/output.h"
#include "tune/session/search.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- what follows -- */

/* What was searched on samples, and verified on the whole video. */
typedef struct FastResult {
    const TuneSource *source;
    const SessionOptions *options;
    const Samples *samples;
    const char *model;
    SearchPlan sampled_plan, verified_plan;
    SearchRun sampled, verified;
    bool is_verified; /* the second run was made */
    /* Set by draw_conclusions: */
    double recommended; /* -1: there is none */
    double predicted_vmaf, predicted_kbps;
    double verify_vmaf, verify_kbps;
    double gap; /* between the two scores; NAN: nothing was verified */
    char notes[512];
} FastResult;

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

/* What follows from the runs. */
static void draw_conclusions(FastResult *result)
{
    const SearchRun *sampled = &result->sampled;
    const SearchRun *answer = result->is_verified ? &result->verified : sampled;
    const bool ok = answer->result.ok && !answer->error && sampled->result.ok && !sampled->error;
    const Measurement *verified = verified_of(result);
    result->recommended = ok ? answer->result.best_q : -1;
    result->predicted_vmaf = result->predicted_kbps = NAN;
    result->verify_vmaf = result->verify_kbps = result->gap = NAN;
    const double q = verified ? verified->q : result->recommended;
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
    if (!result->samples->n)
        note(result, "the video is no longer than samples would be: all of it was searched");
    if (ok && result->is_verified && sampled->result.best_q != answer->result.best_q)
        note(result, "samples alone would say %g", sampled->result.best_q);
    if (ok && !answer->result.converged)
        note(result, "further encodes would tell more exactly");
}

/* -- JSON -- */

static json_t *windows_of(const Samples *samples)
{
    json_t *json = json_array();
    for (size_t i = 0; json && i < samples->n; i++) {
        const SampleWindow *window = &samples->windows[i];
        json_t *one = json_object();
        json_put_integer(one, "first_frame", window->first);
        json_put_integer(one, "frames", window->frames);
        json_put_integer(one, "stands_for", window->stands_for);
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
    int err = json_put(json, "recommended_crf", json_quality(result->recommended));
    err |= json_put_number(json, "target_vmaf", gates->gate[0].target);
    err |= json_put_number(json, "predicted_vmaf", result->predicted_vmaf);
    err |= json_put_number(json, "predicted_kbps", result->predicted_kbps);
    err |= json_put_number(json, "verify_vmaf", result->verify_vmaf);
    err |= json_put_number(json, "verify_kbps", result->verify_kbps);
    err |= json_put_number(json, "proxy_verify_gap", result->gap);
    err |= json_put_text(json, "notes", result->notes);
    return err;
}

static json_t *rate_control_of(const SearchPlan *plan)
{
    char name[RATE_CONTROL_SIZE];
    encode_rate_control(
        &(EncodeRequest){.encoder = plan->spec.encoder, .two_pass = plan->spec.two_pass}, name);
    return json_text_or_null(name);
}

static json_t *record_of(const FastResult *result)
{
    const SearchPlan *plan = &result->sampled_plan;
    json_t *json = json_object();
    int err = put_answer(json, result);
    err |= search_put_source(json, result->source, result->options);
    err |= json_put_text(json, "encoder", plan->spec.encoder->name);
    err |= json_put_text(json, "preset", plan->spec.preset);
    err |= json_put(json, "rate_control", rate_control_of(plan));
    err |= json_put_text(json, "vmaf_model", result->model);
    err |= json_put_text(json, "score_backend", backend_of(result));
    err |= json_put_integer(json, "n_trials", result->sampled.result.n_iterations);
    err |= json_put_flag(json, "smoke", false);
    err |= json_put(json, "windows", windows_of(result->samples));
    err |= json_put(json, "samples", search_samples(plan, &result->sampled));
    err |=
        json_put(json, "verifications", search_samples(&result->verified_plan, &result->verified));
    return json_unless(err, json);
}

/* -- for people -- */

static void print_text(const FastResult *result, FILE *out)
{
    const SearchPlan *plan = &result->sampled_plan;
    const char *qualities = plan->spec.encoder->quality_name;
    const double seconds = result->source->seconds;
    fprintf(out, "%zu of %zu frames:\n", result->samples->frames, result->source->frames);
    search_print_text(plan, &result->sampled, seconds, out);
    if (result->is_verified) {
        fprintf(out, "\nThe whole video:\n");
        search_print_text(&result->verified_plan, &result->verified, seconds, out);
    }
    fputc('\n', out);
    if (result->recommended >= 0)
        fprintf(out, "%s %g: VMAF %.3f and %.1f kbit/s expected", qualities, result->recommended,
                result->predicted_vmaf, result->predicted_kbps);
    if (result->recommended >= 0 && isfinite(result->gap))
        fprintf(out, ", %.3f and %.1f kbit/s measured", result->verify_vmaf, result->verify_kbps);
    fprintf(out, "%s%s%s\n", result->recommended >= 0 ? "\n" : "", *result->notes ? "Note: " : "",
            result->notes);
}

enum { MAX_VERIFICATIONS = 5 };

#define DEFAULT_TOLERANCE 1.5

typedef struct Settings {
    SearchChoice search;
    const char *output;
    double tolerance;
    int format; /* 0: JSON, 1: text */
} Settings;

#define AT(member) .target = offsetof(Settings, member)

static const TuneOption rows[] = {
    {"target-vmaf", "X", "the score that is to be reached; has to be given, or --require",
     NUMBER_AT(search.target, 0, 100)},
    {"encoder", "NAME", "FFmpeg's name of the encoder (libx264)", TEXT_AT(search.encoder),
     .other_name = "codec"},
    {"preset", "NAME", "as in x264, whatever the encoder (medium)", TEXT_AT(search.preset)},
    {"crf-min", "Q", "the least value of the quality knob (all that the encoder has)",
     NUMBER_AT(search.lowest, 0, 255)},
    {"crf-max", "Q", "the greatest one", NUMBER_AT(search.highest, 0, 255)},
    {"proxy-tolerance", "D", "how far samples and video may differ (1.5)",
     NUMBER_AT(tolerance, 0, 100)},
    {"format", NULL, "of the result (json)", CHOICE_AT(format, "json|text")},
    {"output", "FILE", "write the result to a file", TEXT_AT(output), .short_name = 'o',
     .file = TUNE_FILE_TEXT},
};

/* -- the result -- */

static int print(const TuneCommand *command, const Settings *settings, const FastResult *result)
{
    TextBuffer text;
    if (settings->format == 0)
        return result_print_json(command, settings->output, record_of(result));
    if (text_begin(&text))
        print_text(result, text.out);
    return result_print(&text, command, settings->output, 0);
}

static int status_of(const TuneCommand *command, const Settings *settings, const FastResult *result)
{
    if (result->recommended < 0)
        return command_fail(command, TUNE_NO_RESULT, "%s", result->notes);
    if (result->gap > settings->tolerance)
        return command_fail(command, TUNE_DISAGREES,
                            "samples said VMAF %.3f, the whole video has %.3f: more than %g apart",
                            result->predicted_vmaf, result->verify_vmaf, settings->tolerance);
    return TUNE_OK;
}

static int conclude(const Session *session, const Settings *settings, FastResult *result)
{
    draw_conclusions(result);
    const SearchRun *runs[] = {&result->sampled, &result->verified};
    int status = print(session->command, settings, result);
    for (size_t i = 0; i < 2; i++)
        if (runs[i]->error)
            return session_fail(session, runs[i]->error, runs[i]->why.text);
    const int end = status_of(session->command, settings, result);
    return end ? end : status;
}

/* -- the work -- */

static int verify(Session *session, FastResult *result)
{
    SessionMeasurer measurer = {0};
    if (sample_verification(&result->sampled_plan, &result->sampled, MAX_VERIFICATIONS,
                            &result->verified_plan))
        return 0;
    const int status = session_open_measurer_of(session, result->source, NULL, 0, &measurer);
    if (!status) {
        search_run(measurer.measurer, &result->verified_plan, &result->verified);
        result->is_verified = true;
    }
    session_close_measurer(&measurer);
    return status;
}

static int run_samples(Session *session, SessionMeasurer *measurer, FastResult *result)
{
    const int status = session_open_measurer_of(session, result->source, result->samples->windows,
                                                result->samples->n, measurer);
    if (status)
        return status;
    result->model = measurer->model;
    if (session->options->dry_run)
        return session_print_example(session, measurer->measurer, &result->sampled_plan.spec);
    search_run(measurer->measurer, &result->sampled_plan, &result->sampled);
    return 0;
}

static int search_samples_of(Session *session, const Settings *settings, FastResult *result)
{
    SessionEncoder encoder;
    SessionMeasurer measurer = {0};
    SearchPlan *plan = &result->sampled_plan;
    const Samples *samples = result->samples;
    int status = search_find_plan(session, &settings->search, result->source, &encoder, plan);
    if (status)
        return status;
    sample_plan(&settings->search, samples, plan);
    status = run_samples(session, &measurer, result);
    const bool is_sampled = !status && !session->options->dry_run;
    if (is_sampled && samples->n && !result->sampled.error)
        status = verify(session, result);
    if (is_sampled && !samples->n) { /* nothing is left to be verified */
        result->verified_plan = *plan;
        result->verified.result = result->sampled.result;
        result->verified.search = result->sampled.search;
        result->is_verified = result->sampled.result.ok;
    }
    if (is_sampled && !status)
        status = conclude(session, settings, result);
    session_close_measurer(&measurer);
    return status;
}

static int search(Session *session, const TuneSource *source, void *cookie)
{
    const Settings *settings = cookie;
    Samples samples;
    FastResult *result = calloc(1, sizeof(*result));
    if (!result)
        return session_fail(session, -ENOMEM, "out of memory");
    *result = (FastResult){.source = source, .options = session->options, .samples = &samples};
    int status = samples_choose(session, &settings->search, source, &samples);
    if (!status)
        status = search_samples_of(session, settings, result);
    search_run_free(&result->sampled);
    search_run_free(&result->verified);
    free(result);
    samples_free(&samples);
    return status;
}

static int begin(const TuneCommand *command, SessionOptions *options, void *cookie)
{
    const Settings *settings = cookie;
    if (isnan(settings->search.target) && !options->require.n)
        return command_fail(command, TUNE_USAGE, "which score? Give --target-vmaf");
    return session_run(command, options, settings->search.target, search, cookie);
}

static int run_command(const TuneCommand *command, int argc, char **argv)
{
    Settings settings = {.tolerance = DEFAULT_TOLERANCE, .search = search_choice()};
    const OptionGroup groups[] = {
        {"Fast", rows, sizeof rows / sizeof *rows, &settings},
        sample_option_group(&settings.search),
    };
    return session_command(command, argc, argv, groups, 2, begin, &settings);
}

const TuneCommand fast_command = {
    .name = "fast",
    .operands = "",
    .summary = "a quality from a few encodes of samples, verified on the whole video",
    .examples =
        "  vmaf-tune fast --src film.mkv --target-vmaf 93\n"
        "  vmaf-tune fast --src film.mkv --target-vmaf 95 --sample-by shots --format text\n",
    .run = run_command,
};
