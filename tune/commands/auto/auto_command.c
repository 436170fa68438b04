/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/commands/auto/auto_command.h"

#include "tune/commands/auto/auto_run.h"
#include "tune/rows/json_document.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define AT(member) .target = offsetof(AutoSettings, member)

static const TuneOption rows[] = {
    {.name = "target-vmaf",
     .argument = "X",
     .type = TUNE_NUMBER,
     AT(target),
     .highest = 100,
     .help = "the score that is to be reached (93, beside --require as well)"},
    {.name = "max-budget-bitrate",
     .argument = "KBPS",
     .type = TUNE_NUMBER,
     AT(budget),
     .lowest = 1,
     .highest = 1e9,
     .help = "what it should not exceed (8000)"},
    {.name = "allow-codecs",
     .argument = "NAMES",
     .type = TUNE_NAMES,
     AT(codecs),
     .help = "encoders to choose from (libx264)"},
    {.name = "codec",
     .argument = "NAME",
     .type = TUNE_TEXT,
     AT(codec),
     .help = "this encoder and no other",
     .other_name = "encoder"},
    {.name = "preset",
     .argument = "NAME",
     .type = TUNE_TEXT,
     AT(preset),
     .help = "as in x264, whatever the encoder (medium)"},
    {.name = "rungs",
     .argument = "HEIGHTS",
     .type = TUNE_INTEGERS,
     AT(heights),
     .lowest = 16,
     .highest = 32768,
     .help = "heights to choose from (the source's; of 2160 lines and more also 1440, 1080, 720, "
             "540)"},
    {.name = "content-class",
     .type = TUNE_CHOICE,
     AT(content),
     .values = "default|animation|screen_content|live_action_hdr|ugc",
     .help = "what the video shows"},
    {.name = "uncertainty-sidecar",
     .argument = "FILE",
     .file = TUNE_FILE_READ,
     .type = TUNE_TEXT,
     AT(sidecar),
     .help = "how far estimates were off before (JSON)"},
    {.name = "plan-only",
     .type = TUNE_FLAG,
     AT(is_plan_only),
     .help = "guess from the size of the video; encode nothing"},
    {.name = "smoke",
     .type = TUNE_FLAG,
     AT(smoke),
     .help = "a self-test: the plan for 1920x1080, no video"},
    {.name = "execute",
     .type = TUNE_FLAG,
     AT(executes),
     .help = "encode the winner, and measure it"},
    {.name = "execute-all", .type = TUNE_FLAG, AT(executes_all), .help = "encode all cells"},
    {.name = "runs-dir",
     .argument = "FOLDER",
     .type = TUNE_TEXT,
     AT(runs_dir),
     .help = "for these encodes and tune_results.jsonl (runs)"},
    {.name = "video-only",
     .type = TUNE_FLAG,
     AT(video_only),
     .help = "these encodes have no audio, subtitles and chapters"},
    {.name = "output",
     .argument = "FILE",
     .file = TUNE_FILE_TEXT,
     .type = TUNE_TEXT,
     AT(output),
     .short_name = 'o',
     .help = "write the result to a file"},
};

/* -- the result -- */

static int print(const TuneCommand *command, const AutoRun *run)
{
    json_t *record = auto_record(run);
    char *text = NULL;
    size_t size;
    FILE *out = record ? open_memstream(&text, &size) : NULL;
    int err = out ? json_document_print(record, 2, out) : -ENOMEM;
    if (out)
        fputc('\n', out);
    if (out && fclose(out))
        err = -ENOMEM;
    const int status = err ? command_fail(command, TUNE_NO_RESULT, "out of memory")
                           : command_print(command, run->settings->output, text);
    free(text);
    json_decref(record);
    return status;
}

static int status_of(const TuneCommand *command, const AutoRun *run)
{
    if (run->winner.status == WINNER_NONE)
        return command_fail(command, TUNE_NO_RESULT, "there is no estimate of any cell%s%s",
                            run->n_cells ? ": " : "", run->n_cells ? run->cells[0].error.text : "");
    if (run->winner.status == WINNER_UNMET)
        return command_fail(command, TUNE_NO_RESULT, "nothing reaches VMAF %g",
                            run->settings->target);
    return TUNE_OK;
}

/* -- plans -- */

static int guess_all(const TuneCommand *command, const EncoderTable *encoders, AutoRun *run)
{
    for (size_t i = 0; i < run->n_cells; i++) {
        AutoCell *cell = &run->cells[i];
        Message why;
        const Encoder *encoder = encoder_find(encoders, cell->codec, &why);
        if (!encoder)
            return command_fail(command, TUNE_USAGE, "%s", why.text);
        if (encoder->knob.higher_is_better)
            message_set(&cell->error, 0, "there is no model of it");
        else
            cell_guess(cell, encoder->knob.lowest, encoder->knob.highest, encoder->probe_q,
                       encoder->default_q, run->target);
    }
    auto_judge(run);
    return 0;
}

static int lay_out(const TuneCommand *command, AutoRun *run)
{
    run->target = run->settings->target + run->recipe->target_offset;
    return auto_lay_out(run) ? command_fail(command, TUNE_NO_RESULT, "out of memory") : 0;
}

static int run_smoke(const TuneCommand *command, AutoRun *run)
{
    EncoderTable encoders;
    Message why;
    run->size = (Rung){1920, 1080};
    run->fps = 24;
    if (encoder_table_open(&encoders, NULL, &why))
        return command_fail(command, TUNE_USAGE, "%s", why.text);
    int status = lay_out(command, run);
    if (!status)
        status = guess_all(command, &encoders, run);
    auto_choose(run);
    if (!status)
        status = print(command, run);
    if (!status)
        status = status_of(command, run);
    encoder_table_close(&encoders);
    return status;
}

/* -- the work -- */

static void describe(AutoRun *run, const TuneSource *source, const SessionOptions *options)
{
    run->source = source;
    run->size = (Rung){(int)source->format.width, (int)source->format.height};
    run->fps = (double)source->rate.numerator / source->rate.denominator;
    run->seconds = source->seconds;
    run->is_two_pass = options->two_pass;
    run->is_hdr =
        !options->force_sdr &&
        (options->force_pq || options->force_hlg ||
         (!strcmp(source->primaries, "bt2020") &&
          (!strcmp(source->transfer, "smpte2084") || !strcmp(source->transfer, "arib-std-b67"))));
    if (run->is_hdr && run->settings->content == CONTENT_DEFAULT)
        run->recipe = recipe_of(CONTENT_HDR);
}

static int check_heights(const Session *session, const AutoRun *run)
{
    for (size_t i = 0; i < run->settings->heights.n; i++)
        if (run->settings->heights.value[i] > run->size.height ||
            (run->settings->heights.value[i] % 2 &&
             run->settings->heights.value[i] != run->size.height))
            return command_fail(session->command, TUNE_USAGE,
                                "--rungs %d: heights are even, and %d at most",
                                run->settings->heights.value[i], run->size.height);
    return 0;
}

static int estimate(Session *session, AutoRun *run)
{
    Samples samples = {0};
    if (run->settings->is_plan_only)
        return guess_all(session->command, &session->encoders, run);
    int status = samples_choose(session, &run->sample, run->source, &samples);
    if (!status)
        status = auto_probe(session, run, &samples);
    samples_free(&samples);
    return status;
}

static int work(Session *session, AutoRun *run)
{
    const AutoSettings *settings = run->settings;
    int status = check_heights(session, run);
    if (!status)
        status = lay_out(session->command, run);
    const bool executes = settings->executes || settings->executes_all;
    if (!status && executes) /* FFmpeg always has FFV1: of encodes only the container is known */
        status = session_check_streams(session, run->source, "ffv1", "the encode.mkv",
                                       settings->video_only);
    if (!status)
        status = estimate(session, run);
    if (status)
        return status;
    auto_choose(run);
    int executed = 0;
    if (executes && run->winner.status != WINNER_NONE)
        executed = auto_execute(session, run);
    status = print(session->command, run);
    if (executed)
        return executed;
    return status ? status : status_of(session->command, run);
}

static int run_session(const TuneCommand *command, const SessionOptions *options, AutoRun *run)
{
    Session session = {0};
    TuneSource source = {0};
    int status = session_open(&session, command, options, run->settings->target);
    if (!status && options->dry_run)
        status = command_fail(command, TUNE_USAGE, "--dry-run is --plan-only here");
    if (!status)
        status = session_only_source(&session, &source);
    if (!status) {
        describe(run, &source, options);
        status = work(&session, run);
    }
    source_close(&source);
    session_close(&session);
    return status;
}

static int load_uncertainty(const TuneCommand *command, AutoRun *run)
{
    Message why;
    uncertainty_init(&run->uncertainty);
    if (run->settings->sidecar && uncertainty_load(&run->uncertainty, run->settings->sidecar, &why))
        return command_fail(command, TUNE_USAGE, "%s", why.text);
    return 0;
}

static int run_command(const TuneCommand *command, int argc, char **argv)
{
    AutoSettings settings = {.target = 93, .budget = 8000, .runs_dir = "runs"};
    SessionOptions options = session_options();
    AutoRun run = {.settings = &settings, .sample = sample_choice()};
    OptionGroup groups[2 + SESSION_GROUPS] = {
        {"Auto", rows, sizeof rows / sizeof *rows, &settings},
        sample_option_group(&run.sample),
    };
    const size_t n = sizeof groups / sizeof *groups;
    session_option_groups(&options, groups + 2);
    int status;
    if (command_parse_options(command, groups, n, argc, argv, &status)) {
        run.recipe = recipe_of((ContentClass)settings.content);
        status = load_uncertainty(command, &run);
        if (!status && settings.is_plan_only && (settings.executes || settings.executes_all))
            status = command_fail(command, TUNE_USAGE, "--plan-only excludes --execute");
        if (!status)
            status =
                settings.smoke ? run_smoke(command, &run) : run_session(command, &options, &run);
    }
    free(run.cells);
    json_decref(run.executed);
    tune_options_free(groups, n);
    return status;
}

const TuneCommand auto_command = {
    .name = "auto",
    .operands = "",
    .summary = "the size, encoder and quality that reach a score most cheaply",
    .examples = "  vmaf-tune auto --src film.mkv --allow-codecs libx265,libsvtav1 --execute\n"
                "  vmaf-tune auto --src film.mkv --rungs 1080,720 --max-budget-bitrate 3000\n",
    .run = run_command,
};
