/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/commands/per_shot/shot_execution.h"

#include "tune/encoders/scratch_folder.h"

#include "common/messages.h"
#include "platform/child.h"
#include "platform/file.h"
#include "platform/path.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    const MeasuredPart part = {&segment->tuning->shots[segment->shot].window, 1};
    StreamFacts facts;
    const int err =
        measure_examine_encode(segment->tuning->source, &part, false, path, &facts, why);
    stream_free(&facts);
    return err;
}

static int encode(const ShotTuning *tuning, size_t shot, const char *path)
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
    return err ? session_fail(tuning->session, err, why.text) : 0;
}

static int make_segment(const ShotTuning *tuning, const ShotPaths *paths, size_t shot)
{
    const MeasuredEncode *chosen = tuned_shot_chosen(&tuning->shots[shot]);
    char *path = shot_segment_path(paths, shot);
    int status;
    if (!path)
        status = session_fail(tuning->session, -ENOMEM, "out of memory");
    else if (session_is_interrupted())
        status = session_fail(tuning->session, -ECANCELED, "interrupted");
    else if (chosen->path && !cache_copy_file(chosen->path, path))
        status = 0;
    else
        status = encode(tuning, shot, path);
    free(path);
    return status;
}

static int write_list(const ShotTuning *tuning, const ShotPaths *paths, const char *text)
{
    VmafAtomicFile *file;
    int err = vmaf_atomic_file_open(&file, paths->list);
    if (!err) {
        vmaf_atomic_file_puts(file, text);
        err = vmaf_atomic_file_commit(file);
    }
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
    PooledScores pooled;
    if (!err && (err = measured_pool(&whole, "vmaf", &pooled)))
        message_set(why, err, "the whole video has no scores of VMAF");
    if (!err) {
        result->vmaf = pooled.mean;
        result->p1 = pooled.p1;
    }
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
        say("vmaf-tune: the encodes of the shots stay in %s", kept);
    free(kept);
}

int shot_execute(const ShotTuning *tuning, const ShotPaths *paths, const ShotCommands *commands,
                 bool video_only, ShotResult *result)
{
    ScratchFolder folder;
    ShotPaths own = {0};
    *result = (ShotResult){.expected = shot_totals(tuning).vmaf};
    int status = make_folder(tuning, paths, &folder, &own);
    for (size_t i = 0; i < tuning->n && !status; i++)
        status = make_segment(tuning, &own, i);
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
