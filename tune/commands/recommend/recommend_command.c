/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/commands/recommend/recommend_command.h"

#include "text/say.h"
#include "tune/commands/corpus_input.h"
#include "tune/commands/recommend/corpus_choice.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

typedef struct Settings {
    const char *corpus, *encoder, *preset, *sidecar, *output;
    double target, kbps;
    bool with_uncertainty, json;
} Settings;

#define OPTION(option_type, option_name, option_argument, option_help, member, ...)                \
    {                                                                                              \
        .name = (option_name), .argument = (option_argument), .help = (option_help),               \
        .type = (option_type), .target = offsetof(Settings, member), __VA_ARGS__                   \
    }

static const TuneOption rows[] = {
    OPTION(TUNE_TEXT, "from-corpus", "FILE", "choose among these rows", corpus),
    OPTION(TUNE_NUMBER, "target-vmaf", "X", "the lowest bitrate that reaches this score (92)",
           target),
    OPTION(TUNE_NUMBER, "target-bitrate", "KBPS", "the bitrate nearest to this one instead", kbps,
           .lowest = 1e-3, .highest = 1e12),
    OPTION(TUNE_TEXT, "encoder", "NAME", "rows of this encoder", encoder),
    OPTION(TUNE_TEXT, "preset", "NAME", "rows of this preset", preset),
    OPTION(TUNE_FLAG, "with-uncertainty", NULL, "heed the intervals of scores", with_uncertainty),
    OPTION(TUNE_TEXT, "uncertainty-sidecar", "FILE",
           "widths of intervals, residuals of predictions", sidecar),
    OPTION(TUNE_FLAG, "json", NULL, "print JSON", json),
    OPTION(TUNE_TEXT, "output", "FILE", "write the result to a file", output),
};

static int print(const TuneCommand *command, const Settings *settings, const RowChoices *choices,
                 const ChoiceRequest *request)
{
    char *text = NULL;
    size_t size;
    int err = 0;
    FILE *out = open_memstream(&text, &size);
    if (out && settings->json)
        err = row_choices_print_json(choices, request, out);
    else if (out)
        row_choices_print_text(choices, request, out);
    const int status = !out || fclose(out) || err
                           ? command_fail(command, TUNE_NO_RESULT, "out of memory")
                           : command_print(command, settings->output, text);
    free(text);
    return status;
}

static int choose(const TuneCommand *command, const Settings *settings, const RowTable *table)
{
    Uncertainty uncertainty;
    Message why;
    uncertainty_init(&uncertainty);
    if (settings->sidecar && uncertainty_load(&uncertainty, settings->sidecar, &why))
        say("vmaf-tune recommend: %s; the default widths are used", why.text);
    if (uncertainty.has_residuals && !uncertainty.calibration.calibrated)
        say("vmaf-tune recommend: %zu residuals are too few for alpha %g: intervals are not "
            "calibrated",
            uncertainty.n_residuals, uncertainty.alpha);
    const bool by_bitrate = !isnan(settings->kbps);
    const ChoiceRequest request = {.encoder = settings->encoder,
                                   .preset = settings->preset,
                                   .target = by_bitrate                ? NAN
                                             : isnan(settings->target) ? 92
                                                                       : settings->target,
                                   .kbps = settings->kbps,
                                   .uncertainty = settings->with_uncertainty ? &uncertainty : NULL};
    RowChoices choices;
    const int err = row_choices_make(&choices, table->rows, table->n, &request, &why);
    if (err)
        return command_fail(command, err == -EINVAL ? TUNE_USAGE : TUNE_NO_RESULT, "%s", why.text);
    const int status = print(command, settings, &choices, &request);
    row_choices_free(&choices);
    return status;
}

static int run(const TuneCommand *command, int argc, char **argv)
{
    Settings settings = {.target = NAN, .kbps = NAN};
    const OptionGroup group = {"Options", rows, sizeof(rows) / sizeof(rows[0]), &settings};
    int status;
    if (!command_parse_options(command, &group, 1, argc, argv, &status))
        return status;
    if (!settings.corpus)
        return command_fail(command, TUNE_USAGE, "--from-corpus FILE is needed");
    if (!isnan(settings.target) && !isnan(settings.kbps))
        return command_fail(command, TUNE_USAGE,
                            "--target-vmaf and --target-bitrate exclude each other");
    RowTable table;
    if (!corpus_load(command, settings.corpus, &table, &status))
        return status;
    status = choose(command, &settings, &table);
    row_table_free(&table);
    return status;
}

const TuneCommand recommend_command = {
    .name = "recommend",
    .operands = "",
    .summary = "which quality of a corpus to encode with",
    .examples = "  vmaf-tune recommend --from-corpus corpus.jsonl --target-vmaf 93\n"
                "  vmaf-tune recommend --from-corpus corpus.jsonl --target-bitrate 2500 --json\n",
    .run = run,
};
