/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/commands/recommend/recommend_command.h"

#include "common/messages.h"
#include "tune/commands/corpus_input.h"
#include "tune/commands/recommend/live_choice.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

typedef struct Settings {
    const char *corpus, *sidecar, *output;
    double target, kbps;
    bool with_uncertainty, json;
} Settings;

#define OPTION(option_type, option_name, option_argument, option_help, member, ...)                \
    {                                                                                              \
        .name = (option_name), .argument = (option_argument), .help = (option_help),               \
        .type = (option_type), .target = offsetof(Settings, member), __VA_ARGS__                   \
    }

static const TuneOption rows[] = {
    OPTION(TUNE_TEXT, "from-corpus", "FILE", "choose among these rows, and encode nothing", corpus,
           .file = TUNE_FILE_READ),
    OPTION(TUNE_NUMBER, "target-vmaf", "X",
           "reach this score, and spend no more than it takes (92, beside "
           "--require as well)",
           target, .highest = 100),
    OPTION(TUNE_NUMBER, "target-bitrate", "KBPS", "the bitrate nearest to this one instead", kbps,
           .lowest = 1e-3, .highest = 1e12),
    OPTION(TUNE_FLAG, "with-uncertainty", NULL, "heed the intervals of scores", with_uncertainty),
    OPTION(TUNE_TEXT, "uncertainty-sidecar", "FILE",
           "widths of intervals, residuals of predictions", sidecar, .file = TUNE_FILE_READ),
    OPTION(TUNE_FLAG, "json", NULL, "print JSON", json),
    OPTION(TUNE_TEXT, "output", "FILE", "write the result to a file", output, .short_name = 'o',
           .file = TUNE_FILE_TEXT),
};

/* How the result is printed. */
typedef void PrintText(const RowChoices *choices, const ChoiceRequest *request, FILE *out);

static int print(const TuneCommand *command, const Settings *settings, const RowChoices *choices,
                 const ChoiceRequest *request, PrintText *print_text)
{
    char *text = NULL;
    size_t size;
    int err = 0;
    FILE *out = open_memstream(&text, &size);
    if (out && settings->json)
        err = row_choices_print_json(choices, request, out);
    else if (out)
        print_text(choices, request, out);
    const int status = !out || fclose(out) || err
                           ? command_fail(command, TUNE_NO_RESULT, "out of memory")
                           : command_print(command, settings->output, text);
    free(text);
    return status;
}

static void load_uncertainty(const Settings *settings, Uncertainty *uncertainty)
{
    Message why;
    uncertainty_init(uncertainty);
    if (settings->sidecar && uncertainty_load(uncertainty, settings->sidecar, &why))
        say("vmaf-tune recommend: %s; the default widths are used", why.text);
    if (uncertainty->has_residuals && !uncertainty->calibration.calibrated)
        say("vmaf-tune recommend: %zu residuals are too few for alpha %g: intervals are not "
            "calibrated",
            uncertainty->n_residuals, uncertainty->alpha);
}

static ChoiceRequest request_of(const Settings *settings, const Uncertainty *uncertainty)
{
    const double target = isnan(settings->target) ? 92 : settings->target;
    return (ChoiceRequest){.target = isnan(settings->kbps) ? target : NAN,
                           .kbps = settings->kbps,
                           .uncertainty = settings->with_uncertainty ? uncertainty : NULL};
}

/* -- among rows that are there -- */

static int choose_from(const TuneCommand *command, const Settings *settings, const RowTable *table,
                       const ChoiceRequest *request)
{
    RowChoices choices;
    Message why;
    const int err = row_choices_make(&choices, table->rows, table->n, request, &why);
    if (err)
        return command_fail(command, err == -EINVAL ? TUNE_USAGE : TUNE_NO_RESULT, "%s", why.text);
    const int status = print(command, settings, &choices, request, row_choices_print_text);
    row_choices_free(&choices);
    return status;
}

static int run_corpus(const TuneCommand *command, const Settings *settings, const GridOptions *grid,
                      ChoiceRequest request)
{
    RowTable table;
    int status;
    if (grid->encoders.n > 1 || grid->presets.n > 1)
        return command_fail(command, TUNE_USAGE,
                            "one --encoder and one --preset choose rows of a corpus");
    request.encoder = grid->encoders.n ? grid->encoders.text[0] : NULL;
    request.preset = grid->presets.n ? grid->presets.text[0] : NULL;
    if (!corpus_load(command, settings->corpus, &table, &status))
        return status;
    status = choose_from(command, settings, &table, &request);
    row_table_free(&table);
    return status;
}

/* -- live -- */

static int choose_live(const Settings *settings, const EncodeGrid *grid,
                       const ChoiceRequest *request)
{
    const TuneCommand *command = grid->session->command;
    LiveChoices live;
    Message why;
    const int err = live_choices_make(&live, grid, request, &why);
    int status = TUNE_OK;
    if (err)
        status =
            command_fail(command, err == -EINVAL ? TUNE_USAGE : TUNE_NO_RESULT, "%s", why.text);
    else if (settings->json || live_choices_met(&live))
        status = print(command, settings, &live.choices, request,
                       grid->n_encoders > 1 ? live_choices_print_encoders : live_choices_print);
    if (!status && !live_choices_explain(&live, request))
        status = TUNE_NO_RESULT;
    live_choices_free(&live);
    return status;
}

static int run_live(const TuneCommand *command, const Settings *settings,
                    const SessionOptions *options, GridOptions *grid_options,
                    const ChoiceRequest *request)
{
    Session session;
    EncodeGrid grid = {0};
    grid_options->coarse_to_fine |= !grid_options->qualities.n;
    grid_options->target = request->target;
    grid_options->kbps = request->kbps;
    int status = session_open(&session, command, options, request->target);
    if (!status)
        status = encode_grid_open(&grid, &session, grid_options);
    if (!status)
        status = encode_grid_run(&grid);
    if (!status && !options->dry_run)
        status = choose_live(settings, &grid, request);
    encode_grid_close(&grid);
    session_close(&session);
    return status;
}

static int run(const TuneCommand *command, int argc, char **argv)
{
    Settings settings = {.target = NAN, .kbps = NAN};
    SessionOptions options = session_options();
    GridOptions grid = grid_options();
    OptionGroup groups[2 + SESSION_GROUPS] = {
        {"Recommend", rows, sizeof(rows) / sizeof(rows[0]), &settings},
        grid_option_group(&grid),
    };
    const size_t n = sizeof(groups) / sizeof(groups[0]);
    session_option_groups(&options, groups + 2);
    int status;
    if (command_parse_options(command, groups, n, argc, argv, &status)) {
        Uncertainty uncertainty;
        load_uncertainty(&settings, &uncertainty);
        const ChoiceRequest request = request_of(&settings, &uncertainty);
        if (!isnan(settings.target) && !isnan(settings.kbps))
            status = command_fail(command, TUNE_USAGE,
                                  "--target-vmaf and --target-bitrate exclude each other");
        else if (settings.corpus)
            status = run_corpus(command, &settings, &grid, request);
        else if (options.sources.n)
            status = run_live(command, &settings, &options, &grid, &request);
        else
            status = command_fail(command, TUNE_USAGE, "give --src FILE or --from-corpus FILE");
    }
    tune_options_free(groups, n);
    return status;
}

const TuneCommand recommend_command = {
    .name = "recommend",
    .operands = "",
    .summary = "which quality to encode with: of a video, or of a corpus",
    .examples = "  vmaf-tune recommend --src film.mkv --target-vmaf 93 --preset medium,slow\n"
                "  vmaf-tune recommend --from-corpus corpus.jsonl --target-vmaf 93\n"
                "  vmaf-tune recommend --from-corpus corpus.jsonl --target-bitrate 2500 --json\n",
    .run = run,
};
