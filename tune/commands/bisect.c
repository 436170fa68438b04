/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/commands/commands.h"

#include "tune/rows/json_document.h"
#include "tune/session/search.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

typedef struct Settings {
    const char *encoder, *preset, *output;
    double target;
    int format; /* 0: text, 1: JSON */
} Settings;

#define AT(member) .target = offsetof(Settings, member)

static const TuneOption rows[] = {
    {.name = "target-vmaf",
     .argument = "X",
     .type = TUNE_NUMBER,
     AT(target),
     .highest = 100,
     .help = "the score that is to be reached (92; none where --require says what is)"},
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
    {.name = "format",
     .type = TUNE_CHOICE,
     AT(format),
     .values = "text|json",
     .help = "of the result"},
    {.name = "output",
     .argument = "FILE",
     .file = TUNE_FILE_TEXT,
     .type = TUNE_TEXT,
     AT(output),
     .short_name = 'o',
     .help = "write the result to a file"},
};

/* What the answer would take of the whole video, of which it may have seen samples only. */
static int put_expectations(json_t *record, const TuneSource *source,
                            const SessionMeasurer *measurer, const SearchRun *run)
{
    const SearchResult *result = &run->result;
    const bool ok = result->ok && !run->error;
    const double parts = (double)source->frames / (double)measurer_frames(measurer->measurer);
    int err = json_put(record, "predicted_size_bytes",
                       json_number_or_null(ok ? result->best.kbps * 125 * source->seconds : NAN));
    err |= json_put(record, "predicted_encode_time_ms",
                    json_number_or_null(ok ? result->best.encode_ms * parts : NAN));
    return err;
}

static int print(const Session *session, const Settings *settings, const TuneSource *source,
                 const SessionMeasurer *measurer, const SearchPlan *plan, const SearchRun *run)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    int err = out ? 0 : -ENOMEM;
    if (out && settings->format == 1) {
        json_t *record = search_record(plan, run);
        err = record ? 0 : -ENOMEM;
        err |= put_expectations(record, source, measurer, run);
        err |= search_put_source(record, source, session->options);
        err |= json_put(record, "pool",
                        json_text_or_null(score_pool_name((ScorePool)session->options->pool)));
        err |= json_put(record, "vmaf_model", json_text_or_null(measurer->model));
        err |= json_put(record, "model_calibrated", json_boolean(measurer->is_calibrated));
        err |= json_put(record, "clip_mode", json_text_or_null(measurer->clip_mode));
        if (!err)
            err = json_document_print(record, 2, out);
        fputc('\n', out);
        json_decref(record);
    } else if (out) {
        search_print_text(plan, run, source->seconds, out);
    }
    const int status = !out || fclose(out) || err
                           ? command_fail(session->command, TUNE_NO_RESULT, "out of memory")
                           : command_print(session->command, settings->output, text);
    free(text);
    return status;
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

static int search(Session *session, const Settings *settings, const SearchChoice *choice,
                  const TuneSource *source)
{
    SessionEncoder encoder;
    SessionMeasurer measurer = {0};
    SearchPlan plan;
    SearchRun run;
    int status = session_find_encoder(session, settings->encoder, &encoder);
    if (!status)
        status = search_make_plan(session, choice, source, &encoder, settings->preset, &plan);
    if (!status)
        status = session_open_measurer(session, source, &measurer);
    if (!status && session->options->dry_run) {
        status = dry_run(session, measurer.measurer, &plan);
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

static int run_command(const TuneCommand *command, int argc, char **argv)
{
    Settings settings = {.encoder = "libx264", .target = NAN};
    SessionOptions options = session_options();
    SearchChoice choice = search_choice();
    OptionGroup groups[2 + SESSION_GROUPS] = {
        {"Bisect", rows, sizeof rows / sizeof *rows, &settings},
        search_option_group(&choice),
    };
    const size_t n = sizeof groups / sizeof *groups;
    session_option_groups(&options, groups + 2);
    int status;
    Session session = {0};
    TuneSource source = {0};
    if (command_parse_options(command, groups, n, argc, argv, &status)) {
        settings.target = session_target(&options, settings.target, 92);
        status = session_open(&session, command, &options, settings.target);
        if (!status)
            status = session_only_source(&session, &source);
        if (!status)
            status = search(&session, &settings, &choice, &source);
        source_close(&source);
        session_close(&session);
    }
    tune_options_free(groups, n);
    return status;
}

const TuneCommand bisect_command = {
    .name = "bisect",
    .operands = "",
    .summary = "the strongest compression that still reaches a score",
    .examples = "  vmaf-tune bisect --src film.mkv --encoder libsvtav1 --target-vmaf 93\n"
                "  vmaf-tune bisect --src film.mkv --require vmaf.p1>=80 --format json\n",
    .run = run_command,
};
