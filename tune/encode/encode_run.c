/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/encode/encode_run.h"

#include "platform/child.h"
#include "platform/file.h"
#include "platform/path.h"
#include "platform/process.h"
#include "tune/encode/arguments.h"
#include "tune/encode/ffmpeg_output.h"
#include "tune/encode/scratch_folder.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OUTPUT_MAX = 1 << 22 };

/* ---- Runs of ffmpeg ---- */

/* No text is a sign of life: one that prints for ever is ended as well. */
static bool take_text(void *cookie, VmafChildStream stream, const char *text, size_t size)
{
    if (stream == VMAF_CHILD_ERRORS)
        ffmpeg_log_add(cookie, text, size);
    return false;
}

static bool has_ended_well(const VmafChildResult *result)
{
    return result->ending == VMAF_CHILD_EXITED && result->number == 0;
}

/* 0, whatever it said; negative errno if it could not be started; -ECANCELED. */
static int run_ffmpeg(const ArgumentList *command, const FfmpegLimits *limits, FfmpegLog *log,
                      VmafChildResult *result)
{
    if (command->error)
        return command->error;
    const VmafChildRun run = {
        .program = command->items[0],
        .arguments = (const char *const *)command->items,
        .limit_ms = limits->limit_ms,
        .stop = limits->stop,
        .on_text = take_text,
        .cookie = log,
        .output_max = OUTPUT_MAX,
    };
    const int err = vmaf_child_run(&run, result);
    if (err)
        return err;
    ffmpeg_log_end(log);
    if (result->ending != VMAF_CHILD_STOPPED)
        return 0;
    vmaf_child_result_free(result);
    return -ECANCELED;
}

/* The first error that it printed, which the rest follows from, else its last line. */
static const char *complaint_of(const FfmpegLog *log)
{
    return *log->cause ? log->cause : log->last;
}

/* 0: it ended well, as far as that is known. */
static int judge_ending(const VmafChildResult *result, const FfmpegLog *log, int64_t limit_ms,
                        Message *message)
{
    const char *why = complaint_of(log);
    char name[32];
    switch (result->ending) {
    case VMAF_CHILD_EXITED:
        if (!result->number)
            break;
        return message_set(message, -EIO, "ffmpeg failed with status %d%s%s", result->number,
                           *why ? ": " : "", why);
    case VMAF_CHILD_SIGNALLED:
        vmaf_signal_name(name, sizeof(name), result->number);
        return message_set(message, -EIO, "ffmpeg was ended by %s", name);
    case VMAF_CHILD_LATE:
        return message_set(message, -ETIMEDOUT, "no progress for %.1f s, so it was ended",
                           (double)limit_ms / 1000);
    case VMAF_CHILD_STOPPED:
        return message_set(message, -ECANCELED, "stopped");
    case VMAF_CHILD_UNKNOWN:
        break;
    }
    return log->disk_full ? message_set(message, -EIO, "%s", log->cause) : 0;
}

void ffmpeg_begin(const char *ffmpeg, ArgumentList *command)
{
    static const char *const start[] = {"-y",        "-nostdin",    "-hide_banner",
                                        "-loglevel", "level+error", NULL};
    arguments_add(command, ffmpeg);
    arguments_add_all(command, start);
}

int ffmpeg_run(const ArgumentList *command, const FfmpegLimits *limits, Message *why)
{
    FfmpegLog log = {.encoder = NULL};
    VmafChildResult result;
    int err = run_ffmpeg(command, limits, &log, &result);
    if (err)
        return err == -ECANCELED ? message_set(why, err, "interrupted")
                                 : message_set(why, err, "ffmpeg: %s", strerror(-err));
    err = judge_ending(&result, &log, limits->limit_ms, why);
    if (err && *log.cause)
        err = message_set(why, log.disk_full ? -ENOSPC : -EIO, "%s", log.cause);
    vmaf_child_result_free(&result);
    return err;
}

/* What it prints; to be freed. */
static int ask(const char *ffmpeg, const char *const *arguments, const FfmpegLimits *limits,
               char **answer, Message *message)
{
    ArgumentList command = {0};
    VmafChildResult result;
    FfmpegLog log = {.encoder = NULL};
    arguments_add(&command, ffmpeg);
    arguments_add_all(&command, arguments);
    int err = run_ffmpeg(&command, limits, &log, &result);
    arguments_free(&command);
    if (err)
        return message_set(message, err, "%s: %s", ffmpeg,
                           err == -ENOENT ? "there is no such program" : strerror(-err));
    if (result.ending == VMAF_CHILD_LATE)
        snprintf(log.last, sizeof(log.last), "it does not end");
    if (has_ended_well(&result) || result.ending == VMAF_CHILD_UNKNOWN) {
        *answer = result.output;
        result.output = NULL;
    } else {
        err = message_set(message, -EIO, "%s: it does not work as ffmpeg does%s%s", ffmpeg,
                          log.last[0] ? ": " : "", log.last);
    }
    vmaf_child_result_free(&result);
    return err;
}

/* ---- What it is ---- */

int ffmpeg_describe(const char *ffmpeg, const FfmpegLimits *limits, FfmpegDescription *description,
                    Message *message)
{
    static const char *const version[] = {"-version", NULL};
    static const char *const encoders[] = {"-hide_banner", "-encoders", NULL};
    char *text = NULL;
    *description = (FfmpegDescription){.encoders = NULL};
    int err = ask(ffmpeg, version, limits, &text, message);
    if (!err && sscanf(text, "ffmpeg version %127s", description->version) != 1)
        err = message_set(message, -EIO, "%s: it does not say that it is ffmpeg", ffmpeg);
    if (!err)
        snprintf(description->line, sizeof(description->line), "%.*s", (int)strcspn(text, "\r\n"),
                 text);
    free(text);
    if (!err)
        err = ask(ffmpeg, encoders, limits, &description->encoders, message);
    return err;
}

void ffmpeg_description_free(FfmpegDescription *description)
{
    free(description->encoders);
    *description = (FfmpegDescription){.encoders = NULL};
}

int ffmpeg_hash_packets(const char *ffmpeg, const char *path, const FfmpegLimits *limits,
                        char hash[SHA256_TEXT_SIZE], Message *message)
{
    ArgumentList file = {0};
    char *text = NULL;
    arguments_add_path(&file, path);
    const char *const arguments[] = {
        "-nostdin", "-hide_banner", "-loglevel", "error", "-i", file.error ? "" : file.items[0],
        "-map",     "0:V:0",        "-c",        "copy",  "-f", "hash",
        "-hash",    "sha256",       "-",         NULL};
    int err = ask(ffmpeg, arguments, limits, &text, message);
    if (!err && sscanf(text, "SHA256=%64[0-9a-f]", hash) != 1)
        err = message_set(message, -EIO, "%s: it does not tell the hash of %s", ffmpeg, path);
    free(text);
    arguments_free(&file);
    return err;
}

int ffmpeg_check_filters(const char *ffmpeg, const char *chain, const FfmpegLimits *limits,
                         Message *message)
{
    static const char *const filters[] = {"-hide_banner", "-filters", NULL};
    char *listed = NULL;
    int err = ask(ffmpeg, filters, limits, &listed, message);
    if (!err)
        err = filter_chain_check(chain, listed, message);
    free(listed);
    return err;
}

/* ---- Encoders ---- */

/* " V....D libx264              H.264 ..." */
static bool is_listed(const char *encoders, const char *name)
{
    char listed[64];
    for (const char *line = encoders; line; line = strchr(line + 1, '\n'))
        if (sscanf(line, " V%*s %63s", listed) == 1 && !strcmp(listed, name))
            return true;
    return false;
}

/* Encodes a frame, which is grey, into nothing; or has all kinds of things in it, into a hash. */
static int try_encoder(const char *ffmpeg, const Encoder *encoder, double q, bool hashes,
                       const FfmpegLimits *limits, FfmpegLog *log, VmafChildResult *result)
{
    static const char *const start[] = {"-nostdin", "-hide_banner", "-loglevel", "level+info",
                                        "-f",       "lavfi",        NULL};
    ArgumentList command = {0}, values = {0};
    Message ignored;
    arguments_add(&command, ffmpeg);
    arguments_add_all(&command, start);
    arguments_option(&command, "-i", "%s",
                     hashes ? "testsrc2=s=256x256:r=24" : "color=c=gray:s=256x256:r=24");
    arguments_option(&command, "-frames:v", "1");
    if (encoder->upload_formats)
        arguments_option(&command, "-vf", "format=%s,hwupload", encoder->upload_formats);
    int err = encoder_values(encoder, encoder->probe_preset, q, &values, &ignored);
    encoder_add(encoder, "arguments", &values, &command);
    encoder_add(encoder, encoder_quality_key(encoder, q), &values, &command);
    /* As files want it: x264 tells its version only then. */
    arguments_option(&command, "-flags", "+global_header");
    arguments_option(&command, "-f", hashes ? "md5" : "null");
    arguments_add(&command, "-");
    if (!err)
        err = run_ffmpeg(&command, limits, log, result);
    arguments_free(&values);
    arguments_free(&command);
    return err;
}

static void judge_test(const Encoder *encoder, const VmafChildResult *result, const FfmpegLog *log,
                       EncoderAvailability *availability)
{
    const char *why = complaint_of(log);
    char name[32] = "";
    availability->usable =
        has_ended_well(result) || (result->ending == VMAF_CHILD_UNKNOWN && !log->cause[0]);
    if (availability->usable) {
        snprintf(availability->version, sizeof(availability->version), "%s", log->version);
        return;
    }
    if (result->ending == VMAF_CHILD_LATE)
        why = "it hangs";
    if (result->ending == VMAF_CHILD_SIGNALLED) {
        vmaf_signal_name(name, sizeof(name), result->number);
        why = name;
    }
    message_set(&availability->reason, 0, "%s does not work here: %s; it takes %s", encoder->name,
                why, encoder->installed_by);
}

/* "  -cq   <float>   E..V....... Set ... (from 0 to 63) (default 0)" */
static void narrow_range(const char *help, const char *quality_name, QualityRange *qualities)
{
    for (const char *line = help; line; line = strchr(line + 1, '\n')) {
        char option[32];
        int lowest, highest = INT_MAX; /* also for FLT_MAX and the like */
        const char *from = strstr(line, "(from ");
        if (sscanf(line, " -%31s", option) != 1 || strcmp(option, quality_name) != 0)
            continue;
        if (!from || from > line + 1 + strcspn(line + 1, "\n") ||
            sscanf(from, "(from %d to %d", &lowest, &highest) < 1)
            return;
        lowest = lowest > qualities->lowest ? lowest : qualities->lowest;
        highest = highest < qualities->highest ? highest : qualities->highest;
        if (lowest < highest) {
            qualities->lowest = lowest;
            qualities->highest = highest;
        }
        return;
    }
}

static int ask_range(const char *ffmpeg, const Encoder *encoder, const FfmpegLimits *limits,
                     QualityRange *qualities)
{
    char *help = NULL, name[64];
    Message ignored;
    snprintf(name, sizeof name, "encoder=%s", encoder->name);
    const char *const arguments[] = {"-hide_banner", "-h", name, NULL};
    const int err = ask(ffmpeg, arguments, limits, &help, &ignored);
    if (!err)
        narrow_range(help, encoder->quality_name, qualities);
    free(help);
    return err == -ENOMEM || err == -ECANCELED ? err : 0;
}

int encoder_probe(const char *ffmpeg, const FfmpegDescription *description, const Encoder *encoder,
                  const FfmpegLimits *limits, EncoderAvailability *availability)
{
    VmafChildResult result;
    FfmpegLog log = {.encoder = encoder};
    *availability = (EncoderAvailability){.version = "unknown", .qualities = encoder->qualities};
    availability->listed = is_listed(description->encoders, encoder->name);
    if (!availability->listed) {
        message_set(&availability->reason, 0, "ffmpeg %s has no encoder %s; it takes %s",
                    description->version, encoder->name, encoder->installed_by);
        return 0;
    }
    const int err = try_encoder(ffmpeg, encoder, encoder->default_q, false, limits, &log, &result);
    if (err == -ENOMEM || err == -ECANCELED)
        return err;
    if (err) {
        message_set(&availability->reason, 0, "%s: %s", ffmpeg, strerror(-err));
        return 0;
    }
    judge_test(encoder, &result, &log, availability);
    vmaf_child_result_free(&result);
    return availability->usable ? ask_range(ffmpeg, encoder, limits, &availability->qualities) : 0;
}

/* ---- Its steps ---- */

/* The hash of a frame at q; NULL if the encoder does not say q, and rounds it perhaps. */
static int hash_quality(const char *ffmpeg, const Encoder *encoder, double q,
                        const FfmpegLimits *limits, char **hash)
{
    char number[16];
    VmafChildResult result;
    FfmpegLog log = {.number = number};
    snprintf(number, sizeof(number), "%g", q);
    const int err = try_encoder(ffmpeg, encoder, q, true, limits, &log, &result);
    *hash = NULL;
    if (err)
        return err;
    if (log.has_number && has_ended_well(&result)) {
        *hash = result.output;
        result.output = NULL;
    }
    vmaf_child_result_free(&result);
    return 0;
}

int encoder_find_steps(const char *ffmpeg, const Encoder *encoder, const FfmpegLimits *limits,
                       EncoderAvailability *availability)
{
    const double step = 1.0 / encoder->steps;
    char *hash = NULL, *next = NULL;
    int err = 0;
    availability->qualities.per_unit = encoder->steps;
    if (!encoder_arguments(encoder, "fraction"))
        return 0;
    err = hash_quality(ffmpeg, encoder, encoder->default_q + step, limits, &hash);
    if (!err && hash)
        err = hash_quality(ffmpeg, encoder, encoder->default_q + 2 * step, limits, &next);
    if (!hash || !next || !strcmp(hash, next))
        availability->qualities.per_unit = 1;
    free(hash);
    free(next);
    return err == -ENOMEM || err == -ECANCELED ? err : 0;
}

/* ---- Encodes ---- */

/* An encode that is being made. */
typedef struct Encode {
    const EncodeRequest *request;
    const EncodeControl *control;
    EncodeOutcome *outcome;
    Message *message;
    char *target; /* the output behind all links */
    ScratchFolder folder;
    ArgumentList paths;
    const char *video, *log_prefix; /* in the folder */
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

static bool take_report(void *cookie, VmafChildStream stream, const char *text, size_t size)
{
    Encode *encode = cookie;
    const EncodeControl *control = encode->control;
    if (stream == VMAF_CHILD_ERRORS) {
        ffmpeg_log_add(&encode->log, text, size);
        return true;
    }
    const FfmpegProgress *news = &encode->progress;
    ffmpeg_progress_add(&encode->progress, text, size);
    if (news->reports && control->on_progress)
        control->on_progress(control->cookie, encode->number, encode->passes, news->frames);
    /* FFmpeg 7 counts no frames of a pass that writes no packets: its reports are all there is. */
    return news->advances || (news->reports && writes_nothing(encode) && news->frames == 0);
}

/* Checks an encode that ffmpeg reports as successful. */
static int check_frames(const Encode *encode)
{
    const size_t expected = encode_frames(encode->request), got = encode->progress.frames;
    if (encode->progress.ended && got == 0 && writes_nothing(encode))
        return 0;
    if (!encode->progress.ended || got == 0)
        return message_set(encode->message, -EIO, "ffmpeg encoded no frames");
    if (expected > 0 && got != expected)
        return message_set(encode->message, -EIO, "ffmpeg encoded %zu frames instead of %zu", got,
                           expected);
    return 0;
}

static int judge(const Encode *encode, const VmafChildResult *result)
{
    const int err = judge_ending(result, &encode->log, encode->control->limit_ms, encode->message);
    return err ? err : check_frames(encode);
}

static void note_result(Encode *encode, const VmafChildResult *result)
{
    EncodeOutcome *outcome = encode->outcome;
    outcome->wall_ms += (double)result->wall_ns / 1e6;
    outcome->exit_status = result->ending == VMAF_CHILD_EXITED ? result->number : -1;
    outcome->frames = encode->progress.frames;
    ffmpeg_log_end(&encode->log);
    snprintf(outcome->complaint, sizeof(outcome->complaint), "%s", encode->log.complaint);
    snprintf(outcome->encoder_version, sizeof(outcome->encoder_version), "%s", encode->log.version);
}

static int run_command(Encode *encode, const ArgumentList *command)
{
    const VmafChildRun run = {
        .program = command->items[0],
        .arguments = (const char *const *)command->items,
        .limit_ms = encode->control->limit_ms,
        .stop = encode->control->stop,
        .on_text = take_report,
        .cookie = encode,
    };
    VmafChildResult result;
    encode->log = (FfmpegLog){.encoder = encode->request->spec.encoder};
    encode->progress = (FfmpegProgress){0};
    int err = vmaf_child_run(&run, &result);
    if (err)
        return message_set(encode->message, err, "%s: %s", command->items[0],
                           err == -ENOENT ? "there is no such program" : strerror(-err));
    note_result(encode, &result);
    err = judge(encode, &result);
    vmaf_child_result_free(&result);
    return err ? message_about_file(encode->message, err, encode->request->spec.encoder->name) : 0;
}

static int run_pass(Encode *encode, int number)
{
    const EncodePass pass = {
        .number = encode->passes > 1 ? number : 0,
        .output = encode->video,
        .log = encode->log_prefix,
        .kbps = encode->outcome->anchor_kbps,
    };
    ArgumentList command;
    encode->number = number;
    int err = encode_command(encode->request, &pass, &command, encode->message);
    if (!err)
        err = run_command(encode, &command);
    arguments_free(&command);
    return err;
}

/* ---- Statistics, and the bitrate of the first pass ---- */

static int read_stats(const Encode *encode)
{
    const EncodeRequest *request = encode->request;
    const Encoder *encoder = request->spec.encoder;
    EncodeOutcome *outcome = encode->outcome;
    EncoderStats *stats = &outcome->stats;
    const FrameRate rate = request->source->rate;
    const bool anchors = encode->passes > 1 && encoder->two_pass == TWO_PASS_ANCHORED;
    const bool has_stats = request->spec.stats && encoder->stats_file;
    ArgumentList values = {0}, path = {0};
    if (!anchors && (!has_stats || encode->passes > 1))
        return 0;
    arguments_print(&values, "log=%s", encode->log_prefix);
    template_add(&path, encoder->stats_file, &values, false);
    const int err = path.error ? path.error : encoder_stats_load(path.items[0], stats);
    arguments_free(&values);
    arguments_free(&path);
    if (err || !stats->frames) {
        message_set(encode->message, 0, "it has left no statistics%s%s", err ? ": " : "",
                    err ? strerror(-err) : "");
        return message_about_file(encode->message, err == -ENOMEM ? err : -EIO, encoder->name);
    }
    outcome->has_stats = has_stats;
    if (anchors)
        outcome->anchor_kbps =
            stats->total_bits / (double)stats->frames * rate.numerator / rate.denominator / 1000;
    return 0;
}

/* ---- Files ---- */

static int prepare_paths(Encode *encode)
{
    const char *output = encode->request->output;
    ArgumentList *paths = &encode->paths;
    int err = vmaf_path_behind_links(output, &encode->target);
    if (!err)
        err = scratch_folder_make(&encode->folder, encode->target);
    if (!err) {
        arguments_print(paths, "%s/video%s", encode->folder.path, strrchr(output, '.'));
        arguments_print(paths, "%s/pass", encode->folder.path);
        err = paths->error;
    }
    if (err)
        return message_set(encode->message, err, "%s: %s", output, strerror(-err));
    encode->video = paths->items[0];
    encode->log_prefix = paths->items[1];
    return 0;
}

static int publish(const Encode *encode)
{
    const EncodeControl *control = encode->control;
    VmafFileStatus status;
    int err = vmaf_file_status_at(encode->video, &status);
    if (!err && status.kind != VMAF_FILE_REGULAR) {
        message_set(encode->message, 0, "ffmpeg has made no regular file");
        return message_about_file(encode->message, -EIO, encode->request->spec.encoder->name);
    }
    if (!err && control->check &&
        (err = control->check(control->cookie, encode->video, encode->message)))
        return message_about_file(encode->message, err, encode->request->spec.encoder->name);
    if (!err && rename(encode->video, encode->target) < 0)
        err = -errno;
    if (err)
        return message_set(encode->message, err, "%s: %s", encode->request->output, strerror(-err));
    encode->outcome->size = status.size;
    return 0;
}

int encode_run(const EncodeRequest *request, const EncodeControl *control, EncodeOutcome *outcome,
               Message *message)
{
    *outcome = (EncodeOutcome){.exit_status = -1, .encoder_version = "unknown"};
    int err = encode_check(request, message);
    if (err)
        return err;
    const EncodeControl none = {.limit_ms = 0};
    Encode encode = {.request = request,
                     .control = control ? control : &none,
                     .outcome = outcome,
                     .message = message,
                     .passes = encode_passes(&request->spec)};
    encode_rate_control(&request->spec, outcome->rate_control);
    err = prepare_paths(&encode);
    for (int number = 1; number <= encode.passes && !err; number++) {
        err = run_pass(&encode, number);
        if (!err && number == 1)
            err = read_stats(&encode);
    }
    if (!err)
        err = publish(&encode);
    scratch_folder_remove(&encode.folder);
    arguments_free(&encode.paths);
    free(encode.target);
    return err;
}
