/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/measure/frame_pairs.h"

#include "media/match.h"

#include <errno.h>
#include <string.h>

enum { DEPTH_AHEAD = 2, BUFFERS = 24 };

static int open_encode(FramePairs *pairs, const char *path, Message *why)
{
    const MediaSettings settings = {.stream = -1, .threads = 2};
    const MatchOptions options = {0};
    VideoReader *reader = &pairs->reader;
    int err = video_reader_open(reader, path);
    pairs->is_open = true;
    if (!err)
        err = video_reader_start_media(reader, &settings);
    if (err)
        return message_set(why, err, "%s: %s", path,
                           *reader->error.text ? reader->error.text : strerror(-err));
    return match_distorted(reader, reference_format(pairs->reference), &options, why);
}

int frame_pairs_open(FramePairs *pairs, TuneReference *reference, const char *encode,
                     unsigned planes, bool allows_mismatch, Message *why)
{
    *pairs = (FramePairs){.reference = reference, .allows_mismatch = allows_mismatch};
    int err = open_encode(pairs, encode, why);
    if (err)
        return err;
    const ReadAheadConfig config = {
        .depth = DEPTH_AHEAD,
        .max_buffers = BUFFERS,
        .wanted_planes = planes,
        .output_depth = match_depth(reference_format(reference), &pairs->reader),
    };
    err = read_ahead_start(&pairs->ahead, &pairs->reader, &config);
    if (err)
        return message_set(why, err, "%s", strerror(-err));
    return reference_cursor_open(reference, config.output_depth, match_rgb_matrix(&pairs->reader),
                                 &pairs->cursor, why);
}

static int take_distorted(FramePairs *pairs, VmafPicture *picture, Message *why)
{
    enum { PATIENCE_MS = 1000 };
    int got;
    do
        got = read_ahead_next(pairs->ahead, PATIENCE_MS, picture, why);
    while (got == -EAGAIN);
    return got;
}

static int one_is_shorter(const FramePairs *pairs, const char *which, Message *why)
{
    if (pairs->allows_mismatch && pairs->taken)
        return 0;
    return message_set(why, -ERANGE,
                       "frame_count_mismatch: the %s ends after %zu frames, the other goes on",
                       which, pairs->taken);
}

int frame_pairs_next(FramePairs *pairs, VmafPicture *reference, VmafPicture *distorted,
                     Message *why)
{
    const int first = reference_cursor_next(pairs->cursor, reference, why);
    if (first < 0)
        return first;
    const int second = take_distorted(pairs, distorted, why);
    if (first == 1 && second != 1)
        vmaf_picture_unref(reference);
    if (second == 1 && first != 1)
        vmaf_picture_unref(distorted);
    if (second < 0)
        return second;
    if (first != second)
        return one_is_shorter(pairs, first ? "encode" : "reference", why);
    pairs->taken += first == 1;
    return first;
}

void frame_pairs_stop(FramePairs *pairs)
{
    read_ahead_stop(pairs->ahead);
}

void frame_pairs_close(FramePairs *pairs)
{
    reference_cursor_close(pairs->cursor);
    read_ahead_destroy(pairs->ahead);
    if (pairs->is_open)
        video_reader_close(&pairs->reader);
    *pairs = (FramePairs){0};
}
