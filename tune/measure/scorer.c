/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/measure/scorer.h"

#include "tune/measure/score_context.h"

#include "media/match.h"
#include "media/read_ahead.h"
#include "platform/processors.h"
#include "platform/time.h"

#include "libvmaf/libvmaf_ext.h"

#include <errno.h>
#include <string.h>

enum { DEPTH_AHEAD = 2, BUFFERS = 24, HEIGHT_4K = 2160 };

const char *model_for_height(unsigned height)
{
    return height >= HEIGHT_4K ? "vmaf_4k_v0.6.1" : "vmaf_v0.6.1";
}

ScoreOptions score_share(const ScoreOptions *options, int jobs)
{
    ScoreOptions share = *options;
    const int processors = (int)vmaf_processors_usable();
    if (share.threads <= 0)
        share.threads = jobs > 0 && processors > jobs ? (processors + jobs - 1) / jobs : 1;
    return share;
}

bool score_needs_device(const ScoreOptions *options)
{
    return options->backend && strcmp(options->backend, "auto") && strcmp(options->backend, "cpu");
}

int scorer_check(const ScoreOptions *options, const VideoFormat *format, unsigned *planes,
                 Message *why)
{
    ScoreContext context;
    int err = score_context_open(&context, options, NULL, why);
    if (err)
        return err;
    err = vmaf_planes_needed(context.vmaf, format->pixel_format, planes);
    score_context_close(&context);
    return err ? message_set(why, err, "this pixel format cannot be scored") : 0;
}

/* One comparison. */
typedef struct Comparison {
    TuneReference *reference;
    const ScoreOptions *options;
    const ScoreControl *control;
    ScoreContext context;
    VideoReader reader; /* of the encode */
    bool is_open;
    ReadAhead *ahead;
    ReferenceCursor *cursor;
    size_t frames;
} Comparison;

static int open_encode(Comparison *comparison, const char *path, Message *why)
{
    const MediaSettings settings = {.stream = -1, .threads = 2};
    const MatchOptions options = {0};
    VideoReader *reader = &comparison->reader;
    int err = video_reader_open(reader, path);
    comparison->is_open = true;
    if (!err)
        err = video_reader_start_media(reader, &settings);
    if (err)
        return message_set(why, err, "%s: %s", path,
                           *reader->error.text ? reader->error.text : strerror(-err));
    return match_distorted(reader, reference_format(comparison->reference), &options, why);
}

static int start_reading(Comparison *comparison, Message *why)
{
    ReadAheadConfig config = {.depth = DEPTH_AHEAD, .max_buffers = BUFFERS};
    const VideoFormat *format = &reference_format(comparison->reference)->format;
    config.output_depth = format->bit_depth;
    int err =
        vmaf_planes_needed(comparison->context.vmaf, format->pixel_format, &config.wanted_planes);
    if (!err)
        err = read_ahead_start(&comparison->ahead, &comparison->reader, &config);
    if (err)
        return message_set(why, err, "%s", strerror(-err));
    return reference_cursor_open(comparison->reference, &comparison->cursor, why);
}

static int take_distorted(Comparison *comparison, VmafPicture *picture, Message *why)
{
    enum { PATIENCE_MS = 1000 };
    int got;
    do
        got = read_ahead_next(comparison->ahead, PATIENCE_MS, picture, why);
    while (got == -EAGAIN);
    return got;
}

static int one_is_shorter(const Comparison *comparison, const char *which, Message *why)
{
    if (comparison->options->allows_frame_mismatch && comparison->frames)
        return 0;
    return message_set(why, -ERANGE,
                       "frame_count_mismatch: the %s ends after %zu frames, the other goes on",
                       which, comparison->frames);
}

/* 1: a pair; 0: the end; negative errno and why. */
static int take_pair(Comparison *comparison, VmafPicture *reference, VmafPicture *distorted,
                     Message *why)
{
    const int first = reference_cursor_next(comparison->cursor, reference, why);
    if (first < 0)
        return first;
    const int second = take_distorted(comparison, distorted, why);
    if (first == 1 && second != 1)
        vmaf_picture_unref(reference);
    if (second == 1 && first != 1)
        vmaf_picture_unref(distorted);
    if (second < 0)
        return second;
    if (first != second)
        return one_is_shorter(comparison, first ? "encode" : "reference", why);
    return first;
}

static bool is_stopped(const ScoreControl *control)
{
    return control->stop && atomic_load(control->stop);
}

static int score_pairs(Comparison *comparison, char distrusted[32], Message *why)
{
    const ScoreControl *control = comparison->control;
    VmafPicture reference, distorted;
    for (;;) {
        if (is_stopped(control))
            return message_set(why, -ECANCELED, "interrupted");
        const int got = take_pair(comparison, &reference, &distorted, why);
        if (got <= 0)
            return got;
        const int err = vmaf_read_pictures(comparison->context.vmaf, &reference, &distorted,
                                           (unsigned)comparison->frames);
        if (err) {
            vmaf_picture_unref(&reference);
            vmaf_picture_unref(&distorted);
            return score_context_failed(&comparison->context, err, distrusted, why);
        }
        comparison->frames++;
        if (control->on_progress)
            control->on_progress(control->cookie, comparison->frames);
    }
}

static int compare(Comparison *comparison, const char *encode, const char *excluded,
                   char distrusted[32], EncodeScores *scores, Message *why)
{
    int err = score_context_open(&comparison->context, comparison->options, excluded, why);
    if (!err)
        err = open_encode(comparison, encode, why);
    if (!err)
        err = start_reading(comparison, why);
    if (!err)
        err = score_pairs(comparison, distrusted, why);
    if (!err && !comparison->frames)
        err = message_set(why, -ENODATA, "%s: there are no frames", encode);
    if (err)
        return err;
    err = vmaf_read_pictures(comparison->context.vmaf, NULL, NULL, 0);
    if (err)
        return score_context_failed(&comparison->context, err, distrusted, why);
    return score_context_collect(&comparison->context, comparison->frames, scores, why);
}

static void end_comparison(Comparison *comparison)
{
    read_ahead_stop(comparison->ahead);
    score_context_close(&comparison->context);
    reference_cursor_close(comparison->cursor);
    read_ahead_destroy(comparison->ahead);
    if (comparison->is_open)
        video_reader_close(&comparison->reader);
}

int score_encode(TuneReference *reference, const char *encode, const ScoreOptions *options,
                 const ScoreControl *control, EncodeScores *scores, Message *why)
{
    char excluded[32] = "", distrusted[32] = "";
    const int64_t start = vmaf_steady_ns();
    int err;
    do { /* a second time only without a backend whose scores are wrong */
        strcpy(excluded, distrusted);
        *distrusted = '\0';
        Comparison comparison = {.reference = reference, .options = options, .control = control};
        err = compare(&comparison, encode, excluded, distrusted, scores, why);
        end_comparison(&comparison);
    } while (err == -EAGAIN && !*excluded);
    if (!err)
        scores->ms = (double)(vmaf_steady_ns() - start) * 1e-6;
    return err == -EAGAIN ? -EIO : err;
}
