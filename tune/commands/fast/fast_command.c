/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/commands/fast/fast_command.h"

#include "tune/commands/fast/fast_report.h"
#include "tune/commands/fast/smoke.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

enum { MAX_VERIFICATIONS = 5 };

#define DEFAULT_TOLERANCE 1.5

typedef struct Settings {
    const char *encoder, *preset, *output;
    double target, tolerance;
    int format; /* 0: JSON, 1: text */
    bool smoke;
    SearchChoice search;
} Settings;

#define AT(member) .target = offsetof(Settings, member)

static const TuneOption rows[] = {
    {.name = "target-vmaf",
     .argument = "X",
     .type = TUNE_NUMBER,
     AT(target),
     .highest = 100,
     .help = "the score that is to be reached; has to be given, or --require"},
    {.name = "encoder",
     .argument = "NAME",
     .type = TUNE_TEXT,
     AT(encoder),
     .help = "FFmpeg's name of the encoder (libx264)",
     .other_name = "codec"},
    {.name = "preset",
     .argument = "NAME",
     .type = TUNE_TEXT,
     AT(preset),
     .help = "as in x264, whatever the encoder (medium)"},
    {.name = "crf-min",
     .argument = "Q",
     .type = TUNE_INTEGER,
     AT(search.lowest),
     .lowest = 0,
     .highest = 255,
     .help = "the least value of the quality knob (all that the encoder has)"},
    {.name = "crf-max",
     .argument = "Q",
     .type = TUNE_INTEGER,
     AT(search.highest),
     .lowest = 0,
     .highest = 255,
     .help = "the greatest one"},
    {.name = "proxy-tolerance",
     .argument = "D",
     .type = TUNE_NUMBER,
     AT(tolerance),
     .lowest = 0,
     .highest = 100,
     .help = "how far samples and video may differ (1.5)"},
    {.name = "smoke", .type = TUNE_FLAG, AT(smoke), .help = "a self-test: a curve, no video"},
    {.name = "format",
     .type = TUNE_CHOICE,
     AT(format),
     .values = "json|text",
     .help = "of the result (json)"},
    {.name = "output",
     .argument = "FILE",
     .file = TUNE_FILE_TEXT,
     .type = TUNE_TEXT,
     AT(output),
     .short_name = 'o',
     .help = "write the result to a file"},
};

/* -- the result -- */

static int print(const TuneCommand *command, const Settings *settings, const FastResult *result)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    int err = out ? 0 : -ENOMEM;
    if (out && settings->format == 0)
        err = fast_print_json(result, out);
    else if (out)
        fast_print_text(result, out);
    const int status = !out || fclose(out) || err
                           ? command_fail(command, TUNE_NO_RESULT, "out of memory")
                           : command_print(command, settings->output, text);
    free(text);
    return status;
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
    fast_conclude(result);
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

static int dry_run(const Session *session, Measurer *measurer, const SearchPlan *plan)
{
    Message why;
    EncodeSpec spec = plan->spec;
    spec.q = spec.encoder->default_q;
    char *lines = measure_command_lines(measurer, &spec, &why);
    if (!lines)
        return session_fail(session, -EINVAL, why.text);
    fputs(lines, stdout);
    free(lines);
    return TUNE_OK;
}

static int run_samples(Session *session, SessionMeasurer *measurer, FastResult *result)
{
    const int status = session_open_measurer_of(session, result->source, result->samples->windows,
                                                result->samples->n, measurer);
    if (status)
        return status;
    result->model = measurer->model;
    if (session->options->dry_run)
        return dry_run(session, measurer->measurer, &result->sampled_plan);
    search_run(measurer->measurer, &result->sampled_plan, &result->sampled);
    return 0;
}

static int search(Session *session, const Settings *settings, const SampleChoice *choice,
                  const Samples *samples, FastResult *result)
{
    SessionEncoder encoder;
    SessionMeasurer measurer = {0};
    SearchPlan *plan = &result->sampled_plan;
    int status = session_find_encoder(session, settings->encoder, &encoder);
    if (!status)
        status = search_make_plan(session, &settings->search, result->source, &encoder,
                                  settings->preset, plan);
    if (status)
        return status;
    sample_plan(choice, samples, plan);
    result->samples = samples;
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

static int run_session(const TuneCommand *command, const Settings *settings,
                       const SessionOptions *options, const SampleChoice *choice)
{
    Session session = {0};
    TuneSource source = {0};
    Samples samples = {0};
    FastResult *result = calloc(1, sizeof(*result));
    int status = result ? session_open(&session, command, options, settings->target)
                        : command_fail(command, TUNE_NO_RESULT, "out of memory");
    if (!status)
        status = session_only_source(&session, &source);
    if (!status)
        status = samples_choose(&session, choice, &source, &samples);
    if (!status) {
        result->source = &source;
        result->options = options;
        status = search(&session, settings, choice, &samples, result);
    }
    if (result) {
        search_run_free(&result->sampled);
        search_run_free(&result->verified);
    }
    free(result);
    samples_free(&samples);
    source_close(&source);
    session_close(&session);
    return status;
}

static int run_smoke(const TuneCommand *command, const Settings *settings,
                     const SampleChoice *choice)
{
    EncoderTable table;
    Message why;
    if (encoder_table_open(&table, NULL, &why))
        return command_fail(command, TUNE_USAGE, "%s", why.text);
    FastResult *result = calloc(1, sizeof(*result));
    const Encoder *encoder = encoder_find(&table, settings->encoder, &why);
    int status = TUNE_OK;
    if (!result || !encoder) {
        status = command_fail(command, result ? TUNE_USAGE : TUNE_NO_RESULT, "%s",
                              result ? why.text : "out of memory");
    } else {
        const Samples none = {0};
        SearchPlan *plan = &result->sampled_plan;
        plan->spec = (EncodeSpec){.encoder = encoder, .preset = settings->preset};
        plan->gates = (TuneGates){.gate = {{.name = "vmaf", .target = settings->target}}, .n = 1};
        sample_plan(choice, &none, plan);
        tune_gates_for_search(&plan->gates, encoder, 1080, 0, &plan->search);
        smoke_run(plan, &result->sampled);
        fast_conclude(result);
        status = print(command, settings, result);
        const int end = status_of(command, settings, result);
        status = end ? end : status;
    }
    free(result);
    encoder_table_close(&table);
    return status;
}

static int run_command(const TuneCommand *command, int argc, char **argv)
{
    Settings settings = {
        .encoder = "libx264",
        .target = NAN,
        .tolerance = DEFAULT_TOLERANCE,
        .search = search_choice(),
    };
    SessionOptions options = session_options();
    SampleChoice choice = sample_choice();
    OptionGroup groups[2 + SESSION_GROUPS] = {
        {"Fast", rows, sizeof rows / sizeof *rows, &settings},
        sample_option_group(&choice),
    };
    const size_t n = sizeof groups / sizeof *groups;
    session_option_groups(&options, groups + 2);
    int status;
    if (command_parse_options(command, groups, n, argc, argv, &status)) {
        if (isnan(settings.target) && (settings.smoke || !options.require.n))
            status = command_fail(command, TUNE_USAGE, "which score? Give --target-vmaf");
        else if (settings.smoke)
            status = run_smoke(command, &settings, &choice);
        else
            status = run_session(command, &settings, &options, &choice);
    }
    tune_options_free(groups, n);
    return status;
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
