/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/measure/shot_scan.h"

#include "tune/measure/reference.h"

#include "libvmaf/libvmaf.h"

#include <errno.h>
#include <stdlib.h>
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

static int put_picture(ShotDetector *detector, const VmafPicture *now, const VmafPicture *before,
                       Message *why)
{
    FrameSignature signature;
    const LumaPlane plane = luma_of(now), old = before ? luma_of(before) : plane;
    int err = frame_signature(&plane, before ? &old : NULL, &signature);
    if (err)
        return message_set(why, err, "frames differ in size or depth");
    err = shot_detector_put(detector, &signature);
    if (err == -E2BIG)
        return message_set(why, err, "there are more than %d shots", MAX_SHOTS);
    return err ? message_set(why, err, "out of memory") : 0;
}

/* All frames, each with the one before it. */
static int put_frames(ReferenceCursor *cursor, const ShotScan *scan, ProgressTask *task,
                      size_t frames, ShotDetector *detector, Message *why)
{
    VmafPicture now, before;
    bool has_before = false;
    int err = 0;
    while (!err) {
        if (scan->stop && atomic_load(scan->stop))
            err = message_set(why, -ECANCELED, "interrupted");
        else
            err = reference_cursor_next(cursor, &now, why);
        if (err != 1)
            break;
        err = put_picture(detector, &now, has_before ? &before : NULL, why);
        if (has_before)
            vmaf_picture_unref(&before);
        before = now;
        has_before = true;
        progress_advance(task, "looking for shots", detector->frames, frames);
    }
    if (has_before)
        vmaf_picture_unref(&before);
    return err;
}

static int read_frames(const TuneSource *source, const ShotScan *scan, ShotDetector *detector,
                       Message *why)
{
    const ReferenceOptions options = {.planes = 1, .decoders = 2};
    TuneReference *reference;
    ReferenceCursor *cursor = NULL;
    int err = reference_open(&reference, source, &options, why);
    if (err)
        return err;
    ProgressTask *task = progress_begin(scan->progress, "shots");
    err = reference_cursor_open(reference, &cursor, why);
    if (!err)
        err = put_frames(cursor, scan, task, source->frames, detector, why);
    if (!err && detector->frames != source->frames)
        err = message_set(why, -EIO, "%s: of its %zu frames, %zu could be decoded", source->path,
                          source->frames, detector->frames);
    reference_cursor_close(cursor);
    progress_end(task, false);
    reference_close(reference);
    return err;
}

static int take_shots(const TuneSource *source, const ShotScan *scan, ShotDetector *detector,
                      Shot **shots, size_t *n)
{
    const Shot *found;
    const double rate = (double)source->rate.numerator / source->rate.denominator;
    const size_t n_found = shot_detector_finish(detector, &found);
    *n = n_found;
    *shots = malloc((n_found ? n_found : 1) * sizeof(**shots));
    if (!*shots)
        return -ENOMEM;
    if (n_found)
        memcpy(*shots, found, n_found * sizeof(**shots));
    if (scan->joins_short)
        *n = shots_join_short(*shots, n_found, scan->min_frames);
    if (!(scan->max_seconds > 0))
        return 0;
    Shot *whole = *shots;
    const int parts = shots_split(whole, *n, scan->max_seconds * rate, shots);
    free(whole);
    if (parts < 0)
        *shots = NULL;
    *n = parts < 0 ? 0 : (size_t)parts;
    return parts < 0 ? parts : 0;
}

int shot_scan(const TuneSource *source, const ShotScan *scan, Shot **shots, size_t *n, Message *why)
{
    ShotDetector detector = {
        .options = {.kind = scan->kind,
                    .threshold = scan->threshold,
                    .min_frames = scan->joins_short && scan->min_frames > SHOT_DEFAULT_MIN_FRAMES
                                      ? SHOT_DEFAULT_MIN_FRAMES
                                      : scan->min_frames},
    };
    *shots = NULL;
    *n = 0;
    int err = read_frames(source, scan, &detector, why);
    if (!err && take_shots(source, scan, &detector, shots, n))
        err = message_set(why, -ENOMEM, "out of memory");
    if (!err && *n > MAX_SHOTS)
        err = message_set(why, -E2BIG, "there are more than %d shots", MAX_SHOTS);
    shot_detector_free(&detector);
    return err;
}
