/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/measure/source_shots.h"

#include "tune/measure/reference.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static LumaPlane luma_of(const VmafPicture *picture)
{
    return (LumaPlane){
        .samples = picture->data[0],
        .stride = picture->stride[0],
        .width = (int)picture->w[0],
        .height = (int)picture->h[0],
        .bit_depth = (int)picture->bpc,
    };
}

typedef struct FramePair {
    VmafPicture before;
    bool has_before;
} FramePair;

static void release(FramePair *pair)
{
    if (pair->has_before)
        vmaf_picture_unref(&pair->before);
    pair->has_before = false;
}

/* Takes the next frame over. */
static int put_frame(ShotDetector *detector, VmafPicture *picture, FramePair *pair)
{
    FrameSignature signature;
    const LumaPlane luma = luma_of(picture), old = luma_of(&pair->before);
    int err = frame_signature(&luma, pair->has_before ? &old : NULL, &signature);
    if (!err)
        err = shot_detector_put(detector, &signature);
    release(pair);
    *pair = (FramePair){*picture, true};
    return err;
}

static int put_frames(ReferenceCursor *cursor, const atomic_bool *stop, ShotDetector *detector,
                      Message *why)
{
    VmafPicture picture;
    FramePair pair = {0};
    int err = 0;
    while (!err) {
        const int got = reference_cursor_next(cursor, &picture, why);
        if (got == 0)
            break;
        if (got < 0)
            err = got;
        else if ((err = put_frame(detector, &picture, &pair)) == -E2BIG)
            message_set(why, err, "there are more than %d shots", MAX_SHOTS);
        else if (err)
            message_set(why, err, "%s", strerror(-err));
        else if (stop && atomic_load(stop))
            err = message_set(why, -ECANCELED, "interrupted");
    }
    release(&pair);
    return err;
}

int source_find_shots(const TuneSource *source, const ShotOptions *options, const atomic_bool *stop,
                      ShotDetector *detector, const Shot **shots, size_t *n, Message *why)
{
    const ReferenceOptions luma = {.planes = 1, .memory = 0, .decoders = 2};
    TuneReference *reference;
    ReferenceCursor *cursor = NULL;
    *detector = (ShotDetector){.options = *options};
    *shots = NULL;
    *n = 0;
    int err = reference_open(&reference, source, &luma, why);
    if (err)
        return err;
    err = reference_cursor_open(reference, &cursor, why);
    if (!err)
        err = put_frames(cursor, stop, detector, why);
    reference_cursor_close(cursor);
    reference_close(reference);
    if (!err)
        *n = shot_detector_finish(detector, shots);
    return err;
}

ShotStatistics shot_statistics(const Shot *shots, size_t n, FrameRate rate)
{
    ShotStatistics statistics = {.n = n};
    const double frame = (double)rate.denominator / rate.numerator;
    double sum = 0, squares = 0;
    for (size_t i = 0; i < n; i++)
        sum += (double)shot_frames(&shots[i]) * frame;
    const double mean = n ? sum / (double)n : 0;
    for (size_t i = 0; i < n; i++) {
        const double difference = (double)shot_frames(&shots[i]) * frame - mean;
        squares += difference * difference;
    }
    statistics.mean_seconds = mean;
    statistics.deviation_seconds = n ? sqrt(squares / (double)n) : 0;
    return statistics;
}
