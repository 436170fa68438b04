/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "engine/context.h"
#include "picture/picture.h"

static bool has_lengthy_unit(const WorkList *work)
{
    for (unsigned u = 0; u < work->n_units; u++)
        if (!(work->units[u].extractor->flags & EXTRACTOR_BRIEF))
            return true;
    return false;
}

void still_frames_start(StillFrames *still, const WorkList *work)
{
    const FeatureNeeds *needs = &work->needs;
    still->planes = has_lengthy_unit(work) ? needs->planes : 0;
    still->history = needs_history(needs);
}

void still_frames_clear(StillFrames *still)
{
    for (int i = 0; i < 2; i++)
        picture_unref(&still->last[i]);
    still->run = 0;
}

/* Wrapped memory may be scarce, or used again without waiting for its release. */
static bool may_keep(const StillFrames *still, const VmafPicture *pic)
{
    if (picture_is_plain(pic))
        return true;
    const PictureBacking *backing = picture_backing(pic);
    const bool readable = !backing || backing->memory != PICTURE_DEVICE;
    return still->keeps_wrapped && readable && !picture_is_pooled(pic);
}

/* Nobody knows on what scores depend that a backend has finished. */
static bool has_foreign_scores(const WorkList *work)
{
    for (unsigned r = 0; r < work->n_requests; r++)
        if (work->requests[r].scores || work->requests[r].pinned)
            return true;
    return false;
}

static bool is_repetition(const StillFrames *still, const WorkList *work, const RequestMask *wanted)
{
    const RequestMask missing = mask_without(*wanted, &still->computed);
    return still->run > still->history && !mask_empty(wanted) && mask_empty(&missing) &&
           !has_foreign_scores(work);
}

bool still_frames_enter(StillFrames *still, const WorkList *work, const VmafPicture *ref,
                        const VmafPicture *dist, const RequestMask *wanted)
{
    if (!still->planes)
        return false;
    const VmafPicture pair[2] = {*ref, *dist};
    const bool comparable = may_keep(still, ref) && may_keep(still, dist);
    const bool equals_last =
        comparable && still->last[0].ref && picture_pairs_equal(still->last, pair, still->planes);
    const uint64_t run = equals_last ? still->run + 1 : 0;
    still_frames_clear(still);
    still->run = run;
    for (int i = 0; i < 2 && comparable; i++)
        still->last[i] = picture_ref(&pair[i]);
    const bool repeats = is_repetition(still, work, wanted);
    still->computed = *wanted;
    return repeats;
}
