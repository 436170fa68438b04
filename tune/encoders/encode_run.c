/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/encoders/encode_run.h"

#include "platform/child.h"
#include "platform/file.h"
#include "platform/path.h"
#include "platform/process.h"
#include "tune/encoders/ffmpeg_log.h"
#include "tune/encoders/ffmpeg_progress.h"
#include "tune/encoders/scratch_folder.h"
#include "tune/encoders/template.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static_assert((int)ENCODE_ERROR_TAIL == (int)VMAF_CHILD_ERROR_TAIL, "one is copied to the other");

static const EncodeControl no_control;

/* An encode that is being made. */
typedef struct Encode {
    const EncodeRequest *request;
    const EncodeControl *control;
    EncodeOutcome *outcome;
    Message *message;
    char *target; /* the output behind all links */
    ScratchFolder folder;
    char *video, *log_prefix;
    /* State of the pass that runs: */
    int number, passes;
    FfmpegLog log;
    FfmpegProgress progress;
} Encode;

/* ---- One pass ---- */

/* The first of two passes may leave its log and no packets. */
static bool writes_nothing(const Encode *encode)
{
    return encode->passes > 1 && encode->number == 1;
}

static bool take_text(void *cookie, VmafChildStream stream, const char *text, size_t size)
{
    Encode *encode = cookie;
    const EncodeControl *control = encode->control;
    if (stream == VMAF_CHILD_ERRORS) {
        ffmpeg_log_add(&encode->log, text, size);
        return true;
    }
    const ProgressNews news = ffmpeg_progress_add(&encode->progress, text, size);
    if (news.reported && control->on_progress) {
        const EncodeProgress progress = {encode->number, encode->passes, encode->progress.frames,
                                         encode->progress.fps};
        control->on_progress(control->cookie, &progress);
    }
    /* FFmpeg 7 counts no frames of a pass that writes no packets: its reports are all there is. */
    const bool counts_none = writes_nothing(encode) && encode->progress.frames == 0;
    return news.advanced || (news.reported && counts_none);
}

static int fail_late(const Encode *encode)
{
    return message_set(encode->message, -ETIMEDOUT, "%s: no progress for %.1f s, so it was ended",
                       encode->request->encoder->name, (double)encode->control->limit_ms / 1000);
}

static int fail_exit(const Encode *encode, int status)
{
    const FfmpegLog *log = &encode->log;
    const char *why = log->cause[0] ? log->cause : log->last;
    return message_set(encode->message, -EIO, "%s: ffmpeg failed with status %d%s%s",
                       encode->request->encoder->name, status, *why ? ": " : "", why);
}

static int fail_signal(const Encode *encode, int number)
{
    char name[32];
    vmaf_signal_name(name, sizeof(name), number);
    return message_set(encode->message, -EIO, "%s: ffmpeg was ended by %s",
                       encode->request->encoder->name, name);
}

/* Checks an encode that ffmpeg reports as successful. */
static int check_frames(const Encode *encode)
{
    const size_t expected = encode_frames(encode->request), got = encode->progress.frames;
    if (encode->log.disk_full)
        return message_set(encode->message, -EIO, "%s: %s", encode->request->encoder->name,
                           encode->log.cause);
    if (encode->progress.ended && got == 0 && writes_nothing(encode))
        return 0;
    if (!encode->progress.ended || got == 0)
        return message_set(encode->message, -EIO, "%s: ffmpeg encoded no frames",
                           encode->request->encoder->name);
    if (expected > 0 && got != expected)
        return message_set(encode->message, -EIO, "%s: ffmpeg encoded %zu frames instead of %zu",
                           encode->request->encoder->name, got, expected);
    return 0;
}

static int judge(const Encode *encode, const VmafChildResult *result)
{
    switch (result->ending) {
    case VMAF_CHILD_EXITED:
        return result->number ? fail_exit(encode, result->number) : check_frames(encode);
    case VMAF_CHILD_SIGNALLED:
        return fail_signal(encode, result->number);
    case VMAF_CHILD_LATE:
        return fail_late(encode);
    case VMAF_CHILD_STOPPED:
        return message_set(encode->message, -ECANCELED, "%s: stopped",
                           encode->request->encoder->name);
    case VMAF_CHILD_UNKNOWN:
        break;
    }
    return check_frames(encode); /* all that is known */
}

static void note_result(Encode *encode, const VmafChildResult *result)
{
    EncodeOutcome *outcome = encode->outcome;
    outcome->wall_ms += (double)result->wall_ns / 1e6;
    outcome->processor_ms += (double)result->processor_ns / 1e6;
    outcome->exit_status = result->ending == VMAF_CHILD_EXITED ? result->number : -1;
    outcome->frames = encode->progress.frames;
    memcpy(outcome->error_tail, result->error_tail, sizeof(outcome->error_tail));
    ffmpeg_log_end(&encode->log);
    snprintf(outcome->encoder_version, sizeof(outcome->encoder_version), "%s", encode->log.version);
}

static int run_command(Encode *encode, const ArgumentList *command)
{
    const EncodeControl *control = encode->control;
    const VmafChildRun run = {
        .program = command->items[0],
        .arguments = (const char *const *)command->items,
        .limit_ms = control->limit_ms,
        .stop = control->stop,
        .on_text = take_text,
        .cookie = encode,
    };
    VmafChildResult result;
    encode->log = (FfmpegLog){.encoder = encode->request->encoder};
    encode->progress = (FfmpegProgress){0};
    int err = vmaf_child_run(&run, &result);
    if (err)
        return message_set(encode->message, err, "%s: %s", command->items[0],
                           err == -ENOENT ? "there is no such program" : strerror(-err));
    note_result(encode, &result);
    err = judge(encode, &result);
    vmaf_child_result_free(&result);
    return err;
}

static int run_pass(Encode *encode, int number)
{
    const EncodePass pass = {encode->passes > 1 ? number : 0, encode->video, encode->log_prefix,
                             encode->outcome->anchor_kbps};
    ArgumentList command;
    int err = encode_command(encode->request, &pass, &command, encode->message);
    if (err)
        return err;
    encode->number = number;
    err = run_command(encode, &command);
    arguments_free(&command);
    return err;
}

/* ---- Statistics, and the bitrate of the first pass ---- */

static int load_stats(Encode *encode)
{
    const Encoder *encoder = encode->request->encoder;
    EncodeOutcome *outcome = encode->outcome;
    TemplateValues values = {{NULL}};
    ArgumentList path = {0};
    values.of[PLACE_LOG] = encode->log_prefix;
    int err = template_add(&path, encoder->stats_file, &values, false);
    if (!err)
        err = encoder_stats_load(path.items[0], &outcome->stats);
    arguments_free(&path);
    if (err || outcome->stats.frames == 0)
        return message_set(encode->message, err == -ENOMEM ? err : -EIO,
                           "%s: it has left no statistics%s%s", encoder->name, err ? ": " : "",
                           err ? strerror(-err) : "");
    outcome->has_stats = true;
    return 0;
}

static int read_stats(Encode *encode)
{
    const EncodeRequest *request = encode->request;
    const Encoder *encoder = request->encoder;
    const bool anchors = encode->passes > 1 && encoder->two_pass == TWO_PASS_ANCHORED;
    if (encoder->stats == ENCODER_STATS_NONE || !(request->stats || anchors) ||
        (encode->passes > 1 && !anchors))
        return 0;
    const int err = load_stats(encode);
    if (err || !anchors)
        return err;
    const FrameRate *rate = &request->source.rate;
    const EncoderStats *stats = &encode->outcome->stats;
    encode->outcome->anchor_kbps =
        stats->total_bits / (double)stats->frames * rate->numerator / rate->denominator / 1000;
    encode->outcome->has_stats = request->stats;
    return 0;
}

/* ---- Files ---- */

static int prepare_paths(Encode *encode)
{
    const char *output = encode->request->output;
    int err = vmaf_path_behind_links(output, &encode->target);
    if (!err)
        err = scratch_folder_make(&encode->folder, encode->target);
    if (!err &&
        (asprintf(&encode->video, "%s/video%s", encode->folder.path, strrchr(output, '.')) < 0))
        encode->video = NULL;
    if (!err && (asprintf(&encode->log_prefix, "%s/pass", encode->folder.path) < 0))
        encode->log_prefix = NULL;
    if (!err && (!encode->video || !encode->log_prefix))
        err = -ENOMEM;
    if (err)
        message_set(encode->message, err, "%s: %s", output, strerror(-err));
    return err;
}

static int publish(Encode *encode)
{
    const EncodeControl *control = encode->control;
    VmafFileStatus status;
    int err = vmaf_file_status_at(encode->video, &status);
    if (!err && status.kind != VMAF_FILE_REGULAR)
        return message_set(encode->message, -EIO, "%s: ffmpeg has made no regular file",
                           encode->request->encoder->name);
    Message cause;
    if (!err && control->check && (err = control->check(control->cookie, encode->video, &cause)))
        return message_set(encode->message, err, "%s: %s", encode->request->encoder->name,
                           cause.text);
    if (!err && rename(encode->video, encode->target) < 0)
        err = -errno;
    if (err)
        return message_set(encode->message, err, "%s: %s", encode->request->output, strerror(-err));
    encode->outcome->size = status.size;
    return 0;
}

static void clean_up(Encode *encode)
{
    scratch_folder_remove(&encode->folder);
    free(encode->video);
    free(encode->log_prefix);
    free(encode->target);
}

int encode_run(const EncodeRequest *request, const EncodeControl *control, EncodeOutcome *outcome,
               Message *message)
{
    *outcome = (EncodeOutcome){.exit_status = -1, .encoder_version = "unknown"};
    int err = encode_check(request, message);
    if (err)
        return err;
    Encode encode = {.request = request, .outcome = outcome, .message = message};
    encode.control = control ? control : &no_control;
    encode.passes = encode_passes(request);
    encode_rate_control(request, outcome->rate_control);
    err = prepare_paths(&encode);
    for (int number = 1; number <= encode.passes && !err; number++) {
        err = run_pass(&encode, number);
        if (!err && number == 1)
            err = read_stats(&encode);
    }
    if (!err)
        err = publish(&encode);
    clean_up(&encode);
    return err;
}
