/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/commands/predict/predict_command.h"

#include "tune/commands/predict/predict_run.h"
#include "tune/rows/json_document.h"

#include <errno.h>
#include <stdlib.h>

#define AT(member) .target = offsetof(PredictSettings, member)

static const TuneOption rows[] = {
    {.name = "target-vmaf",
     .argument = "X",
     .type = TUNE_NUMBER,
     AT(target),
     .highest = 100,
     .help = "the score that each shot is to reach (93, beside --require as well)"},
    {.name = "codec",
     .argument = "NAME",
     .type = TUNE_TEXT,
     AT(encoder),
     .help = "FFmpeg's name of the encoder (libx264)",
     .other_name = "encoder"},
    {.name = "preset",
     .argument = "NAME",
     .type = TUNE_TEXT,
     AT(preset),
     .help = "as in x264, whatever the encoder (medium)"},
    {.name = "validate-k",
     .argument = "N",
     .type = TUNE_INTEGER,
     AT(validate_k),
     .lowest = 0,
     .highest = 4096,
     .help = "shots that are encoded to see whether predictions hold (8)"},
    {.name = "residual-threshold",
     .argument = "D",
     .type = TUNE_NUMBER,
     AT(threshold),
     .lowest = 0,
     .highest = 100,
     .help = "how far predictions may be off (1.5)"},
    {.name = "report-out",
     .argument = "FILE",
     .file = TUNE_FILE_TEXT,
     .type = TUNE_TEXT,
     AT(report),
     .help = "write how the validation went (JSON)"},
    {.name = "with-uncertainty",
     .type = TUNE_FLAG,
     AT(has_uncertainty),
     .help = "intervals of predicted scores, from what predictions missed by"},
    {.name = "calibration-sidecar",
     .argument = "FILE",
     .file = TUNE_FILE_WRITTEN,
     .type = TUNE_TEXT,
     AT(sidecar),
     .help = "what predictions missed by in earlier runs; this one is added"},
    {.name = "alpha",
     .argument = "A",
     .type = TUNE_NUMBER,
     AT(alpha),
     .lowest = 1e-6,
     .highest = 0.999999,
     .help = "part of scores that may be outside of their intervals (0.05)"},
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

/* Prints a document, whose reference it takes, or the run as text. */
static int print(const TuneCommand *command, const char *path, json_t *json, const PredictRun *run)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    int err = out && (json || run) ? 0 : -ENOMEM;
    if (!err && json) {
        err = json_document_print(json, 2, out);
        fputc('\n', out);
    } else if (!err) {
        predict_print_text(run, out);
    }
    if (out && fclose(out))
        err = -ENOMEM;
    const int status = err ? command_fail(command, TUNE_NO_RESULT, "out of memory")
                           : command_print(command, path, text);
    free(text);
    json_decref(json);
    return status;
}

static int print_all(const TuneCommand *command, PredictRun *run)
{
    const PredictSettings *settings = run->settings;
    int status = settings->format == 1
                     ? print(command, settings->output, NULL, run)
                     : print(command, settings->output, predict_record(run), NULL);
    if (!status && settings->report)
        status = print(command, settings->report, predict_report(run), NULL);
    if (!status && settings->sidecar)
        status = print(command, settings->sidecar, predict_sidecar(run), NULL);
    return status;
}

static int conclude(const TuneCommand *command, PredictRun *run)
{
    if (predict_calibrate(run))
        return command_fail(command, TUNE_USAGE, "residuals cannot be calibrated");
    const int status = print_all(command, run);
    if (!status && run->validation.verdict == VERDICT_FALL_BACK)
        return command_fail(command, TUNE_USAGE,
                            "predictions do not hold (up to %.3f off): shots were searched instead",
                            run->validation.worst);
    bool is_reached = run->n > 0;
    for (size_t i = 0; i < run->n; i++)
        is_reached &= run->shots[i].reachable;
    if (!status && !is_reached)
        return command_fail(command, TUNE_NO_RESULT, "not all shots reach VMAF %g",
                            run->settings->target);
    return status;
}

static int work(Session *session, PredictRun *run)
{
    const PredictSettings *settings = run->settings;
    Message why;
    int status = session_find_encoder(session, settings->encoder, &run->encoder);
    if (!status)
        status = session_check_preset(session, run->encoder.encoder, settings->preset);
    if (!status && run->encoder.encoder->knob.higher_is_better)
        status = command_fail(session->command, TUNE_USAGE, "there is no model of %s",
                              settings->encoder);
    if (!status && session->options->sample_seconds > 0)
        status = command_fail(session->command, TUNE_USAGE,
                              "shots are what is looked at, not --sample-clip-seconds");
    if (!status && settings->sidecar && predict_load_sidecar(run, settings->sidecar, &why))
        status = command_fail(session->command, TUNE_USAGE, "%s", why.text);
    if (!status && session->options->dry_run)
        status = command_fail(session->command, TUNE_USAGE, "there is no --dry-run of it");
    if (!status)
        status = predict_all(session, run);
    return status ? status : conclude(session->command, run);
}

static int run_command(const TuneCommand *command, int argc, char **argv)
{
    PredictSettings settings = {
        .encoder = "libx264",
        .target = 93,
        .threshold = VALIDATION_DEFAULT_THRESHOLD,
        .alpha = 0.05,
        .validate_k = 8,
    };
    SessionOptions options = session_options();
    OptionGroup groups[1 + SESSION_GROUPS] = {
        {"Predict", rows, sizeof rows / sizeof *rows, &settings},
    };
    const size_t n = sizeof groups / sizeof *groups;
    session_option_groups(&options, groups + 1);
    int status;
    Session session = {0};
    TuneSource source = {0};
    if (command_parse_options(command, groups, n, argc, argv, &status)) {
        PredictRun run = {.settings = &settings, .source = &source};
        status = session_open(&session, command, &options, settings.target);
        if (!status)
            status = session_only_source(&session, &source);
        if (!status)
            status = work(&session, &run);
        predict_free(&run);
        source_close(&source);
        session_close(&session);
    }
    tune_options_free(groups, n);
    return status;
}

const TuneCommand predict_command = {
    .name = "predict",
    .operands = "",
    .summary = "a quality for each shot from one quick encode of it, and whether that holds",
    .examples =
        "  vmaf-tune predict --src film.mkv --codec libx265 --target-vmaf 93\n"
        "  vmaf-tune predict --src film.mkv --with-uncertainty --calibration-sidecar x264.json\n",
    .run = run_command,
};
