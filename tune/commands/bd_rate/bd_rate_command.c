/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/commands/bd_rate/bd_rate_command.h"

#include "common/messages.h"
#include "tune/commands/bd_rate/bd_report.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

typedef struct Settings {
    const char *reference, *test;
    const char *reference_encoder, *test_encoder;
    const char *preset, *reference_preset, *test_preset;
    const char *metric, *output;
    bool hull, exact, json;
    double min_metric, max_metric, at;
} Settings;

#define OPTION(option_type, option_name, option_argument, option_help, member, ...)                \
    {                                                                                              \
        .name = (option_name), .argument = (option_argument), .help = (option_help),               \
        .type = (option_type), .target = offsetof(Settings, member), __VA_ARGS__                   \
    }

static const TuneOption rows[] = {
    OPTION(TUNE_TEXT, "ref", "FILE", "points of the reference: CSV rate,metric, or a corpus",
           reference, .other_name = "reference", .file = TUNE_FILE_READ),
    OPTION(TUNE_TEXT, "test", "FILE", "points to be compared; the file of --ref if it is a corpus",
           test, .file = TUNE_FILE_READ),
    OPTION(TUNE_TEXT, "ref-encoder", "NAME", "of a corpus: rows of this encoder",
           reference_encoder),
    OPTION(TUNE_TEXT, "test-encoder", "NAME", "the same for the points to be compared",
           test_encoder),
    OPTION(TUNE_TEXT, "preset", "NAME", "of a corpus: rows of this preset", preset),
    OPTION(TUNE_TEXT, "ref-preset", "NAME", "the same for the reference alone", reference_preset),
    OPTION(TUNE_TEXT, "test-preset", "NAME", "the same for the points to be compared", test_preset),
    OPTION(TUNE_TEXT, "metric", "NAME", "a number of rows, or the mean of a feature (vmaf_score)",
           metric),
    OPTION(TUNE_FLAG, "hull", NULL, "compare upper convex hulls", hull),
    OPTION(TUNE_FLAG, "exact", NULL, "integrate the cubics instead of 100 samples of them", exact),
    OPTION(TUNE_NUMBER, "min-metric", "X", "compare from this quality on", min_metric),
    OPTION(TUNE_NUMBER, "max-metric", "X", "compare up to this quality", max_metric),
    OPTION(TUNE_NUMBER, "at", "PERCENT",
           "also at one quality: so far from the lowest common one to the highest", at, .lowest = 0,
           .highest = 100),
    OPTION(TUNE_FLAG, "json", NULL, "print JSON", json),
    OPTION(TUNE_TEXT, "output", "FILE", "write the result to a file", output,
           .file = TUNE_FILE_TEXT),
};

static const char *either(const char *first, const char *second)
{
    return first ? first : second;
}

static int load(const Settings *settings, CurveSet *reference, CurveSet *test, Message *why)
{
    const CurveFilter a = {settings->reference_encoder,
                           either(settings->reference_preset, settings->preset), settings->metric};
    const CurveFilter b = {settings->test_encoder, either(settings->test_preset, settings->preset),
                           settings->metric};
    const int err = curve_set_load(reference, settings->reference, &a, why);
    return err ? err : curve_set_load(test, either(settings->test, settings->reference), &b, why);
}

static int print(const TuneCommand *command, const Settings *settings, const BdReport *report,
                 const BdRequest *request)
{
    const BdNames names = {
        either(settings->reference_encoder, settings->reference),
        either(settings->test_encoder, either(settings->test, settings->reference)),
        settings->metric};
    char *text = NULL;
    size_t size;
    int err = 0;
    FILE *out = open_memstream(&text, &size);
    if (out && settings->json)
        err = bd_report_print_json(report, request, &names, out);
    else if (out)
        bd_report_print_text(report, request, &names, out);
    int status = !out || fclose(out) || err ? command_fail(command, TUNE_NO_RESULT, "out of memory")
                                            : command_print(command, settings->output, text);
    free(text);
    return status;
}

static int compare(const TuneCommand *command, const Settings *settings, const CurveSet *reference,
                   const CurveSet *test)
{
    const BdRequest request = {
        .options = {settings->hull, settings->exact, settings->min_metric, settings->max_metric},
        .percent = settings->at};
    BdReport report;
    Message why;
    const int err = bd_report_make(&report, reference, test, &request, &why);
    if (err)
        return command_fail(command, TUNE_NO_RESULT, "%s", why.text);
    if (report.n_alone)
        say("vmaf-tune bd-rate: %zu of the sources are on one side only", report.n_alone);
    int status = print(command, settings, &report, &request);
    if (status == TUNE_OK && isnan(report.rate))
        status = command_fail(command, TUNE_NO_RESULT, "there is no BD-rate: %s",
                              bd_status_text(report.sources[0].rate.status));
    bd_report_free(&report);
    return status;
}

static int run(const TuneCommand *command, int argc, char **argv)
{
    Settings settings = {
        .metric = "vmaf_score", .min_metric = -INFINITY, .max_metric = INFINITY, .at = NAN};
    const OptionGroup group = {"Options", rows, sizeof(rows) / sizeof(rows[0]), &settings};
    int status;
    if (!command_parse_options(command, &group, 1, argc, argv, &status))
        return status;
    if (!settings.reference)
        return command_fail(command, TUNE_USAGE, "--ref FILE is needed");
    if (!settings.test && !settings.test_encoder && !settings.test_preset)
        return command_fail(command, TUNE_USAGE, "--test FILE is needed, or --test-encoder");
    CurveSet reference = {0}, test = {0};
    Message why;
    const int err = load(&settings, &reference, &test, &why);
    if (err)
        status =
            command_fail(command, err == -ENOMEM ? TUNE_NO_RESULT : TUNE_USAGE, "%s", why.text);
    else
        status = compare(command, &settings, &reference, &test);
    curve_set_free(&reference);
    curve_set_free(&test);
    return status;
}

const TuneCommand bd_rate_command = {
    .name = "bd-rate",
    .operands = "",
    .summary = "how much bitrate an encoder saves against another at equal quality",
    .examples =
        "  vmaf-tune bd-rate --ref x264.csv --test x265.csv\n"
        "  vmaf-tune bd-rate --ref corpus.jsonl --ref-encoder libx264 --test-encoder libx265\n",
    .run = run,
};
