/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/commands/per_shot/per_shot_command.h"

#include "tune/commands/per_shot/shot_plan.h"
#include "tune/commands/session/search_options.h"
#include "tune/measure/source_shots.h"
#include "tune/rows/json_document.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

typedef struct Settings {
    const char *encoder, *preset;
    double target;
    int objective; /* 0: equal, 1: lagrange */
    /* Shots. */
    double threshold, max_seconds;
    int detector; /* ShotDetectorKind */
    int min_frames, total_frames, bit_depth;
    /* Results. */
    const char *output, *segment_dir, *plan, *script;
    int format; /* 0: JSON, 1: text */
    bool execute, video_only, overwrites;
} Settings;

#define AT(member) .target = offsetof(Settings, member)

static const TuneOption plan_rows[] = {
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
    {.name = "objective",
     .type = TUNE_CHOICE,
     AT(objective),
     .values = "equal|lagrange",
     .help = "every shot reaches the score (equal), or all of them on average, with the fewest "
             "bits"},
};

static const TuneOption shot_rows[] = {
    {.name = "scene-threshold",
     .argument = "X",
     .type = TUNE_NUMBER,
     AT(threshold),
     .lowest = 0,
     .highest = 255,
     .help = "mean difference of luma, of 255, that is a cut (12)"},
    {.name = "detector",
     .type = TUNE_CHOICE,
     AT(detector),
     .values = "diff|hist",
     .help = "hist: also cuts between pictures of similar brightness (diff)"},
    {.name = "min-shot-frames",
     .argument = "N",
     .type = TUNE_INTEGER,
     AT(min_frames),
     .lowest = 1,
     .highest = 1e6,
     .help = "shorter shots join the neighbour that is more like them (24)"},
    {.name = "max-shot-duration",
     .argument = "S",
     .type = TUNE_NUMBER,
     AT(max_seconds),
     .lowest = 0,
     .highest = 1e9,
     .help = "cut longer shots into equal parts (0: none)"},
    {.name = "total-frames",
     .argument = "N",
     .type = TUNE_INTEGER,
     AT(total_frames),
     .lowest = 0,
     .highest = 2147483647,
     .help = "checked against the file"},
    {.name = "bitdepth",
     .argument = "N",
     .type = TUNE_INTEGER,
     AT(bit_depth),
     .lowest = 8,
     .highest = 16,
     .help = "checked against the file (of raw video: --pix-fmt)"},
};

static const TuneOption result_rows[] = {
    {.name = "output",
     .argument = "FILE",
     .file = TUNE_FILE_WRITTEN,
     .type = TUNE_TEXT,
     AT(output),
     .help = "the video (per_shot_encode.mp4)",
     .short_name = 'o'},
    {.name = "overwrite",
     .type = TUNE_FLAG,
     AT(overwrites),
     .help = "outputs replace files of any kind that exist, but never the source"},
    {.name = "execute",
     .type = TUNE_FLAG,
     AT(execute),
     .help = "make the video, and score it against the whole source"},
    {.name = "video-only",
     .type = TUNE_FLAG,
     AT(video_only),
     .help = "leave audio, subtitles and chapters of the source out"},
    {.name = "segment-dir",
     .argument = "FOLDER",
     .type = TUNE_TEXT,
     AT(segment_dir),
     .help =
         "for the encodes of shots: of a script (segments, beside the video), or in a folder of "
         "their own, which goes when they are joined"},
    {.name = "plan-out",
     .argument = "FILE",
     .file = TUNE_FILE_TEXT,
     .type = TUNE_TEXT,
     AT(plan),
     .help = "write the plan to a file as well, as JSON"},
    {.name = "script-out",
     .argument = "FILE",
     .file = TUNE_FILE_TEXT,
     .type = TUNE_TEXT,
     AT(script),
     .help = "write a script for the shell that makes the video"},
    {.name = "format",
     .type = TUNE_CHOICE,
     AT(format),
     .values = "json|text",
     .help = "of what is printed"},
};

/* -- checks -- */

static int check(const Session *session, const Settings *settings, const SearchChoice *choice)
{
    const SessionOptions *options = session->options;
    const TuneCommand *command = session->command;
    if (options->sample_seconds > 0)
        return command_fail(command, TUNE_USAGE, "--sample-clip-seconds: shots are measured whole");
    if (choice->max_percent > 0)
        return command_fail(command, TUNE_USAGE,
                            "--max-encoded-percent is for whole videos, not for shots");
    if (settings->objective == 1 && (options->require.n || options->pool != POOL_MEAN))
        return command_fail(command, TUNE_USAGE,
                            "--objective lagrange is about the mean alone: no --require, --pool");
    return 0;
}

static int check_source(const Session *session, const Settings *settings, const TuneSource *source)
{
    const TuneCommand *command = session->command;
    if (settings->total_frames && (size_t)settings->total_frames != source->frames)
        return command_fail(command, TUNE_USAGE, "%s: --total-frames %d, but there are %zu",
                            source->path, settings->total_frames, source->frames);
    if (settings->bit_depth && settings->bit_depth != (int)source->format.bit_depth)
        return command_fail(command, TUNE_USAGE, "%s: --bitdepth %d, but it has %u%s", source->path,
                            settings->bit_depth, source->format.bit_depth,
                            source->is_raw ? " (give --pix-fmt, such as yuv420p10le)" : "");
    return 0;
}

/* -- results -- */

static int print_record(const ShotTuning *tuning, const ShotPaths *paths,
                        const ShotCommands *commands, const ShotComparison *made, FILE *out)
{
    json_t *record = shot_plan_record(tuning, paths, commands, made);
    const int err = record ? json_document_print(record, 2, out) : -ENOMEM;
    fputc('\n', out);
    json_decref(record);
    return err;
}

static int write_plan(const ShotTuning *tuning, const ShotPaths *paths,
                      const ShotCommands *commands, const ShotComparison *made, bool is_text,
                      const char *path)
{
    const TuneCommand *command = tuning->session->command;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    int err = out ? 0 : -ENOMEM;
    if (out && is_text)
        shot_plan_print(tuning, made, out);
    else if (out)
        err = print_record(tuning, paths, commands, made, out);
    const int status = !out || fclose(out) || err
                           ? command_fail(command, TUNE_NO_RESULT, "out of memory")
                           : command_print(command, path, text);
    free(text);
    return status;
}

static int write_script(const ShotTuning *tuning, const ShotPaths *paths,
                        const ShotCommands *commands, const char *path)
{
    char *text = shot_script(commands, paths);
    const int status = text ? command_print(tuning->session->command, path, text)
                            : session_fail(tuning->session, -ENOMEM, "out of memory");
    free(text);
    return status;
}

/* What people should know, whatever the format. */
static void warn(const ShotTuning *tuning, const ShotComparison *made, const char *output)
{
    const double far = 1;
    const ShotTotals totals = shot_totals(tuning);
    Progress *progress = tuning->session->progress;
    if (tuning->is_lagrange && totals.missed)
        progress_say(progress, "vmaf-tune: the target is out of reach: the mean is %.3f",
                     totals.vmaf);
    else if (totals.missed)
        progress_say(progress, "vmaf-tune: %zu of %zu shots do not reach the target", totals.missed,
                     tuning->n);
    if (made && fabs(made->shots.vmaf - totals.vmaf) > far)
        progress_say(progress,
                     "vmaf-tune: the whole video has VMAF %.3f, and its shots promised %.3f",
                     made->shots.vmaf, totals.vmaf);
    if (made && made->single_is_kept)
        progress_say(progress,
                     "vmaf-tune: the plan does not pay: %.1f kbit/s for VMAF %.3f, and a single %s "
                     "%d has %.3f with %.1f; that is what %s is",
                     made->shots.kbps, made->shots.vmaf, tuning->plan.spec.encoder->knob_name,
                     tuned_shot_chosen(&made->single)->spec.q, made->result->vmaf,
                     made->result->kbps, output);
}

/* The files of a plan: they make the video that is kept. */
static int write_files(const ShotTuning *tuning, const Settings *settings, const ShotPaths *paths,
                       const ShotCommands *commands, const ShotComparison *made)
{
    int status = 0;
    if (settings->plan)
        status = write_plan(tuning, paths, commands, made, false, settings->plan);
    if (!status && settings->script)
        status = write_script(tuning, paths, commands, settings->script);
    return status;
}

static int conclude(ShotTuning *tuning, const Settings *settings, const ShotPaths *paths,
                    const ShotCommands *commands)
{
    ShotComparison comparison = {.is_compared = false};
    const ShotComparison *made = NULL;
    int status = write_files(tuning, settings, paths, commands, NULL);
    if (!status && settings->execute) {
        status = shot_comparison_make(tuning, paths, commands, settings->video_only, &comparison);
        made = &comparison;
        if (comparison.single_is_kept)
            commands = &comparison.commands;
        if (!status)
            status = write_files(tuning, settings, paths, commands, made);
    }
    if (!status)
        status = write_plan(tuning, paths, commands, made, settings->format == 1, NULL);
    if (!status)
        warn(tuning, made, settings->output);
    shot_comparison_free(&comparison);
    return status;
}

static void print_commands(const ShotCommands *commands)
{
    for (size_t i = 0; i <= commands->n_segments; i++) {
        char *line = arguments_shell_line(i < commands->n_segments ? &commands->segments[i]
                                                                   : &commands->join);
        if (line)
            printf("%s\n", line);
        free(line);
    }
}

/* -- the work -- */

static int make_plan(ShotTuning *tuning, const Settings *settings, const ShotPaths *paths)
{
    ShotCommands commands = {0};
    SessionMeasurer measurer = {0};
    Message why;
    const bool is_dry = tuning->session->options->dry_run;
    int status = is_dry ? shot_tuning_measurer(tuning, &tuning->shots[0], &measurer)
                        : shot_tuning_run(tuning);
    session_close_measurer(&measurer);
    if (status)
        return status;
    const int err = shot_commands_make(&commands, tuning, paths, settings->video_only, &why);
    if (err)
        status = session_fail(tuning->session, err, why.text);
    else if (is_dry)
        print_commands(&commands);
    else
        status = conclude(tuning, settings, paths, &commands);
    shot_commands_free(&commands);
    return status;
}

static int find_shots(ShotTuning *tuning, const Settings *settings)
{
    const ShotScan scan = {
        .kind = (ShotDetectorKind)settings->detector,
        .threshold = settings->threshold,
        .min_frames = (size_t)settings->min_frames,
        .joins_short = true,
        .max_seconds = settings->max_seconds,
        .stop = session_interrupt(),
        .progress = tuning->session->progress,
    };
    Shot *shots;
    size_t n;
    Message why;
    const int err = shot_scan(tuning->source, &scan, &shots, &n, &why);
    const int status =
        err ? session_fail(tuning->session, err, why.text) : shot_tuning_set(tuning, shots, n);
    free(shots);
    return status;
}

static int tune(Session *session, const Settings *settings, const SearchChoice *choice,
                const TuneSource *source)
{
    SessionEncoder encoder;
    ShotPaths paths = {0};
    ShotTuning tuning = {
        .session = session, .source = source, .is_lagrange = settings->objective == 1};
    int status = session_find_encoder(session, settings->encoder, &encoder);
    if (!status)
        status =
            search_make_plan(session, choice, source, &encoder, settings->preset, &tuning.plan);
    if (!status && settings->execute)
        status = shot_check_output(&tuning, settings->output, settings->overwrites);
    if (!status && settings->execute)
        status = session_check_streams(session, source, encoder.encoder->name, settings->output,
                                       settings->video_only);
    if (!status && shot_paths_make(&paths, settings->output, settings->segment_dir))
        status = session_fail(session, -ENOMEM, "out of memory");
    if (!status)
        status = find_shots(&tuning, settings);
    if (!status)
        status = make_plan(&tuning, settings, &paths);
    shot_tuning_free(&tuning);
    shot_paths_free(&paths);
    return status;
}

static int run_session(Session *session, const Settings *settings, const SearchChoice *choice)
{
    TuneSource source = {0};
    int status = check(session, settings, choice);
    if (!status)
        status = session_only_source(session, &source);
    if (!status)
        status = check_source(session, settings, &source);
    if (!status)
        status = tune(session, settings, choice, &source);
    source_close(&source);
    return status;
}

static int run_command(const TuneCommand *command, int argc, char **argv)
{
    Settings settings = {
        .encoder = "libx264",
        .target = NAN,
        .threshold = SHOT_DEFAULT_THRESHOLD,
        .min_frames = SHOT_ENCODED_MIN_FRAMES,
        .output = "per_shot_encode.mp4",
    };
    SessionOptions options = session_options();
    SearchChoice choice = search_choice();
    OptionGroup groups[4 + SESSION_GROUPS] = {
        {"The plan", plan_rows, sizeof plan_rows / sizeof *plan_rows, &settings},
        {"Shots", shot_rows, sizeof shot_rows / sizeof *shot_rows, &settings},
        {"Results", result_rows, sizeof result_rows / sizeof *result_rows, &settings},
        search_option_group(&choice),
    };
    const size_t n = sizeof groups / sizeof *groups;
    session_option_groups(&options, groups + 4);
    int status;
    Session session = {0};
    if (command_parse_options(command, groups, n, argc, argv, &status)) {
        settings.target = session_target(&options, settings.target, 92);
        status = session_open(&session, command, &options, settings.target);
        if (!status)
            status = run_session(&session, &settings, &choice);
        session_close(&session);
    }
    tune_options_free(groups, n);
    return status;
}

const TuneCommand per_shot_command = {
    .name = "tune-per-shot",
    .other_name = "per-shot",
    .operands = "",
    .summary = "the quality of each shot, and a video of them",
    .examples = "  vmaf-tune tune-per-shot --src film.mkv --target-vmaf 93 --plan-out plan.json\n"
                "  vmaf-tune per-shot --src film.mkv --objective lagrange --execute -o out.mkv\n",
    .run = run_command,
};
