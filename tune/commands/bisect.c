/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* vmaf-tune bisect: a search on the whole video. */
#include "tune/commands/commands.h"

#include "common/json.h"
#include "tune/session/option_rows.h"
#include "tune/session/output.h"
#include "tune/session/search.h"

#include <math.h>

typedef struct Settings {
    SearchChoice search;
    const char *output;
    int format; /* 0: text, 1: JSON */
} Settings;

#define AT(member) .target = offsetof(Settings, member)

static const TuneOption rows[] = {
    {"target-vmaf", "X", "the score that is to be reached (92; none where --require says what is)",
     NUMBER_AT(search.target, 0, 100)},
    {"encoder", "NAME", "FFmpeg's name of the encoder (libx264)", TEXT_AT(search.encoder),
     .other_name = "codec"},
    {"preset", "NAME", "as in x264, whatever the encoder (medium)", TEXT_AT(search.preset)},
    {"format", NULL, "of the result", CHOICE_AT(format, "text|json")},
    {"output", "FILE", "write the result to a file", TEXT_AT(output), .short_name = 'o',
     .file = TUNE_FILE_TEXT},
};

/* What the answer would take of the whole video, of which it may have seen samples only. */
static int put_expectations(json_t *record, const TuneSource *source,
                            const SessionMeasurer *measurer, const SearchRun *run)
{
    const SearchResult *result = &run->result;
    const bool ok = result->ok && !run->error;
    const double parts = (double)source->frames / (double)measurer_frames(measurer->measurer);
    int err = json_put_number(record, "predicted_size_bytes",
                              ok ? result->best.kbps * 125 * source->seconds : NAN);
    err |= json_put_number(record, "predicted_encode_time_ms",
                           ok ? result->best.encode_ms * parts : NAN);
    return err;
}

static json_t *record_of(const Session *session, const TuneSource *source,
                         const SessionMeasurer *measurer, const SearchPlan *plan,
                         const SearchRun *run)
{
    json_t *record = search_record(plan, run);
    int err = put_expectations(record, source, measurer, run);
    err |= search_put_source(record, source, session->options);
    err |= json_put_text(record, "pool", score_pool_name((ScorePool)session->options->pool));
    err |= json_put_text(record, "vmaf_model", measurer->model);
    err |= json_put_flag(record, "model_calibrated", measurer->is_calibrated);
    err |= json_put_text(record, "clip_mode", measurer->clip_mode);
    return json_unless(err, record);
}

static int print(const Session *session, const Settings *settings, const TuneSource *source,
                 const SessionMeasurer *measurer, const SearchPlan *plan, const SearchRun *run)
{
    TextBuffer text;
    if (settings->format == 1)
        return result_print_json(session->command, settings->output,
                                 record_of(session, source, measurer, plan, run));
    if (text_begin(&text))
        search_print_text(plan, run, source->seconds, text.out);
    return result_print(&text, session->command, settings->output, 0);
}

static int conclude(const Session *session, const SearchPlan *plan, const SearchRun *run)
{
    Message why;
    if (run->result.ok && !run->error)
        return TUNE_OK;
    search_run_explain(run, plan, &why);
    return run->error ? session_fail(session, run->error, why.text)
                      : command_fail(session->command, TUNE_NO_RESULT, "%s", why.text);
}

static int search(Session *session, const TuneSource *source, void *cookie)
{
    const Settings *settings = cookie;
    SessionEncoder encoder;
    SessionMeasurer measurer = {0};
    SearchPlan plan;
    SearchRun run;
    int status = search_find_plan(session, &settings->search, source, &encoder, &plan);
    if (!status)
        status = session_open_measurer(session, source, &measurer);
    if (!status && session->options->dry_run) {
        status = session_print_example(session, measurer.measurer, &plan.spec);
    } else if (!status) {
        search_run(measurer.measurer, &plan, &run);
        status = print(session, settings, source, &measurer, &plan, &run);
        const int end = conclude(session, &plan, &run);
        status = end ? end : status;
        search_run_free(&run);
    }
    session_close_measurer(&measurer);
    return status;
}

static int begin(const TuneCommand *command, SessionOptions *options, void *cookie)
{
    Settings *settings = cookie;
    settings->search.target = session_target(options, settings->search.target, 92);
    return session_run(command, options, settings->search.target, search, settings);
}

static int run_command(const TuneCommand *command, int argc, char **argv)
{
    Settings settings = {.search = search_choice()};
    const OptionGroup groups[] = {
        {"Bisect", rows, sizeof rows / sizeof *rows, &settings},
        search_option_group(&settings.search),
    };
    return session_command(command, argc, argv, groups, 2, begin, &settings);
}

const TuneCommand bisect_command = {
    .name = "bisect",
    .operands = "",
    .summary = "the strongest compression that still reaches a score",
    .examples = "  vmaf-tune bisect --src film.mkv --encoder libsvtav1 --target-vmaf 93\n"
                "  vmaf-tune bisect --src film.mkv --require vmaf.p1>=80 --format json\n",
    .run = run_command,
};
