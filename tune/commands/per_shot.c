/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/commands/per_shot_internal.h"

#include "common/json.h"
#include "platform/machine.h"
#include "tune/commands/commands.h"
#include "tune/commands/report.h"
#include "tune/measure/source_shots.h"
#include "tune/rows/row.h"
#include "tune/session/option_rows.h"
#include "tune/session/output.h"
#include "tune/session/search.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* What a search calls the score: that of the first gate. */
static double predicted(const ShotTuning *tuning, const MeasuredEncode *encode)
{
    double values[SEARCH_MAX_GATES];
    Message why;
    return tune_gates_values(&tuning->plan.gates, encode, values, &why) ? NAN : values[0];
}

/* -- shots -- */

static json_t *samples_of(const ShotTuning *tuning, const TunedShot *shot)
{
    json_t *json = json_array();
    int err = json ? 0 : -1;
    for (size_t i = 0; i < shot->n_encodes && !err; i++)
        err = json_array_append_new(json, search_sample(&tuning->plan, &shot->encodes[i]));
    return json_unless(err, json);
}

/* Names of the conditions that the dearest encode that fails misses. */
static json_t *decided_by(const TunedShot *shot, const TuneGates *gates)
{
    bool holds[SEARCH_MAX_GATES];
    json_t *json = json_array();
    int err = json ? 0 : -1;
    const bool is_refuted = shot_refuted(shot, gates, holds) < shot->n_encodes;
    for (size_t i = 0; i < gates->n && is_refuted && !err; i++) {
        char label[GATE_LABEL_SIZE];
        tune_gate_label(&gates->gate[i], label);
        if (!holds[i])
            err = json_array_append_new(json, json_string(label));
    }
    return json_unless(err, json);
}

static json_t *shot_record(const ShotTuning *tuning, const TunedShot *shot)
{
    const MeasuredEncode *encode = tuned_shot_chosen(shot);
    json_t *json = json_object();
    int err = json_put_integer(json, "start_frame", shot->shot.first);
    err |= json_put_integer(json, "end_frame", shot->shot.end);
    err |= json_put_integer(json, "frames", shot_frames(&shot->shot));
    err |= json_put(json, "crf", json_quality(encode->spec.q));
    err |= json_put_number(json, "predicted_vmaf", predicted(tuning, encode));
    err |= json_put_number(json, "mean_vmaf", shot_mean_vmaf(encode));
    err |= json_put_number(json, "bitrate_kbps", encode->kbps);
    err |= json_put_integer(json, "bytes", encode->stream_bytes);
    if (!tuning->is_lagrange)
        err |= json_put(json, "decided_by", decided_by(shot, &tuning->plan.gates));
    err |= json_put_text(json, "status", shot_mark_name(shot->mark));
    err |= json_put_flag(json, "converged", shot->converged);
    err |= json_put_integer(json, "n_iterations", shot->n_iterations);
    err |= json_put_number(json, "mean_complexity", shot->shot.complexity);
    err |= json_put_number(json, "mean_motion", shot->shot.motion);
    err |= json_put(json, "samples", samples_of(tuning, shot));
    return json_unless(err, json);
}

static json_t *shots_of(const ShotTuning *tuning)
{
    json_t *json = json_array();
    int err = json ? 0 : -1;
    for (size_t i = 0; i < tuning->n && !err; i++)
        err = json_array_append_new(json, shot_record(tuning, &tuning->shots[i]));
    return json_unless(err, json);
}

/* -- commands -- */

static json_t *arguments_record(const ArgumentList *command)
{
    json_t *json = json_array();
    int err = json ? 0 : -1;
    for (size_t i = 0; i < command->n && !err; i++)
        err = json_array_append_new(json, json_text_or_null(command->items[i]));
    return json_unless(err, json);
}

static json_t *segments_of(const ShotCommands *commands)
{
    json_t *json = json_array();
    int err = json ? 0 : -1;
    for (size_t i = 0; i < commands->n_segments && !err; i++)
        err = json_array_append_new(json, arguments_record(&commands->segments[i]));
    return json_unless(err, json);
}

/* -- all of it -- */

static json_t *totals_of(const ShotTuning *tuning)
{
    const ShotTotals totals = shot_totals(tuning);
    const FrameRate rate = tuning->source->rate;
    json_t *json = json_object();
    int err = json_put_integer(json, "frames", totals.frames);
    err |=
        json_put_number(json, "seconds", (double)totals.frames * rate.denominator / rate.numerator);
    err |= json_put_integer(json, "bytes", totals.bytes);
    err |= json_put_number(json, "expected_kbps", totals.kbps);
    err |= json_put_number(json, "expected_vmaf", totals.vmaf);
    err |= json_put_number(json, "expected_vmaf_p1", shot_expected_p1(tuning));
    err |= json_put_number(json, "least_shot_vmaf", totals.least);
    err |= json_put_integer(json, "shots", tuning->n);
    err |= json_put_integer(json, "missed_shots", totals.missed);
    return json_unless(err, json);
}

static json_t *result_of(const ShotResult *result)
{
    json_t *json = json_object();
    int err = json_put_integer(json, "frames", result->frames);
    err |= json_put_integer(json, "bytes", result->bytes);
    err |= json_put_number(json, "bitrate_kbps", result->kbps);
    err |= json_put_number(json, "vmaf", result->vmaf);
    err |= json_put_number(json, "vmaf_p1", result->p1);
    err |= json_put_number(json, "least_shot_vmaf", result->least);
    err |= json_put_number(json, "difference_vmaf", result->vmaf - result->expected);
    return json_unless(err, json);
}

static bool has_single(const ShotComparison *comparison)
{
    return comparison->is_compared && comparison->single.mark == SHOT_REACHED;
}

static json_t *single_of(const ShotTuning *tuning, const ShotComparison *comparison)
{
    if (!has_single(comparison))
        return json_null();
    const MeasuredEncode *encode = tuned_shot_chosen(&comparison->single);
    PooledScores pooled = {0};
    json_t *json = json_object();
    int err = measured_pool(encode, "vmaf", &pooled);
    err |= json_put(json, "crf", json_quality(encode->spec.q));
    err |= json_put_integer(json, "bytes", encode->stream_bytes);
    err |= json_put_number(json, "bitrate_kbps", encode->kbps);
    err |= json_put_integer(json, "encoder_threads", (size_t)tuning->whole_threads);
    err |= json_put_number(json, "vmaf", pooled.mean);
    err |= json_put_number(json, "vmaf_p1", pooled.p1);
    err |= json_put_number(json, "least_shot_vmaf", shot_least_vmaf(tuning, encode));
    return json_unless(err, json);
}

static int put_comparison(json_t *json, const ShotTuning *tuning, const ShotComparison *comparison)
{
    if (!comparison)
        return json_put(json, "result", json_null()) | json_put(json, "comparison", json_null());
    json_t *both = json_object();
    int err = json_put(json, "result", result_of(comparison->result));
    err |= json_put_text(json, "zones", comparison->single_is_kept ? NULL : comparison->zones.text);
    err |= json_put(json, "comparison", both);
    if (err)
        return err;
    err |= json_put(both, "per_shot", result_of(&comparison->shots));
    err |= json_put(both, "single", single_of(tuning, comparison));
    err |= json_put(both, "decided_by", decided_by(&comparison->single, &comparison->gates));
    return err | json_put_text(both, "kept", comparison->single_is_kept ? "single" : "per_shot");
}

static int put_settings(json_t *json, const ShotTuning *tuning)
{
    const SearchPlan *plan = &tuning->plan;
    const FrameRate rate = tuning->source->rate;
    char fraction[32];
    snprintf(fraction, sizeof fraction, "%d/%d", rate.numerator, rate.denominator);
    int err = json_put_text(json, "encoder", plan->spec.encoder->name);
    err |= json_put_text(json, "encoder_version",
                         tuned_shot_chosen(tuning->shots)->outcome.encoder_version);
    err |= json_put_text(json, "preset", plan->spec.preset);
    err |= json_put_number(json, "framerate", (double)rate.numerator / rate.denominator);
    err |= json_put_text(json, "frame_rate", fraction);
    err |= json_put_text(json, "predicate", "measured");
    err |= json_put_integer(json, "workers", shot_workers(tuning));
    err |= json_put_integer(json, "encoder_threads", (size_t)tuning->options.ffmpeg_threads);
    err |= json_put_text(json, "objective", tuning->is_lagrange ? "lagrange" : "equal");
    if (tuning->is_lagrange)
        err |= json_put_number(json, "shot_floor", tuning->floor);
    err |= json_put_number(json, "target_vmaf", plan->gates.gate[0].target);
    err |= json_put_text(json, "src", tuning->source->path);
    err |= json_put_text(json, "vmaf_model", tuning->model);
    err |= json_put_flag(json, "model_calibrated", tuning->is_calibrated);
    return err;
}

/* `made` NULL: it was not executed. A new reference; NULL without memory. */
static json_t *shot_plan_record(const ShotTuning *tuning, const ShotPaths *paths,
                                const ShotCommands *commands, const ShotComparison *comparison)
{
    json_t *json = json_object();
    int err = put_settings(json, tuning);
    err |= json_put(json, "shots", shots_of(tuning));
    err |= json_put(json, "totals", totals_of(tuning));
    err |= json_put(json, "segment_commands", segments_of(commands));
    err |= json_put(json, "concat_command", arguments_record(&commands->join));
    err |= json_put_text(json, "concat_list", commands->list_text);
    err |= json_put_text(json, "segment_dir", paths->folder);
    err |= json_put_text(json, "output", paths->output);
    err |= put_comparison(json, tuning, comparison);
    return json_unless(err, json);
}

/* -- for people -- */

/* ", VMAF 93.000, p1 88.000, least shot 91.000" */
static void print_scores(double mean, double p1, double least, FILE *out)
{
    fprintf(out, ", VMAF %.3f", mean);
    if (isfinite(p1))
        fprintf(out, ", p1 %.3f", p1);
    if (isfinite(least))
        fprintf(out, ", least shot %.3f", least);
}

/* Prints the conditions that the dearest encode that fails misses. */
static void print_decision(const char *before, const TunedShot *shot, const TuneGates *gates,
                           FILE *out)
{
    bool holds[SEARCH_MAX_GATES];
    const size_t refuted = shot_refuted(shot, gates, holds);
    if (refuted == shot->n_encodes)
        return;
    const MeasuredEncode *encode = &shot->encodes[refuted];
    const char *between = " misses ";
    fprintf(out, "%s%s %g, %.1f kbit/s,", before, encode->spec.encoder->quality_name,
            encode->spec.q, encode->kbps);
    for (size_t i = 0; i < gates->n; i++) {
        char label[GATE_LABEL_SIZE];
        if (holds[i])
            continue;
        tune_gate_label(&gates->gate[i], label);
        fprintf(out, "%s%s %s %.3f", between, label,
                gates->gate[i].lower_is_better ? "<=" : ">=", gates->gate[i].target);
        between = ", ";
    }
}

static void print_single(const ShotTuning *tuning, const ShotComparison *comparison, FILE *out)
{
    const char *qualities = tuning->plan.spec.encoder->quality_name;
    const MeasuredEncode *single = tuned_shot_chosen(&comparison->single);
    if (has_single(comparison)) {
        PooledScores pooled = {.mean = NAN, .p1 = NAN};
        measured_pool(single, "vmaf", &pooled);
        fprintf(out, "a single %s %g: %.1f kbit/s", qualities, single->spec.q, single->kbps);
        print_scores(pooled.mean, pooled.p1, shot_least_vmaf(tuning, single), out);
        fprintf(out, "; %s",
                comparison->single_is_kept ? "it is kept, since shots of their own do not pay"
                                           : "the video of the shots is kept");
    } else {
        fprintf(out, "no single %s is as good with as few bits", qualities);
    }
    print_decision("\ndecided: ", &comparison->single, &comparison->gates, out);
    fputc('\n', out);
}

static void print_comparison(const ShotTuning *tuning, const ShotComparison *comparison, FILE *out)
{
    const ShotResult *shots = &comparison->shots;
    fprintf(out, "the whole video: %zu frames, %.1f kbit/s", shots->frames, shots->kbps);
    print_scores(shots->vmaf, shots->p1, shots->least, out);
    fprintf(out, " (%+.3f)\n", shots->vmaf - shots->expected);
    if (comparison->is_compared)
        print_single(tuning, comparison, out);
}

static void shot_plan_print(const ShotTuning *tuning, const ShotComparison *comparison, FILE *out)
{
    const ShotTotals totals = shot_totals(tuning);
    fprintf(out, "%5s  %8s  %8s  %6s  %10s  %8s  %6s\n", "shot", "first", "last",
            tuning->plan.spec.encoder->quality_name, "kbit/s", "VMAF", "probes");
    for (size_t i = 0; i < tuning->n; i++) {
        const TunedShot *shot = &tuning->shots[i];
        const MeasuredEncode *encode = tuned_shot_chosen(shot);
        fprintf(out, "%5zu  %8zu  %8zu  %6g  %10.1f  %8.3f  %6zu%s%s", i, shot->shot.first,
                shot->shot.end - 1, encode->spec.q, encode->kbps, predicted(tuning, encode),
                shot->n_encodes, shot->mark == SHOT_REACHED ? "" : "  ",
                shot->mark == SHOT_REACHED ? "" : shot_mark_name(shot->mark));
        if (tuning->plan.gates.n > 1 && !tuning->is_lagrange)
            print_decision("  ", shot, &tuning->plan.gates, out);
        fputc('\n', out);
    }
    fprintf(out, "\n%s %s: %zu shot%s, expected %.1f kbit/s", tuning->plan.spec.encoder->name,
            tuning->plan.spec.preset ? tuning->plan.spec.preset : "", tuning->n,
            tuning->n == 1 ? "" : "s", totals.kbps);
    print_scores(totals.vmaf, shot_expected_p1(tuning), totals.least, out);
    fputc('\n', out);
    if (comparison)
        print_comparison(tuning, comparison, out);
}

typedef enum Objective { OBJECTIVE_UNSAID = -1, OBJECTIVE_EQUAL, OBJECTIVE_LAGRANGE } Objective;

/* More of them cost encoders quality. */
enum { MOST_THREADS = 16 };

typedef struct Settings {
    SearchChoice search;
    int objective; /* Objective */
    double floor;
    /* Shots. */
    double threshold, max_seconds;
    int detector; /* ShotDetectorKind */
    int min_frames, total_frames, bit_depth;
    /* Results. */
    const char *output, *segment_dir, *plan, *script, *zones;
    int format; /* 0: JSON, 1: text */
    bool execute, video_only, overwrites, compares;
    int whole_threads; /* of an encoder of the whole video */
} Settings;

#define AT(member) .target = offsetof(Settings, member)

static const TuneOption plan_rows[] = {
    {"target-vmaf", "X", "the score that is to be reached (92; none where --require says what is)",
     NUMBER_AT(search.target, 0, 100), .other_name = "target"},
    {"encoder", "NAME", "FFmpeg's name of the encoder (libx264)", TEXT_AT(search.encoder),
     .other_name = "codec"},
    {"preset", "NAME", "the encoder's own, or as in x264 (medium)", TEXT_AT(search.preset)},
    {"objective", NULL,
     "all shots reach the score on average with the fewest bits (lagrange), or each of them does "
     "(equal; the default with --require or --pool)",
     CHOICE_AT(objective, "equal|lagrange")},
    {"shot-floor", "D", "lagrange: no shot's mean is more than this below the target (10)",
     NUMBER_AT(floor, 0, 100)},
};

static const TuneOption shot_rows[] = {
    {"scene-threshold", "X",
     "what is a cut: 100 less the correlation in percent (30); of the other detectors: mean "
     "difference of luma, of 255 (12)",
     NUMBER_AT(threshold, 0, 255)},
    {"detector", NULL,
     "where pictures are replaced, whatever moves or flashes (content); where luma changes "
     "(diff); also where histograms do (hist)",
     CHOICE_AT(detector, "diff|hist|content")},
    {"min-shot-frames", "N", "shorter shots join the neighbour that is more like them (24)",
     INTEGER_AT(min_frames, 1, 1e6)},
    {"max-shot-duration", "S", "cut longer shots into equal parts (0: none)",
     NUMBER_AT(max_seconds, 0, 1e9)},
    {"total-frames", "N", "checked against the file", INTEGER_AT(total_frames, 0, 2147483647)},
    {"bitdepth", "N", "checked against the file (of raw video: --pix-fmt)",
     INTEGER_AT(bit_depth, 8, 16)},
};

static const TuneOption result_rows[] = {
    {"output", "FILE", "the video (per_shot_encode.mp4)", TEXT_AT(output), .short_name = 'o',
     .file = TUNE_FILE_WRITTEN},
    {"overwrite", NULL, "outputs replace files of any kind that exist, but never the source",
     FLAG_AT(overwrites)},
    {"execute", NULL, "make the video, and score it against the whole source", FLAG_AT(execute)},
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

static int check(const TuneCommand *command, Settings *settings, const SessionOptions *options)
{
    const bool is_mean_alone = !options->require.n && options->pool == POOL_MEAN;
    if (settings->objective == OBJECTIVE_UNSAID)
        settings->objective = is_mean_alone ? OBJECTIVE_LAGRANGE : OBJECTIVE_EQUAL;
    if (options->sample_seconds > 0)
        return command_fail(command, TUNE_USAGE, "--sample-clip-seconds: shots are measured whole");
    if (settings->search.max_percent > 0)
        return command_fail(command, TUNE_USAGE,
                            "--max-encoded-percent is for whole videos, not for shots");
    if (settings->objective == OBJECTIVE_LAGRANGE && !is_mean_alone)
        return command_fail(
            command, TUNE_USAGE,
            "--objective lagrange is about the mean alone, without --require and --pool: "
            "--shot-floor says how far below the target a shot may be");
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

static int write_plan(const ShotTuning *tuning, const ShotPaths *paths,
                      const ShotCommands *commands, const ShotComparison *made, bool is_text,
                      const char *path)
{
    const TuneCommand *command = tuning->session->command;
    TextBuffer text;
    if (!is_text)
        return report_write(command, path, shot_plan_record(tuning, paths, commands, made));
    if (text_begin(&text))
        shot_plan_print(tuning, made, text.out);
    return result_print(&text, command, path, 0);
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
static void warn(const ShotTuning *tuning, const ShotComparison *made)
{
    const double far = 1;
    const ShotTotals totals = shot_totals(tuning);
    Progress *progress = tuning->session->progress;
    if (tuning->is_lagrange && totals.missed)
        progress_print(progress, "vmaf-tune: the target is out of reach: the mean is %.3f",
                       totals.vmaf);
    else if (totals.missed)
        progress_print(progress, "vmaf-tune: %zu of %zu shots do not reach the target",
                       totals.missed, tuning->n);
    if (made && fabs(made->shots.vmaf - totals.vmaf) > far)
        progress_print(progress,
                       "vmaf-tune: the whole video has VMAF %.3f, and its shots promised %.3f",
                       made->shots.vmaf, totals.vmaf);
    if (made && made->single_is_kept)
        progress_print(
            progress,
            "vmaf-tune: the plan does not pay: %.1f kbit/s for VMAF %.3f, and a single %s "
            "%g has %.3f with %.1f; that is kept",
            made->shots.kbps, made->shots.vmaf, tuning->plan.spec.encoder->quality_name,
            tuned_shot_chosen(&made->single)->spec.q, made->result->vmaf, made->result->kbps);
}

static int write_zones(const ShotTuning *tuning, const ShotComparison *made, const char *path)
{
    const bool is_single = made->single_is_kept || tuning->n == 1;
    const double q = made->single_is_kept ? tuned_shot_chosen(&made->single)->spec.q
                                          : tuned_shot_chosen(&made->zoned)->spec.q;
    TextBuffer text;
    char *line = shot_zones_arguments(tuning, is_single ? NULL : &made->zones, q);
    if (text_begin(&text) && line)
        fprintf(text.out, "%s\n", line);
    const int err = line ? 0 : -ENOMEM;
    free(line);
    return result_print(&text, tuning->session->command, path, err);
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
    if (!status && made && settings->zones)
        status = write_zones(tuning, made, settings->zones);
    return status;
}

static int conclude(ShotTuning *tuning, const Settings *settings, const ShotPaths *paths,
                    const ShotCommands *commands)
{
    const ShotDelivery delivery = {
        .video_only = settings->video_only,
        .by_zones = settings->zones,
        .compares = settings->compares,
        .executes = settings->execute,
    };
    ShotComparison comparison = {.is_compared = false};
    const ShotComparison *made = NULL;
    int status = write_files(tuning, settings, paths, commands, NULL);
    if (!status && (delivery.executes || delivery.by_zones)) {
        status = shot_comparison_make(tuning, paths, commands, &delivery, &comparison);
        made = &comparison;
        if (comparison.commands.n_segments)
            commands = &comparison.commands;
        if (!status)
            status = write_files(tuning, settings, paths, commands, made);
    }
    if (!status)
        status = write_plan(tuning, paths, commands, made, settings->format == 1, NULL);
    if (!status)
        warn(tuning, made);
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
    Message why;
    const bool is_dry = tuning->session->options->dry_run;
    int status = shot_tuning_prepare(tuning);
    if (!status && !is_dry) {
        progress_print(tuning->session->progress, "%zu at a time; each encoder has %d thread%s",
                       shot_workers(tuning), tuning->options.ffmpeg_threads,
                       tuning->options.ffmpeg_threads == 1 ? "" : "s");
        status = shot_tuning_run(tuning);
    }
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
        .stop = session_interrupt,
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

static int tune(Session *session, const TuneSource *source, void *cookie)
{
    const Settings *settings = cookie;
    SessionEncoder encoder;
    ShotPaths paths = {0};
    ShotTuning tuning = {
        .session = session,
        .source = source,
        .is_lagrange = settings->objective == OBJECTIVE_LAGRANGE,
        .floor = settings->floor,
        .whole_threads = settings->whole_threads,
    };
    int status = check_source(session, settings, source);
    if (!status)
        status = search_find_plan(session, &settings->search, source, &encoder, &tuning.plan);
    if (!status && settings->zones)
        status = shot_zones_check(&tuning);
    if (!status && settings->execute)
        status = shot_check_output(&tuning, settings->output, settings->overwrites);
    if (!status && settings->execute)
        status = session_check_streams(session, source, tuning.plan.spec.encoder->name,
                                       settings->output, settings->video_only);
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

static int begin(const TuneCommand *command, SessionOptions *options, void *cookie)
{
    Settings *settings = cookie;
    const int processors = (int)vmaf_processors_usable(), share = processors / options->jobs;
    const int most = processors < MOST_THREADS ? processors : MOST_THREADS;
    /* One number of threads for the encodes of all shots, since it changes their bits; those of the
     * whole video have none beside them. */
    settings->whole_threads = options->ffmpeg_threads ? options->ffmpeg_threads : most;
    if (!options->ffmpeg_threads)
        options->ffmpeg_threads = share < 1 ? 1 : share;
    settings->search.target = session_target(options, settings->search.target, 92);
    const int status = check(command, settings, options);
    return status ? status : session_run(command, options, settings->search.target, tune, settings);
}

int shots_run(const TuneCommand *command, int argc, char **argv)
{
    Settings settings = {
        .search = search_choice(),
        .objective = OBJECTIVE_UNSAID,
        .floor = 10,
        .compares = true,
        .threshold = -1,
        .detector = SHOTS_BY_CONTENT,
        .min_frames = SHOT_ENCODED_MIN_FRAMES,
        .output = "per_shot_encode.mp4",
    };
    const OptionGroup groups[] = {
        {"The plan", plan_rows, sizeof plan_rows / sizeof *plan_rows, &settings},
        {"Shots", shot_rows, sizeof shot_rows / sizeof *shot_rows, &settings},
        {"Results", result_rows, sizeof result_rows / sizeof *result_rows, &settings},
        search_option_group(&settings.search),
    };
    return session_command(command, argc, argv, groups, 4, begin, &settings);
}

const TuneCommand per_shot_command = {
    .takes_all = true,
    .name = "tune-per-shot",
    .other_name = "shots|per-shot",
    .operands = "SOURCE",
    .summary = "the quality of each shot, and a video of them",
    .examples = "  vmaf-tune tune-per-shot film.mkv --target-vmaf 93 --plan-out plan.json\n"
                "  vmaf-tune per-shot film.mkv --workers 4 --execute -o out.mkv\n",
    .run = shots_run,
};
