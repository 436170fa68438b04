/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/plan/per_shot_internal.h"

#include "platform/machine.h"
#include "platform/path.h"
#include "tune/command/commands.h"
#include "tune/command/report.h"
#include "tune/options/options.h"
#include "tune/options/output.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* More of them cost encoders quality. */
enum { MOST_THREADS = 16 };

#define AT(member) .target = offsetof(ShotSettings, member)

static const TuneOption plan_rows[] = {
    {"target-vmaf", "X",
     "the score that is to be reached (95; tune-per-shot: 92; none where --require says what is)",
     NUMBER_AT(search.target, 0, 100), .other_name = "min-vmaf"},
    {"target", "GOAL",
     "METRIC=VALUE or METRIC.POOL=VALUE, such as ssimulacra2=70; all have to hold",
     TEXTS_AT(targets)},
    {"encoder", "NAME", "FFmpeg's name of the encoder (libx264)", TEXT_AT(search.encoder),
     .other_name = "codec", .has_settings = true},
    {"preset", "NAME", "the encoder's own, or as in x264 (medium)", TEXT_AT(search.preset)},
    {"objective", NULL,
     "all shots reach the goal together with the fewest bits (lagrange), or each of them does "
     "(equal; the default with --require, or pools other than the mean)",
     CHOICE_AT(objective, "equal|lagrange")},
    {"shot-floor", "D", "lagrange: no shot's mean is more than this below that of all (10)",
     NUMBER_AT(floor, 0, 100)},
};

static const TuneOption shot_rows[] = {
    {"scene-threshold", "X",
     "what is a cut: 100 less the correlation in percent (30); of the other detectors: mean "
     "difference of luma, of 255 (12)",
     NUMBER_AT(shots.threshold, 0, 255)},
    {"detector", NULL,
     "where pictures are replaced, whatever moves or flashes (content); where luma changes "
     "(diff); also where histograms do (hist)",
     CHOICE_AT(shots.kind, "diff|hist|content")},
    {"min-shot-frames", "N", "shorter shots join the neighbour that is more like them (24)",
     INTEGER_AT(min_frames, 1, 1e6)},
    {"max-shot-duration", "S", "cut longer shots into equal parts (0: none)",
     NUMBER_AT(max_seconds, 0, 1e9)},
    {"total-frames", "N", "checked against the file", INTEGER_AT(total_frames, 0, 2147483647)},
    {"bitdepth", "N", "checked against the file (of raw video: --pix-fmt)",
     INTEGER_AT(bit_depth, 8, 16)},
};

static const TuneOption result_rows[] = {
    {"output", "FILE", "the video (tune-per-shot: per_shot_encode.mp4, with --execute)",
     TEXT_AT(output), .short_name = 'o', .file = TUNE_FILE_WRITTEN},
    {"overwrite", NULL, "outputs replace files of any kind that exist, but never the source",
     FLAG_AT(overwrites)},
    {"execute", NULL, "make the video, and score it against the whole source (shots: with -o)",
     FLAG_AT(execute)},
    {"no-comparison", NULL, "do not look for a single quality that is as good with no more bits",
     FLAG_OFF_AT(compares)},
    {"video-only", NULL, "leave audio, subtitles and chapters of the source out",
     FLAG_AT(video_only)},
    {"segment-dir", "FOLDER",
     "for the encodes of shots: of a script (segments, beside the video), or in a folder of "
     "their own, which goes when they are joined",
     TEXT_AT(segment_dir)},
    {"report", "FILE", "write the plan to a .json, .csv, .md or .html as well", TEXT_AT(plan),
     .other_name = "plan-out", .file = TUNE_FILE_TEXT},
    {"script-out", "FILE", "write a script for the shell that makes the video", TEXT_AT(script),
     .file = TUNE_FILE_TEXT},
    {"zones", "FILE",
     "write ffmpeg's options for one encode with zones for the shots, after it was made and "
     "scored; with --execute that is the video",
     TEXT_AT(zones), .other_name = "write-zones", .file = TUNE_FILE_TEXT},
    {"format", NULL, "of what is printed", CHOICE_AT(format, "json|text")},
    {"json", NULL, "the same as --format json", CHOSEN_AT(format, 0)},
};

/* -- checks -- */

static int check_source(const ShotTuning *tuning)
{
    const TuneCommand *command = tuning->session->command;
    const ShotSettings *settings = tuning->settings;
    const TuneSource *source = tuning->source;
    if (settings->total_frames && (size_t)settings->total_frames != source->frames)
        return command_fail(command, TUNE_USAGE, "%s: --total-frames %d, but there are %zu",
                            source->path, settings->total_frames, source->frames);
    if (settings->bit_depth && settings->bit_depth != (int)source->format.bit_depth)
        return command_fail(command, TUNE_USAGE, "%s: --bitdepth %d, but it has %u%s", source->path,
                            settings->bit_depth, source->format.bit_depth,
                            source->is_raw ? " (give --pix-fmt, such as yuv420p10le)" : "");
    return 0;
}

/* Slopes are of a mean: the first that has a target, else that of VMAF, as far as the conditions
 * need it. */
static int find_objective(ShotTuning *tuning)
{
    const TuneGates *gates = &tuning->session->gates;
    const int said = tuning->settings->objective;
    bool are_means = !tuning->session->options->require.n;
    size_t first_mean = 0;
    for (size_t i = gates->n; i-- > 0;) {
        if (isnan(gates->gate[i].target))
            continue;
        if (gates->gate[i].pool == POOL_MEAN)
            first_mean = i;
        else
            are_means = false;
    }
    tuning->is_lagrange = said < 0 ? are_means : said == 1;
    tuning->goal = tuning->is_lagrange ? first_mean : 0;
    if (tuning->is_lagrange && gates->gate[tuning->goal].pool != POOL_MEAN)
        return command_fail(tuning->session->command, TUNE_USAGE,
                            "--objective lagrange spends bits by a mean: --target METRIC=VALUE, or "
                            "no --pool");
    return 0;
}

static int check_output(const ShotTuning *tuning)
{
    const TuneCommand *command = tuning->session->command;
    const char *output = tuning->settings->output;
    if (!tuning->settings->execute)
        return 0;
    if (!command_check_output(command, output))
        return TUNE_USAGE;
    if (!strrchr(vmaf_path_name(output), '.'))
        return command_fail(command, TUNE_USAGE, "%s has no extension that would tell its format",
                            output);
    if (!command_check_video(command, tuning->source->path, output, tuning->settings->overwrites))
        return TUNE_USAGE;
    return session_check_streams(tuning->session, tuning->source, tuning->plan.spec.encoder->name,
                                 output, tuning->settings->video_only);
}

/* -- results -- */

/* Takes the text over. */
static int write_text(const ShotTuning *tuning, const char *path, char *text)
{
    const int status = text ? command_print(tuning->session->command, path, text)
                            : session_fail(tuning->session, -ENOMEM, "out of memory");
    free(text);
    return status;
}

/* The files of a plan, which make the video that is kept; and, in the end, what is printed. */
static int write_all(const ShotTuning *tuning, const ShotMade *made, bool is_end)
{
    const ShotSettings *settings = tuning->settings;
    const TuneCommand *command = tuning->session->command;
    const bool prints_json = is_end && !settings->format;
    ShotCommands commands;
    int status = shot_commands_make(tuning, made, &commands);
    if (!status && settings->plan)
        status =
            report_file_write(command, settings->plan, shot_plan_record(tuning, &commands, made));
    if (!status && settings->script)
        status = write_text(tuning, settings->script, shot_script(tuning, &commands));
    if (!status && made && settings->zones)
        status = write_text(tuning, settings->zones, shot_zones_arguments(tuning, made));
    if (!status && prints_json)
        status = report_file_write(command, NULL, shot_plan_record(tuning, &commands, made));
    else if (!status && is_end)
        status = write_text(tuning, NULL, shot_plan_text(tuning, made));
    shot_commands_free(&commands);
    return status;
}

/* What people should know, whatever the format. */
static void warn(const ShotTuning *tuning, const ShotMade *made)
{
    const double expected = shot_mean(&tuning->expected, "vmaf");
    const double vmaf = made ? shot_mean(made->shots, "vmaf") : expected;
    const char *quality_name = tuning->plan.spec.encoder->quality_name;
    const size_t missed = shots_missed(tuning);
    Progress *progress = tuning->session->progress;
    if (tuning->is_lagrange && missed)
        progress_print(progress, "vmaf-tune: the target is out of reach: the mean is %.3f",
                       shot_mean(&tuning->expected, tuning->plan.gates.gate[tuning->goal].name));
    else if (missed)
        progress_print(progress, "vmaf-tune: the target is missed by %zu of %zu shot%s", missed,
                       tuning->n, tuning->n == 1 ? "" : "s");
    if (fabs(vmaf - expected) > 1)
        progress_print(progress,
                       "vmaf-tune: the whole video has VMAF %.3f, and its shots promised %.3f",
                       vmaf, expected);
    if (made && made->single_is_kept)
        progress_print(progress,
                       "vmaf-tune: the plan %s: %.1f kbit/s for VMAF %.3f, and a single %s %g has "
                       "%.3f with %.1f; that is kept",
                       made->misses ? "misses the target" : "does not pay", made->shots->kbps, vmaf,
                       quality_name, made->result->spec.q, shot_mean(made->result, "vmaf"),
                       made->result->kbps);
    else if (made && made->misses && !missed)
        progress_print(progress,
                       "vmaf-tune: the whole video misses the target, and so does any single %s",
                       quality_name);
}

static int conclude(ShotTuning *tuning)
{
    const bool makes = tuning->settings->execute || tuning->settings->zones;
    ShotMade made = {.n_videos = 0};
    int status = write_all(tuning, NULL, !makes);
    if (!status && makes) {
        status = shot_deliver(tuning, &made);
        if (!status)
            status = write_all(tuning, &made, true);
    }
    if (!status)
        warn(tuning, makes ? &made : NULL);
    shot_made_free(&made);
    return status;
}

static int print_commands(const ShotTuning *tuning)
{
    ShotCommands commands;
    const int status = shot_commands_make(tuning, NULL, &commands);
    for (size_t i = 0; i < commands.n && !status; i++) {
        char *line = arguments_line(&commands.items[i], " ", QUOTES_WHERE_NEEDED);
        if (line)
            printf("%s\n", line);
        free(line);
    }
    shot_commands_free(&commands);
    return status;
}

/* -- the work -- */

static int find_shots(ShotTuning *tuning)
{
    const ShotSettings *settings = tuning->settings;
    const TuneSource *source = tuning->source;
    ShotOptions options = settings->shots;
    SourceShots found;
    Message why;
    options.join_below = (size_t)settings->min_frames;
    options.min_frames = settings->min_frames < SHOT_DEFAULT_MIN_FRAMES ? options.join_below
                                                                        : SHOT_DEFAULT_MIN_FRAMES;
    options.max_frames = settings->max_seconds * source->rate.numerator / source->rate.denominator;
    int err = source_shots_find(source, &options, session_interrupt, tuning->session->progress,
                                &found, &why);
    tuning->shots = err ? NULL : calloc(found.n, sizeof(*tuning->shots));
    if (!err && !tuning->shots)
        err = message_set(&why, -ENOMEM, "out of memory");
    for (tuning->n = 0; !err && tuning->n < found.n; tuning->n++)
        tuning->shots[tuning->n].shot = found.shots[tuning->n];
    source_shots_free(&found);
    return err ? session_fail(tuning->session, err, why.text) : 0;
}

/* How everything is measured; shots share the processors. */
static int open_measurer(ShotTuning *tuning)
{
    const ShotSettings *settings = tuning->settings;
    const int length = (int)(vmaf_path_name(settings->output) - settings->output);
    const MeasuredPart all = {0};
    const int status = session_open_measurer(tuning->session, tuning->source, &all, &tuning->whole);
    if (status)
        return status;
    tuning->options = *measurer_options(tuning->whole.measurer);
    tuning->options.encode.threads = settings->threads;
    tuning->options.jobs = settings->workers;
    if ((settings->segment_dir
             ? asprintf(&tuning->folder, "%s", settings->segment_dir)
             : asprintf(&tuning->folder, "%.*ssegments", length, settings->output)) >= 0)
        return 0;
    tuning->folder = NULL;
    return session_fail(tuning->session, -ENOMEM, "out of memory");
}

static int tune(Session *session, const TuneSource *source, void *cookie)
{
    const ShotSettings *settings = cookie;
    SessionEncoder encoder;
    ShotTuning tuning = {.session = session, .source = source, .settings = settings};
    int status = find_objective(&tuning);
    if (!status)
        status = check_source(&tuning);
    if (!status)
        status = search_find_plan(session, &settings->search, source, &encoder, &tuning.plan);
    if (!status && settings->zones)
        status = shot_zones_check(&tuning);
    if (!status)
        status = check_output(&tuning);
    if (!status)
        status = find_shots(&tuning);
    if (!status)
        status = open_measurer(&tuning);
    if (!status && session->options->dry_run) {
        status = print_commands(&tuning);
    } else if (!status) {
        progress_print(session->progress, "%zu at a time; each encoder has %d thread%s",
                       shot_workers(&tuning), settings->threads, settings->threads == 1 ? "" : "s");
        status = shot_tuning_run(&tuning);
        if (!status)
            status = conclude(&tuning);
    }
    shot_tuning_free(&tuning);
    return status;
}

/* One number of threads for the encodes of all shots, since it changes their bits; those of the
 * whole video have none beside them. */
static void share_threads(ShotSettings *settings, SessionOptions *options)
{
    const int processors = (int)vmaf_processors_usable(), share = processors / options->jobs;
    const int said = options->ffmpeg_threads;
    settings->workers = options->jobs;
    settings->threads = said ? said : share < 1 ? 1 : share;
    if (!said)
        options->ffmpeg_threads = processors < MOST_THREADS ? processors : MOST_THREADS;
    const int most = processors / options->ffmpeg_threads;
    options->jobs = most < 1 ? 1 : most < options->jobs ? most : options->jobs;
}

/* The older name makes a plan, as JSON, unless it is asked for more. */
static bool is_planner(const TuneCommand *command)
{
    return strcmp(command->name, "shots") != 0;
}

static int begin(const TuneCommand *command, SessionOptions *options, void *cookie)
{
    ShotSettings *settings = cookie;
    double target = settings->search.target;
    settings->execute |= settings->output && !is_planner(command);
    if (!settings->output)
        settings->output = "per_shot_encode.mp4";
    if (options->sample_seconds > 0)
        return command_fail(command, TUNE_USAGE, "--sample-clip-seconds: shots are measured whole");
    if (settings->search.max_percent > 0)
        return command_fail(command, TUNE_USAGE,
                            "--max-encoded-percent is for whole videos, not for shots");
    share_threads(settings, options);
    options->targets = settings->targets;
    if (!settings->targets.n)
        target = session_target(options, target, is_planner(command) ? 92 : 95);
    return session_run(command, options, target, tune, settings);
}

static int shots_run(const TuneCommand *command, int argc, char **argv)
{
    ShotSettings settings = {
        .search = search_choice(),
        .objective = -1,
        .floor = 10,
        .compares = true,
        .shots = {.kind = SHOTS_BY_CONTENT, .threshold = -1},
        .min_frames = SHOT_ENCODED_MIN_FRAMES,
        .format = !is_planner(command),
    };
    const OptionGroup groups[] = {
        {"The plan", plan_rows, sizeof plan_rows / sizeof *plan_rows, &settings},
        {"Shots", shot_rows, sizeof shot_rows / sizeof *shot_rows, &settings},
        {"Results", result_rows, sizeof result_rows / sizeof *result_rows, &settings},
        search_option_group(&settings.search),
    };
    return session_command(command, argc, argv, groups, 4, begin, &settings);
}

const TuneCommand shots_command = {
    .takes_all = true,
    .name = "shots",
    .operands = "SOURCE",
    .summary = "the quality of each shot, and a video of them",
    .examples = "  vmaf-tune shots film.mkv -o small.mkv --min-vmaf 93 --workers 4\n"
                "  vmaf-tune shots film.mkv --encoder x265 --zones zones.txt\n",
    .run = shots_run,
};

const TuneCommand per_shot_command = {
    .takes_all = true,
    .name = "tune-per-shot",
    .other_name = "per-shot",
    .operands = "SOURCE",
    .summary = "the same as a plan; with --execute, as a video",
    .examples = "  vmaf-tune tune-per-shot film.mkv --target-vmaf 93 --plan-out plan.json\n"
                "  vmaf-tune per-shot film.mkv --workers 4 --execute -o out.mkv\n",
    .run = shots_run,
};
