/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/measure/source_shots.h"

#include "tune/measure/reference.h"

#include <errno.h>
#include <stdlib.h>

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

/* Frames that were put, or an error and why. */
static int put_frames(ShotDetector *detector, ReferenceCursor *cursor, size_t total,
                      const atomic_bool *stop, ProgressTask *task, Message *why)
{
    VmafPicture pictures[2] = {0};
    size_t n = 0;
    int got = 0;
    while (n < total && (!stop || !atomic_load(stop))) {
        VmafPicture *picture = &pictures[n % 2];
        const LumaPlane before = luma_of(&pictures[(n + 1) % 2]);
        if (picture->data[0])
            vmaf_picture_unref(picture);
        *picture = (VmafPicture){0};
        got = reference_cursor_next(cursor, picture, why);
        if (got <= 0)
            break;
        const LumaPlane frame = luma_of(picture);
        if (shot_detector_put(detector, &frame, n ? &before : NULL)) {
            got = message_set(why, -ENOMEM, "out of memory");
            break;
        }
        progress_advance(task, "looking for shots", ++n, total);
    }
    for (int i = 0; i < 2; i++)
        if (pictures[i].data[0])
            vmaf_picture_unref(&pictures[i]);
    if (stop && atomic_load(stop))
        return message_set(why, -ECANCELED, "interrupted");
    return got < 0 ? got : (int)n;
}

static int read_frames(ShotDetector *detector, const TuneSource *source, const atomic_bool *stop,
                       Progress *progress, Message *why)
{
    static const ReferenceOptions luma_alone = {.planes = 1};
    TuneReference *reference;
    ReferenceCursor *cursor;
    int n = reference_open(&reference, source, &luma_alone, why);
    if (n)
        return n;
    n = reference_cursor_open(reference, reference_format(reference)->format.bit_depth, NULL,
                              &cursor, why);
    if (!n) {
        ProgressTask *task = progress_begin(progress, "shots");
        n = put_frames(detector, cursor, reference_frames(reference), stop, task, why);
        progress_end(task, false);
        reference_cursor_close(cursor);
    }
    reference_close(reference);
    if (n >= 0 && (size_t)n != source->frames)
        return message_set(why, -EIO, "%s: of its %zu frames, %d could be decoded", source->path,
                           source->frames, n);
    return n < 0 ? n : 0;
}

int source_shots_find(const TuneSource *source, const ShotOptions *options, const atomic_bool *stop,
                      Progress *progress, SourceShots *found, Message *why)
{
    ShotDetector *detector = shot_detector_create(options);
    *found = (SourceShots){0};
    int n = detector ? read_frames(detector, source, stop, progress, why)
                     : message_set(why, -ENOMEM, "out of memory");
    if (!n) {
        n = shot_detector_finish(detector, &found->shots);
        if (n == -E2BIG)
            message_set(why, n, "there are more than %d shots", MAX_SHOTS);
        else if (n < 0)
            message_set(why, n, "out of memory");
        found->n = n < 0 ? 0 : (size_t)n;
    }
    shot_detector_free(detector);
    return n < 0 ? n : 0;
}

void source_shots_free(SourceShots *found)
{
    free(found->shots);
    *found = (SourceShots){0};
}
