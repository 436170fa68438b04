/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The pairs of pictures that a context reads: which it accepts, what it remembers of them, and how
 * they are submitted. */
#include <errno.h>
#include <stdio.h>

#include "backend/session/buffers.h"
#include "engine/backend_manager.h"
#include "engine/context.h"
#include "engine/scores.h"

/* ---- frames that equal the one before ---- */

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

/* ---- checks ---- */

static bool has_planes(const VmafPicture *pic, unsigned planes)
{
    const PictureBacking *backing = picture_backing(pic);
    if (backing && backing->memory == PICTURE_DEVICE) /* which may have no addresses */
        return !(planes & ~backing->planes);
    for (unsigned p = 0; p < 3; p++) {
        if ((planes >> p & 1) && pic->w[p] && pic->h[p] && !pic->data[p])
            return false;
    }
    return true;
}

static bool has_rows(const VmafPicture *pic)
{
    const PictureFormat format = picture_format_of(pic);
    const PictureBacking *backing = picture_backing(pic);
    if (backing && backing->memory == PICTURE_DEVICE) /* as it was imported */
        return true;
    for (unsigned p = 0; p < 3; p++) {
        if (pic->data[p] && !picture_stride_fits(&format, p, pic->stride[p]))
            return false;
    }
    return true;
}

static bool same_backing(const PictureBacking *a, const PictureBacking *b)
{
    return a == b || (a && b && a->memory == b->memory && a->device == b->device);
}

static int check_backing(const VmafContext *context, const VmafPicture *ref,
                         const VmafPicture *dist, Reason *why)
{
    const PictureBacking *backing = picture_backing(ref);
    if (!same_backing(backing, picture_backing(dist)))
        return reason_set(why, -EINVAL,
                          "reference and distorted picture are in different kinds of memory");
    if (backing && backing->memory == PICTURE_DEVICE &&
        !backend_manager_has_device(context->manager, backing->device))
        return reason_set(why, -EINVAL, "the context does not use the %s device that they are on",
                          backing->backend);
    return 0;
}

/* Programs such as FFmpeg's filter for device pictures write luma alone into pictures with chroma,
 * which was marked when they fetched the picture. */
static int reject_luma_only(VmafContext *context, const VmafPicture *pic, Reason *why)
{
    const char *feature = "a feature";
    for (unsigned i = context->features.count; i-- > 0;) {
        const FeatureInstance *instance = context->features.instances[i];
        if (extractor_needs(instance->extractor, instance->options, pic->pix_fmt).planes &
            PLANE_CHROMA)
            feature = instance->extractor->name;
    }
    reason_set(why, -EINVAL, "this program hands over luma only; %s needs chroma", feature);
    backend_manager_note_reason(context->manager, why->text);
    return -EINVAL;
}

static int check_chroma(VmafContext *context, const VmafPicture *pair[2], unsigned planes,
                        Reason *why)
{
    for (int i = 0; i < 2; i++) {
        unsigned unwritten = planes & PLANE_CHROMA;
        int err = buffer_picture_unwritten(pair[i], &unwritten);
        if (err)
            return reason_set(why, err, "a picture on the device cannot be looked at");
        if (unwritten)
            return reject_luma_only(context, pair[i], why);
    }
    return 0;
}

static int check_planes(VmafContext *context, const VmafPicture *ref, const VmafPicture *dist,
                        Reason *why)
{
    const VmafPicture *pair[2] = {ref, dist};
    const unsigned planes = feature_set_needs(&context->features, ref->pix_fmt).planes;
    for (int i = 0; i < 2; i++) {
        const bool luma = has_planes(pair[i], planes & PLANE_Y);
        if (luma && !has_planes(pair[i], planes) && picture_backing(pair[i]))
            return reject_luma_only(context, pair[i], why);
        if (!has_planes(pair[i], planes))
            return reason_set(why, -EINVAL, "a plane that a feature needs is missing");
        picture_want_planes(pair[i], planes);
    }
    return check_chroma(context, pair, planes, why);
}

/* Checks a frame, or a pair that has no index. */
static int check_pair(VmafContext *context, const VmafPicture *ref, const VmafPicture *dist,
                      const unsigned *index, Reason *why)
{
    if (!ref->ref || !dist->ref)
        return reason_set(why, -EINVAL, "a picture holds no reference");
    if (picture_is_copy(ref, dist))
        return reason_set(
            why, -EINVAL,
            "one picture is a copy of the other's structure: vmaf_picture_share makes a "
            "second reference");
    PictureFormat of_ref = picture_format_of(ref), of_dist = picture_format_of(dist);
    PictureFormat checked;
    if (picture_format_init(&checked, ref->pix_fmt, ref->bpc, ref->w[0], ref->h[0]))
        return reason_set(why, -EINVAL, "unknown pixel format or bit depth %u", ref->bpc);
    if (!ref->w[0] || !ref->h[0])
        return reason_set(why, -EINVAL, "the pictures have no samples");
    if (!picture_format_equal(&of_ref, &of_dist))
        return reason_set(why, -EINVAL,
                          "reference (%ux%u, %s, %u bit) and distorted picture (%ux%u, %s, %u bit) "
                          "differ",
                          ref->w[0], ref->h[0], picture_format_name(ref->pix_fmt), ref->bpc,
                          dist->w[0], dist->h[0], picture_format_name(dist->pix_fmt), dist->bpc);
    if (!has_rows(ref) || !has_rows(dist))
        return reason_set(why, -EINVAL, "a picture's stride is no distance of its rows");
    int err = check_backing(context, ref, dist, why);
    if (err)
        return err;
    if (context->started && !picture_format_equal(&of_ref, &context->work.format))
        return reason_set(why, -EINVAL, "size, format or bit depth differ from the first pair");
    if (index && series_get(&context->positions, *index, NULL))
        return reason_set(why, -EINVAL, "index %u was read before", *index);
    return check_planes(context, ref, dist, why);
}

static void remember(VmafPicture earlier[FEATURE_MAX_HISTORY], const VmafPicture *pic,
                     unsigned depth)
{
    if (!depth)
        return;
    picture_unref(&earlier[depth - 1]);
    for (unsigned i = depth - 1; i > 0; i--)
        earlier[i] = earlier[i - 1];
    earlier[0] = picture_ref(pic);
}

RequestMask context_wanted(const VmafContext *context, unsigned index)
{
    const WorkList *work = &context->work;
    const unsigned n = context->cfg.n_subsample;
    return n <= 1 || index % n == 0 ? mask_or(work->every_frame, &work->sampled)
                                    : work->every_frame;
}

void context_submit(VmafContext *context, const VmafPicture *ref, const VmafPicture *dist,
                    unsigned index, PictureAttachment *with_ref)
{
    const WorkList *work = &context->work;
    Frame frame = {.index = index,
                   .wanted = context_wanted(context, index),
                   .repeats = context->repeats,
                   .has_room = context->group_workers != NULL,
                   .lead_in = context->records.n_lead_in};
    frame.trace = trace_frame_begin(index);
    frame.ref = picture_ref(ref);
    frame.dist = picture_ref(dist);
    frame.with_ref = picture_attachment_ref(with_ref);
    for (int i = 0; i < FEATURE_MAX_HISTORY; i++) {
        frame.earlier_ref[i] = picture_ref(&context->earlier_ref[i]);
        frame.earlier_dist[i] = picture_ref(&context->earlier_dist[i]);
    }
    remember(context->earlier_ref, ref, work->needs.ref_history);
    remember(context->earlier_dist, dist, work->needs.dist_history);
    frame_queue_submit(context->queue, &frame);
    backend_manager_frame_submitted(context->manager, context->n_frames);
}

void context_wait_for_room(VmafContext *context, unsigned index)
{
    const RequestMask wanted = context_wanted(context, index);
    frame_queue_wait_for_room(context->queue, &wanted);
}

int context_count_frame(VmafContext *context, unsigned index)
{
    vmaf_mutex_lock(&context->positions_lock);
    int err = series_put(&context->positions, index, (double)context->n_frames);
    vmaf_mutex_unlock(&context->positions_lock);
    if (!err)
        context->n_frames++;
    return err;
}

/* What scores a pair is there: 0, or the error. */
static int make_ready(VmafContext *context, const VmafPicture *ref)
{
    const PictureFormat format = picture_format_of(ref);
    const int err = context->cpu ? 0 : context_start(context, &format, true);
    context->records.has_pictures |= !err;
    return err;
}

static int reject_pair(VmafContext *context, const char *where, int err, const Reason *why)
{
    log_message(&context->logger, VMAF_LOG_LEVEL_ERROR, "pictures %s: %s", where, why->text);
    return err;
}

/* Frames with pictures have begun, beyond pairs that are only remembered. */
static bool has_begun(const VmafContext *context)
{
    return context->records.n_read < context->n_frames;
}

/* The first frame with pictures follows stored ones, whose pictures nobody has read. */
static bool lacks_neighbours(const VmafContext *context)
{
    const uint64_t n_before = context->records.n_read;
    const unsigned history = needs_history(&context->work.needs);
    return n_before && !has_begun(context) &&
           context->records.n_lead_in < (history < n_before ? history : n_before);
}

static int check_at(VmafContext *context, const VmafPicture *ref, const VmafPicture *dist,
                    unsigned index)
{
    Reason why;
    int err = check_pair(context, ref, dist, &index, &why);
    if (!err && lacks_neighbours(context))
        err = reason_set(&why, -EINVAL, "frames before it had no pictures, and it needs them");
    if (!err)
        return 0;
    char where[32];
    snprintf(where, sizeof(where), "at index %u", index);
    return reject_pair(context, where, err, &why);
}

int context_accept(VmafContext *context, const VmafPicture *ref, const VmafPicture *dist,
                   unsigned index)
{
    if (context->flushed)
        return -EINVAL;
    if (context_is_inherited(context))
        return -ENODEV;
    context->picture_count++;
    int err = atomic_load(&context->error);
    if (err)
        return err;
    err = check_at(context, ref, dist, index);
    if (!err)
        err = make_ready(context, ref);
    if (!err)
        err = context_count_frame(context, index);
    if (err)
        return err;
    const RequestMask wanted = context_wanted(context, index);
    context->repeats = still_frames_enter(&context->still, &context->work, ref, dist, &wanted);
    return 0;
}

static int accept_context(VmafContext *context, const VmafPicture *ref, const VmafPicture *dist)
{
    if (context->flushed)
        return -EINVAL;
    if (context_is_inherited(context))
        return -ENODEV;
    if (context->group || has_begun(context))
        return -EBUSY;
    int err = atomic_load(&context->error);
    if (err)
        return err;
    Reason why;
    err = context->n_frames || context->records.only
              ? check_pair(context, ref, dist, NULL, &why)
              : reason_set(&why, -EINVAL,
                           "the stream begins here: its first frame has no neighbours");
    return err ? reject_pair(context, "before the first", err, &why) : make_ready(context, ref);
}

int context_read_context(VmafContext *context, VmafPicture *ref, VmafPicture *dist)
{
    TRACE_CALL(context->trace, "read context");
    const int err = accept_context(context, ref, dist);
    if (err)
        return err;
    remember(context->earlier_ref, ref, context->work.needs.ref_history);
    remember(context->earlier_dist, dist, context->work.needs.dist_history);
    context->records.n_lead_in++;
    picture_unref(ref);
    picture_unref(dist);
    return 0;
}

int context_read(VmafContext *context, VmafPicture *ref, VmafPicture *dist, unsigned index)
{
    TRACE_CALL(context->trace, "read pictures", TRACE_INDEX(index));
    if (context->group_workers)
        return -EBUSY;
    int err = context_accept(context, ref, dist, index);
    if (err)
        return err;
    context_submit(context, ref, dist, index, NULL);
    if (!context->cfg.n_threads) { /* this call does the work that no backend does */
        const RequestMask taken = backend_manager_takes(context->manager);
        cpu_client_run(context->cpu, &taken);
    }

    /* Without threads the frame is done by now; its failure leaves the pictures to the caller. */
    if (!context->cfg.n_threads)
        err = atomic_load(&context->error);
    if (err)
        return err;
    picture_unref(ref);
    picture_unref(dist);
    return 0;
}

int context_wait(VmafContext *context)
{
    TRACE_CALL(context->trace, "wait");
    if (context_is_inherited(context))
        return -ENODEV;
    if (context->n_frames)
        frame_queue_wait(context->queue, context->n_frames - 1);
    return atomic_load(&context->error);
}

void context_forget_pictures(VmafContext *context)
{
    for (int i = 0; i < FEATURE_MAX_HISTORY; i++) {
        picture_unref(&context->earlier_ref[i]);
        picture_unref(&context->earlier_dist[i]);
    }
    still_frames_clear(&context->still);
}

void context_end_reading(VmafContext *context)
{
    context_wait(context);
    backend_manager_settle(context->manager);
    context_forget_pictures(context);
}

int context_flush(VmafContext *context)
{
    TRACE_CALL(context->trace, "flush");
    if (context->flushed)
        return -EINVAL;
    if (context->n_frames && !context_is_inherited(context))
        frame_queue_end(context->queue);
    int err = context_wait(context);
    if (!err && !context_is_inherited(context)) {
        backend_manager_settle(context->manager);
        err = atomic_load(&context->error);
    }
    if (err)
        return err;
    if (!context->n_frames && context->features.count && !context->records.only)
        return -EINVAL;
    err = finish_stream(context);
    if (err)
        return err;
    context->flushed = true;
    context_forget_pictures(context);
    return 0;
}
