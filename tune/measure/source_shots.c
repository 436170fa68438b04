/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/measure/source_shots.h"

#include "tune/measure/reference.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* One pass. */
typedef struct Pass {
    ShotDetector detector;
    VmafPicture before; /* data[0] NULL: there is none */
    SourceShots *found;
} Pass;

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

/* Takes the picture over. */
static int put_frame(Pass *pass, VmafPicture *picture, Message *why)
{
    const LumaPlane frame = luma_of(picture), before = luma_of(&pass->before);
    const bool is_first = !pass->before.data[0];
    FrameSignature signature;
    int err = frame_signature(&frame, is_first ? NULL : &before, &signature);
    if (!err)
        err = shot_detector_put(&pass->detector, &signature);
    if (!is_first)
        vmaf_picture_unref(&pass->before);
    pass->before = *picture;
    if (err)
        return message_set(why, err, "out of memory");
    pass->found->luma[pass->found->frames++] = signature.mean;
    return 0;
}

static int too_few(const TuneSource *source, size_t frames, Message *why)
{
    return message_set(why, -EIO, "%s: of its %zu frames, %zu could be decoded", source->path,
                       source->frames, frames);
}

static int put_frames(Pass *pass, TuneReference *reference, const atomic_bool *stop,
                      ProgressTask *task, Message *why)
{
    ReferenceCursor *cursor;
    const size_t total = reference_frames(reference);
    const unsigned depth = reference_format(reference)->format.bit_depth;
    int err = reference_cursor_open(reference, depth, NULL, &cursor, why);
    if (err)
        return err;
    while (!err && pass->found->frames < total) {
        VmafPicture picture;
        if (stop && atomic_load(stop)) {
            err = message_set(why, -ECANCELED, "interrupted");
            break;
        }
        const int got = reference_cursor_next(cursor, &picture, why);
        if (got <= 0) {
            err = got;
            break;
        }
        err = put_frame(pass, &picture, why);
        progress_advance(task, "looking for shots", pass->found->frames, total);
    }
    if (pass->before.data[0])
        vmaf_picture_unref(&pass->before);
    reference_cursor_close(cursor);
    return err;
}

static int keep_shots(Pass *pass, Message *why)
{
    const Shot *shots;
    SourceShots *found = pass->found;
    const int n = shot_detector_finish(&pass->detector, &shots);
    if (n == -E2BIG)
        return message_set(why, n, "there are more than %d shots", MAX_SHOTS);
    if (n < 0)
        return message_set(why, n, "out of memory");
    found->n = (size_t)n;
    if (!found->n)
        return message_set(why, -ENODATA, "the video has no frames");
    found->shots = malloc(found->n * sizeof(*shots));
    if (!found->shots)
        return message_set(why, -ENOMEM, "out of memory");
    memcpy(found->shots, shots, found->n * sizeof(*shots));
    found->n = shots_join_short(found->shots, found->n, pass->detector.options.join_below);
    return 0;
}

int source_shots_find(const TuneSource *source, const ShotOptions *options, const atomic_bool *stop,
                      Progress *progress, SourceShots *found, Message *why)
{
    Pass pass = {.detector = {.options = *options}, .found = found};
    TuneReference *reference;
    const ReferenceOptions luma_alone = {.planes = 1, .decoders = 2};
    *found = (SourceShots){0};
    int err = reference_open(&reference, source, &luma_alone, why);
    if (err)
        return err;
    found->luma = calloc(reference_frames(reference), sizeof(*found->luma));
    if (found->luma) {
        ProgressTask *task = progress_begin(progress, "shots");
        err = put_frames(&pass, reference, stop, task, why);
        progress_end(task, false);
        if (!err && found->frames != source->frames)
            err = too_few(source, found->frames, why);
        if (!err)
            err = keep_shots(&pass, why);
    } else {
        err = message_set(why, -ENOMEM, "out of memory");
    }
    shot_detector_free(&pass.detector);
    reference_close(reference);
    return err;
}

void source_shots_free(SourceShots *found)
{
    free(found->shots);
    free(found->luma);
    *found = (SourceShots){0};
}

/* Cuts long ones. Takes `found` over. */
static int fit_shots(const TuneSource *source, const ShotScan *scan, SourceShots *found,
                     Shot **shots, size_t *n)
{
    const double rate = (double)source->rate.numerator / source->rate.denominator;
    *shots = found->shots;
    *n = found->n;
    found->shots = NULL;
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
    const bool joins_later = scan->joins_short && scan->min_frames > SHOT_DEFAULT_MIN_FRAMES;
    const ShotOptions options = {
        .kind = scan->kind,
        .threshold = scan->threshold,
        .min_frames = joins_later ? SHOT_DEFAULT_MIN_FRAMES : scan->min_frames,
        .join_below = scan->joins_short ? scan->min_frames : 0,
    };
    SourceShots found;
    *shots = NULL;
    *n = 0;
    int err = source_shots_find(source, &options, scan->stop, scan->progress, &found, why);
    if (!err && fit_shots(source, scan, &found, shots, n))
        err = message_set(why, -ENOMEM, "out of memory");
    if (!err && *n > MAX_SHOTS)
        err = message_set(why, -E2BIG, "there are more than %d shots", MAX_SHOTS);
    source_shots_free(&found);
    return err;
}
