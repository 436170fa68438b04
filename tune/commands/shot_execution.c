/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/commands/per_shot_internal.h"

#include "common/messages.h"
#include "platform/child.h"
#include "platform/file.h"
#include "platform/path.h"
#include "tune/encoders/encode_request.h"
#include "tune/encoders/scratch_folder.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- paths -- */

int shot_paths_make(ShotPaths *paths, const char *output, const char *folder)
{
    const int length = (int)(vmaf_path_name(output) - output);
    *paths = (ShotPaths){.output = output, .is_named = folder != NULL};
    if (folder)
        paths->folder = strdup(folder);
    else if (asprintf(&paths->folder, "%.*ssegments", length, output) < 0)
        paths->folder = NULL;
    if (!paths->folder || asprintf(&paths->list, "%s/concat.txt", paths->folder) < 0)
        paths->list = NULL;
    return paths->list ? 0 : -ENOMEM;
}

void shot_paths_free(ShotPaths *paths)
{
    free(paths->folder);
    free(paths->list);
    *paths = (ShotPaths){0};
}

/* The file of a shot; free. NULL without memory. */
static char *shot_segment_path(const ShotPaths *paths, size_t shot)
{
    char *path;
    return asprintf(&path, "%s/shot_%04zu.mkv", paths->folder, shot) < 0 ? NULL : path;
}

/* -- segments -- */

/* The request for a shot's chosen encode, or for the encoder's default quality before one is
 * chosen. It refers to `path`. */
static EncodeRequest shot_request(const ShotTuning *tuning, size_t i, const char *path)
{
    const TunedShot *shot = &tuning->shots[i];
    const MeasuredPart part = {.windows = &shot->window, .n_windows = 1};
    EncodeSpec spec = tuning->plan.spec;
    spec.q = shot->n_encodes ? tuned_shot_chosen(shot)->spec.q : spec.encoder->default_q;
    return measure_request(tuning->source, &part, &tuning->options, &spec, path);
}

static int add_passes(ShotCommands *commands, const ShotTuning *tuning, size_t i, const char *path,
                      Message *why)
{
    const TunedShot *shot = &tuning->shots[i];
    const EncodeRequest request = shot_request(tuning, i, path);
    const int passes = encode_passes(&request);
    char *log;
    if (asprintf(&log, "%s.pass", path) < 0)
        return message_set(why, -ENOMEM, "out of memory");
    int err = 0;
    for (int number = 1; number <= passes && !err; number++) {
        const EncodePass pass = {
            .number = passes > 1 ? number : 0,
            .log = log,
            .kbps = shot->n_encodes ? tuned_shot_chosen(shot)->outcome.anchor_kbps : 0,
        };
        err = encode_command(&request, &pass, &commands->segments[commands->n_segments], why);
        commands->n_segments += !err;
    }
    free(log);
    return err;
}

static int add_segments(ShotCommands *commands, const ShotTuning *tuning, const ShotPaths *paths,
                        Message *why)
{
    int err = 0;
    commands->segments = calloc(2 * tuning->n, sizeof(*commands->segments));
    if (!commands->segments)
        return message_set(why, -ENOMEM, "out of memory");
    for (size_t i = 0; i < tuning->n && !err; i++) {
        char *path = shot_segment_path(paths, i);
        err = path ? add_passes(commands, tuning, i, path, why)
                   : message_set(why, -ENOMEM, "out of memory");
        free(path);
    }
    return err;
}

/* -- joining -- */

/* Since the container begins; frames that keep their times have them in milliseconds. */
static long long microseconds_at(const TuneSource *source, size_t frame)
{
    const FrameRate rate = source->rate;
    if (source->is_variable)
        return 1000 *
               llround(1e3 * (source->first_frame_time + source_times_at(&source->times, frame)));
    return llround(1e6 * source->first_frame_time +
                   (double)frame * 1e6 * rate.denominator / rate.numerator);
}

/* Durations are stated, since those of files are rounded, and errors would add up. */
static char *list_text(const ShotTuning *tuning)
{
    TextBuffer buffer;
    FILE *out = text_begin(&buffer);
    if (!out)
        return NULL;
    for (size_t i = 0; i < tuning->n; i++) {
        const Shot *shot = &tuning->shots[i].shot;
        const long long us = microseconds_at(tuning->source, shot->end) -
                             microseconds_at(tuning->source, shot->first);
        fprintf(out, "file 'shot_%04zu.mkv'\nduration %lld.%06lld\n", i, us / 1000000,
                us % 1000000);
    }
    return text_end(&buffer, 0);
}

static void add_all(ArgumentList *list, const char *const *arguments)
{
    for (; *arguments; arguments++)
        arguments_add(list, *arguments);
}

static const char *const quiet_start[] = {"-y",        "-nostdin", "-hide_banner",
                                          "-loglevel", "error",    NULL};

/* The command that joins the segments, to another file than paths->output. */
static void shot_join_command(const ShotTuning *tuning, const ShotPaths *paths, const char *output,
                              bool video_only, ArgumentList *command)
{
    static const char *const concat[] = {"-f", "concat", "-safe", "0", "-i", NULL};
    static const char *const others[] = {"-map_metadata", "1", "-map_chapters", "1", NULL};
    static const char *const copy[] = {"-c:v", "copy", NULL};
    const TuneSource *source = tuning->source;
    const bool takes_others = !video_only && !source->is_raw;
    arguments_add(command, tuning->options.ffmpeg);
    add_all(command, quiet_start);
    const long long offset = microseconds_at(source, 0);
    if (takes_others && offset) {
        arguments_add(command, "-itsoffset");
        arguments_seconds(command, (double)offset / 1e6);
    }
    char *only = tuning->n == 1 ? shot_segment_path(paths, 0) : NULL;
    add_all(command, only ? &concat[4] : concat);
    arguments_add_path(command, only ? only : paths->list);
    free(only);
    if (takes_others) {
        const EncodeSource input = measure_encode_source(source);
        encode_add_source(&input, command);
    }
    arguments_add(command, "-map");
    arguments_add(command, "0:v:0");
    if (takes_others) {
        other_streams_keep(&source->others, 1, output, command);
        add_all(command, others);
    }
    add_all(command, copy);
    arguments_add_path(command, output);
}

int shot_commands_make(ShotCommands *commands, const ShotTuning *tuning, const ShotPaths *paths,
                       bool video_only, Message *why)
{
    *commands = (ShotCommands){0};
    const int err = add_segments(commands, tuning, paths, why);
    if (err)
        return err;
    shot_join_command(tuning, paths, paths->output, video_only, &commands->join);
    commands->list_text = list_text(tuning);
    return commands->list_text && !commands->join.error
               ? 0
               : message_set(why, -ENOMEM, "out of memory");
}

void shot_commands_free(ShotCommands *commands)
{
    for (size_t i = 0; i < commands->n_segments; i++)
        arguments_free(&commands->segments[i]);
    free(commands->segments);
    arguments_free(&commands->join);
    free(commands->list_text);
    *commands = (ShotCommands){0};
}

/* -- the script -- */

/* A command; what it prints to standard output is for programs. */
static int print_command(const ArgumentList *command, const char *behind, FILE *out)
{
    char *line = arguments_quoted_line(command);
    if (!line)
        return -ENOMEM;
    fprintf(out, "%s%s\n", line, behind);
    free(line);
    return 0;
}

static int print_words(const char *program, const char *option, const char *path,
                       const char *behind, FILE *out)
{
    ArgumentList words = {0};
    arguments_add(&words, program);
    if (option)
        arguments_add(&words, option);
    arguments_print(&words, "%s%s", path[0] == '-' ? "./" : "", path);
    const int err = print_command(&words, behind, out);
    arguments_free(&words);
    return err;
}

char *shot_script(const ShotCommands *commands, const ShotPaths *paths)
{
    TextBuffer buffer;
    FILE *out = text_begin(&buffer);
    if (!out)
        return NULL;
    fputs("#!/bin/sh\n# An encode for each shot, and all of them joined.\nset -eu\n", out);
    int err = print_words("mkdir", "-p", paths->folder, "", out);
    for (size_t i = 0; i < commands->n_segments && !err; i++)
        err = print_command(&commands->segments[i], " >/dev/null", out);
    if (!err)
        err = print_words("tee", NULL, paths->list, " >/dev/null <<'END'", out);
    fprintf(out, "%sEND\n", commands->list_text);
    if (!err)
        err = print_command(&commands->join, "", out);
    return text_end(&buffer, err);
}

static int fail(const ShotTuning *tuning, int error, const char *path)
{
    return command_fail(tuning->session->command, TUNE_NO_RESULT, "%s: %s", path, strerror(-error));
}

int shot_check_output(const ShotTuning *tuning, const char *output, bool overwrites)
{
    const TuneCommand *command = tuning->session->command;
    const int err = vmaf_path_check_output(output);
    if (err)
        return command_fail(command, TUNE_USAGE, "%s: %s", output, strerror(-err));
    if (!strrchr(output, '.'))
        return command_fail(command, TUNE_USAGE, "%s has no extension that would tell its format",
                            output);
    return command_check_video(command, tuning->source->path, output, overwrites) ? 0 : TUNE_USAGE;
}

/* -- segments -- */

typedef struct Segment {
    const ShotTuning *tuning;
    size_t shot;
    ProgressTask *task;
} Segment;

static void report(void *cookie, const EncodeProgress *progress)
{
    const Segment *segment = cookie;
    progress_advance(segment->task, "encoding", progress->frames, 0);
}

static int check(void *cookie, const char *path, Message *why)
{
    const Segment *segment = cookie;
    const SampleWindow *window = &segment->tuning->shots[segment->shot].window;
    const MeasuredPart part = {.windows = window, .n_windows = 1};
    StreamFacts facts;
    const int err =
        measure_examine_encode(segment->tuning->source, &part, false, path, &facts, why);
    stream_free(&facts);
    return err;
}

static int encode(ShotTuning *tuning, size_t shot, const char *path)
{
    EncodeOutcome outcome;
    Message why;
    const EncodeRequest request = shot_request(tuning, shot, path);
    char name[32];
    snprintf(name, sizeof name, "shot %zu", shot);
    Segment segment = {tuning, shot, progress_begin(tuning->options.progress, name)};
    const EncodeControl control = {
        .stop = tuning->options.stop,
        .limit_ms = tuning->options.encode_limit_ms,
        .on_progress = report,
        .check = check,
        .cookie = &segment,
    };
    const int err = encode_run(&request, &control, &outcome, &why);
    progress_end(segment.task, true);
    return err ? shot_fail(tuning, err, why.text) : 0;
}

static int make_segment(ShotTuning *tuning, TunedShot *shot)
{
    const MeasuredEncode *chosen = tuned_shot_chosen(shot);
    const size_t number = (size_t)(shot - tuning->shots);
    char *path = shot_segment_path(tuning->segments, number);
    int status = 0;
    if (!path)
        status = shot_fail(tuning, -ENOMEM, "out of memory");
    else if (atomic_load(session_interrupt))
        status = shot_fail(tuning, -ECANCELED, "interrupted");
    else if (!chosen->path || cache_copy_file(chosen->path, path))
        status = encode(tuning, number, path);
    free(path);
    return status;
}

static int write_list(const ShotTuning *tuning, const ShotPaths *paths, const char *text)
{
    const int err = text_write(paths->list, text);
    return err ? fail(tuning, err, paths->list) : 0;
}

/* -- joining -- */

/* `failed`: the status if it did; `what` says that. FFmpeg 5.1 ends with 0 if the disk is full. */
static int judge(const ShotTuning *tuning, VmafChildResult *result, int failed, const char *what)
{
    if (result->ending == VMAF_CHILD_STOPPED)
        return session_fail(tuning->session, -ECANCELED, "interrupted");
    char *first = result->error_tail; /* the rest follows from it */
    if (result->ending == VMAF_CHILD_EXITED && !result->number &&
        !strstr(first, "No space left on device"))
        return 0;
    first[strcspn(first, "\n")] = '\0';
    return command_fail(tuning->session->command, failed, "%s: %s", what, first);
}

static int run_ffmpeg(const ShotTuning *tuning, const ArgumentList *command, int failed,
                      const char *what)
{
    if (command->error)
        return session_fail(tuning->session, -ENOMEM, "out of memory");
    const VmafChildRun run = {
        .program = command->items[0],
        .arguments = (const char *const *)command->items,
        .stop = tuning->options.stop,
    };
    VmafChildResult result;
    const int err = vmaf_child_run(&run, &result);
    if (err)
        return fail(tuning, err, command->items[0]);
    const int status = judge(tuning, &result, failed, what);
    vmaf_child_result_free(&result);
    return status;
}

/* A file in a private folder beside the output, of its format. 0, or a status; free both. */
static int make_part(const ShotTuning *tuning, const char *output, ScratchFolder *folder,
                     char **part)
{
    *part = NULL;
    int err = scratch_folder_make(folder, output);
    if (!err && asprintf(part, "%s/video%s", folder->path, strrchr(output, '.')) < 0) {
        *part = NULL;
        err = -ENOMEM;
    }
    return err ? fail(tuning, err, output) : 0;
}

static int look_at_stream(const ShotTuning *tuning, const char *path, ShotResult *result)
{
    const MeasuredPart whole = {0};
    StreamFacts facts;
    Message why;
    const int err = measure_examine_encode(tuning->source, &whole, false, path, &facts, &why);
    if (!err) {
        result->frames = facts.n_packets;
        result->bytes = facts.bytes;
        result->kbps = stream_kbps(&facts, tuning->source->rate);
    }
    stream_free(&facts);
    return err ? session_fail(tuning->session, err, why.text) : 0;
}

/* Complete, or not at all. */
static int join(const ShotTuning *tuning, const ShotPaths *paths, bool video_only,
                ShotResult *result)
{
    ArgumentList command = {0};
    ScratchFolder folder;
    char *part;
    int status = make_part(tuning, paths->output, &folder, &part);
    if (!status) {
        shot_join_command(tuning, paths, part, video_only, &command);
        status = run_ffmpeg(tuning, &command, TUNE_NO_RESULT,
                            "the encodes of shots could not be joined");
    }
    if (!status)
        status = look_at_stream(tuning, part, result);
    if (!status && rename(part, paths->output))
        status = fail(tuning, -errno, paths->output);
    scratch_folder_remove(&folder);
    arguments_free(&command);
    free(part);
    return status;
}

/* -- what became of it -- */

static void note_scores(const ShotTuning *tuning, const MeasuredEncode *encode, ShotResult *result)
{
    PooledScores pooled = {.mean = NAN, .p1 = NAN};
    measured_pool(encode, "vmaf", &pooled);
    result->vmaf = pooled.mean;
    result->p1 = pooled.p1;
    result->least = shot_least_vmaf(tuning, encode);
    shot_gates_hold(&tuning->plan.gates, encode, result->holds);
}

ShotResult shot_result_of(const ShotTuning *tuning, const MeasuredEncode *encode)
{
    ShotResult result = {
        .frames = encode->frames,
        .bytes = encode->stream_bytes,
        .kbps = encode->kbps,
        .expected = shot_totals(tuning).vmaf,
    };
    note_scores(tuning, encode, &result);
    return result;
}

typedef struct Scoring {
    ProgressTask *task;
    size_t frames;
} Scoring;

static void report_scores(void *cookie, size_t frames)
{
    const Scoring *scoring = cookie;
    progress_advance(scoring->task, "scoring", frames, scoring->frames);
}

static int score_with(const ShotTuning *tuning, TuneReference *reference, const char *path,
                      ShotResult *result, Message *why)
{
    Scoring scoring = {progress_begin(tuning->options.progress, "the whole video"),
                       tuning->source->frames};
    const ScoreControl control = {tuning->options.stop, report_scores, &scoring};
    MeasuredEncode whole = {0};
    const ScoreOptions options = score_share(&tuning->options.score, 1);
    int err = score_encode(reference, path, &options, &control, &whole.scores, why);
    whole.has_scores = !err;
    if (!err)
        note_scores(tuning, &whole, result);
    if (!err && isnan(result->vmaf))
        err = message_set(why, -ENOENT, "the whole video has no scores of VMAF");
    progress_end(scoring.task, false);
    measured_encode_free(&whole);
    return err;
}

static int score(const ShotTuning *tuning, const char *path, ShotResult *result)
{
    ReferenceOptions options = {.memory = tuning->options.reference_memory, .decoders = 2};
    TuneReference *reference = NULL;
    Message why;
    int err = scorer_check(&tuning->options.score, &tuning->source->format, &options.planes, &why);
    if (!err)
        err = reference_open(&reference, tuning->source, &options, &why);
    if (!err)
        err = score_with(tuning, reference, path, result, &why);
    reference_close(reference);
    return err ? session_fail(tuning->session, err, why.text) : 0;
}

/* The run's own folder for segments: those of another run never get into its video. */
static int make_folder(const ShotTuning *tuning, const ShotPaths *paths, ScratchFolder *folder,
                       ShotPaths *own)
{
    char *beside = NULL;
    const char *name = vmaf_path_name(paths->output);
    *folder = (ScratchFolder){NULL, VMAF_FILE_NONE};
    int err = paths->is_named ? vmaf_folder_make(paths->folder) : 0;
    if (!err && paths->is_named && asprintf(&beside, "%s/%s", paths->folder, name) < 0)
        err = -ENOMEM;
    if (!err)
        err = scratch_folder_make(folder, paths->is_named ? beside : paths->output);
    if (!err)
        err = shot_paths_make(own, paths->output, folder->path);
    free(beside);
    return err ? fail(tuning, err, paths->folder) : 0;
}

/* What was encoded is worth a look if it could not be used. */
static void end_folder(ScratchFolder *folder, int status)
{
    if (!status || status == TUNE_INTERRUPTED || !folder->path) {
        scratch_folder_remove(folder);
        return;
    }
    char *kept = scratch_folder_keep(folder, ".segments");
    if (kept)
        print_error("vmaf-tune: the encodes of the shots stay in %s", kept);
    free(kept);
}

/* Encodes that are in the cache are not made again. The video has as many frames as the source.
 * 0; a status. */
static int shot_execute(ShotTuning *tuning, const ShotPaths *paths, const ShotCommands *commands,
                        bool video_only, ShotResult *result)
{
    ScratchFolder folder;
    ShotPaths own = {0};
    *result = (ShotResult){.expected = shot_totals(tuning).vmaf};
    int status = make_folder(tuning, paths, &folder, &own);
    tuning->segments = &own;
    if (!status)
        status = shot_tuning_each(tuning, make_segment);
    if (!status)
        status = write_list(tuning, &own, commands->list_text);
    if (!status)
        status = join(tuning, &own, video_only, result);
    if (!status)
        status = score(tuning, paths->output, result);
    end_folder(&folder, status);
    shot_paths_free(&own);
    return status;
}

/* The shots' own mean and 1 % of VMAF say no less. */
static bool is_implied(const TuneGate *gate)
{
    return !strcmp(gate->name, "vmaf") && !gate->lower_is_better &&
           (gate->pool == POOL_MEAN || gate->pool == POOL_P1);
}

/* What a single quality has to reach: all that the shots do. */
static TuneGates gates_of(const ShotTuning *tuning, const ShotResult *shots)
{
    TuneGates gates = {
        .gate = {{.name = "vmaf", .pool = POOL_MEAN, .target = shots->vmaf},
                 {.name = "vmaf", .pool = POOL_P1, .target = shots->p1}},
        .n = 2,
    };
    const TuneGates *asked = &tuning->plan.gates;
    for (size_t i = 0; i < asked->n && gates.n < SEARCH_MAX_GATES; i++)
        if (shots->holds[i] && !isnan(asked->gate[i].target) && !is_implied(&asked->gate[i]))
            gates.gate[gates.n++] = asked->gate[i];
    return gates;
}

/* The search ends once an encode that is not as good has more bits than the shots: no other can
 * replace them. */
static int find_single(const ShotTuning *tuning, ShotComparison *comparison)
{
    const size_t frames = tuning->source->frames;
    ShotTuning whole = shot_tuning_of_whole(tuning);
    SearchPlan plan = tuning->plan;
    plan.gates = comparison->gates = gates_of(tuning, &comparison->shots);
    tune_gates_for_search(&plan.gates, plan.spec.encoder, (int)tuning->source->format.height, 0,
                          &plan.search);
    plan.search.has_start = true;
    plan.search.start = shot_middle_quality(tuning);
    plan.search.max_probes = 0;
    plan.search.max_kbps = comparison->shots.kbps;
    plan.search.on_non_monotonic = NON_MONOTONIC_KEEP;
    comparison->single = (TunedShot){.shot = {.end = frames}, .window = {0, frames, frames}};
    return tuned_shot_search(&whole, &plan, &comparison->single);
}

/* One encode of the whole video, which is kept. */
static int make_whole(const ShotTuning *tuning, const ShotPaths *paths,
                      const ShotDelivery *delivery, ShotComparison *comparison)
{
    Message why;
    ShotTuning whole = shot_tuning_of_whole(tuning);
    whole.shots = comparison->single_is_kept ? &comparison->single : &comparison->zoned;
    whole.n = 1;
    if (!comparison->single_is_kept)
        shot_zones_apply(&comparison->zones, &whole);
    const int err =
        shot_commands_make(&comparison->commands, &whole, paths, delivery->video_only, &why);
    if (err)
        return session_fail(tuning->session, err, why.text);
    comparison->result = &comparison->whole_result;
    comparison->whole_result = shot_result_of(&whole, tuned_shot_chosen(whole.shots));
    const int status = delivery->executes
                           ? shot_execute(&whole, paths, &comparison->commands,
                                          delivery->video_only, &comparison->whole_result)
                           : 0;
    /* `whole` knows no shots. */
    comparison->whole_result.least = shot_least_vmaf(tuning, tuned_shot_chosen(whole.shots));
    return status;
}

int shot_comparison_make(ShotTuning *tuning, const ShotPaths *paths, const ShotCommands *commands,
                         const ShotDelivery *delivery, ShotComparison *comparison)
{
    *comparison = (ShotComparison){.is_compared = delivery->compares && tuning->n > 1,
                                   .result = &comparison->shots};
    int status =
        delivery->by_zones
            ? shot_zones_measure(tuning, &comparison->zones, &comparison->zoned, &comparison->shots)
            : shot_execute(tuning, paths, commands, delivery->video_only, &comparison->shots);
    if (!status && comparison->is_compared)
        status = find_single(tuning, comparison);
    if (status)
        return status;
    comparison->single_is_kept =
        comparison->is_compared && comparison->single.mark == SHOT_REACHED &&
        tuned_shot_chosen(&comparison->single)->stream_bytes <= comparison->shots.bytes;
    return delivery->by_zones || comparison->single_is_kept
               ? make_whole(tuning, paths, delivery, comparison)
               : 0;
}

void shot_comparison_free(ShotComparison *comparison)
{
    tuned_shot_free(&comparison->single);
    tuned_shot_free(&comparison->zoned);
    shot_zones_free(&comparison->zones);
    shot_commands_free(&comparison->commands);
}
