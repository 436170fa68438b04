/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The way of a frame through a session: a place for it, its pixels, its submission and its records.
 * One thread submits frames, another collects records. */
#include "session_internal.h"

#include <errno.h>
#include <string.h>

#include "abi_internal.h"
#include "buffer.h"
#include "device_state.h"
#include "platform/machine.h"
#include "platform/time.h"

static const uint64_t SLICE_NS = 20000000; /* between checks whether to give up */

/* -- waiting -- */

void vmaf_session_let_go(struct VmafBackendSession *session, VmafDeviceTicket ticket)
{
    for (uint32_t i = 0; i < session->memory.n_positions; i++) {
        Submission *submission = &session->positions[i];
        struct VmafBackendBuffer *buffers[2] = {NULL, NULL};
        vmaf_mutex_lock(&session->lock);
        for (int side = 0; side < 2 && submission->ticket <= ticket; side++) {
            buffers[side] = submission->buffers[side];
            submission->buffers[side] = NULL;
        }
        vmaf_mutex_unlock(&session->lock);
        for (int side = 0; side < 2; side++) {
            if (buffers[side])
                vmaf_buffer_release(buffers[side]);
        }
    }
}

static bool is_cancelled(struct VmafBackendSession *session)
{
    vmaf_mutex_lock(&session->lock);
    bool cancelled = session->cancelled;
    vmaf_mutex_unlock(&session->lock);
    return cancelled;
}

/* Waits until a submission has finished, the time limit has passed (-ETIMEDOUT), or the session is
 * cancelled (-ECANCELED). Then it releases the buffers that submissions up to this one have read.
 */
static int wait_for(struct VmafBackendSession *session, VmafDeviceTicket ticket, uint64_t limit_ns)
{
    const VmafDeviceLayer *layer = session->plan->device->layer;
    const uint64_t begin = (uint64_t)vmaf_steady_ns();
    for (;;) {
        const uint64_t passed = (uint64_t)vmaf_steady_ns() - begin;
        const uint64_t left = passed < limit_ns ? limit_ns - passed : 0;
        const int err = layer->wait(session->queue, ticket, left < SLICE_NS ? left : SLICE_NS);
        if (!err)
            vmaf_session_let_go(session, ticket);
        if (err != -ETIMEDOUT)
            return err;
        if (is_cancelled(session))
            return -ECANCELED;
        if (!left)
            return -ETIMEDOUT;
    }
}

/* Copies the results of a finished frame out of its position. The lock is held. */
static void take_results(struct VmafBackendSession *session, const Outstanding *frame,
                         unsigned char *results)
{
    memcpy(results, session->memory.download[frame->position]->mapped,
           vmaf_session_results_size(session));
    if (frame->list)
        vmaf_gpu_timer_add(&session->timer, frame->list, &frame->timestamps, frame->copied);
}

/* -- submitting: a position for the frame -- */

/*
 * Frees a position for the next frame pair: waits until nothing running reads or writes it, and
 * takes out results that were not collected.
 */
static int free_position(struct VmafBackendSession *session, uint32_t position)
{
    const uint32_t n = session->memory.n_positions;
    int err = 0;
    /* Frames that look back to this position are up to `earlier` places after it; they may be in
     * another stream, so that none of them says anything of the others. */
    for (uint32_t k = 0; k <= session->plan->program->earlier && !err; k++) {
        const Submission *user = &session->positions[(position + k) % n];
        if (user->used)
            err = wait_for(session, user->ticket, UINT64_MAX);
    }
    if (err)
        return err;
    vmaf_mutex_lock(&session->lock);
    for (uint32_t i = 0; i < session->count; i++) {
        Outstanding *o = &session->outstanding[(session->first + i) % session->plan->slots];
        if (o->position == position && !o->taken) {
            take_results(session, o, o->results);
            o->taken = true;
        }
    }
    vmaf_mutex_unlock(&session->lock);
    return 0;
}

/*
 * The stream of a frame: they take turns. But pixels that a command list has unpacked are not seen
 * in another stream, as those that were copied are; so frames that look back to such a one follow
 * it.
 */
static uint32_t choose_stream(const struct VmafBackendSession *session, uint32_t position)
{
    const uint32_t n = session->memory.n_positions;
    for (uint32_t k = 1; k <= session->plan->program->earlier; k++) {
        const Submission *before = &session->positions[(position + n - k) % n];
        if (before->used && before->unpacked)
            return before->stream;
    }
    return position % session->memory.n_streams;
}

/* -- pixels: where they are, and how they come to the device -- */

/*
 * The copies that bring the pictures of a frame to their position on the device: the device copies
 * from a buffer or from registered host memory; the processor copies from other host memory, into
 * the upload memory of the position.
 */
typedef struct FrameSource {
    VmafDeviceCopy copies[VMAF_DEVICE_MAX_COPIES];
    VmafBackendSync waits[2], signals[2];
    uint32_t n_copies, n_waits, n_signals;
    VmafPacking packing[2];               /* of the reference and the distorted picture */
    struct VmafBackendBuffer *buffers[2]; /* buffers that the copies read; may be NULL */
    VmafRowCopy rows[6];                  /* copies by the processor, made before the others */
    uint32_t n_rows;
    size_t n_bytes; /* bytes that the processor copies in all */
} FrameSource;

typedef struct Finder {
    FrameSource *source;
    const struct VmafBackendPlan *plan;
    VmafSessionMemory *memory;
    uint32_t position;
} Finder;

static const enum VmafBufferKind kinds[2] = {VMAF_BUFFER_REF, VMAF_BUFFER_DIST};

static bool is_read(const struct VmafBackendPlan *plan, uint32_t plane)
{
    return (plan->program->planes >> plane & 1) && plan->geometry.w[plane] &&
           plan->geometry.h[plane];
}

/* True if a session of the plan can read the picture. */
static bool is_usable(const struct VmafBackendPlan *plan, const VmafBackendPicture *picture)
{
    if (picture && picture->buffer)
        return vmaf_buffer_fits(picture->buffer, plan);
    for (uint32_t p = 0; picture && p < 3; p++) {
        if (is_read(plan, p) && !picture->data[p])
            return false;
    }
    return picture != NULL;
}

static uint64_t row_size(const struct VmafBackendPlan *plan, uint32_t plane)
{
    return (uint64_t)plan->geometry.w[plane] * plan->geometry.bytes_per_sample;
}

/* The copy that fills a plane of the position; its source is still missing. */
static VmafDeviceCopy copy_to_plane(const Finder *finder, int side, uint32_t plane)
{
    return (VmafDeviceCopy){
        .dst = finder->memory->pixels[finder->position],
        .dst_offset = vmaf_plan_plane_offset(finder->plan, kinds[side], plane),
        .dst_stride = finder->plan->geometry.stride[plane],
        .row_size = row_size(finder->plan, plane),
        .rows = finder->plan->geometry.h[plane],
    };
}

/* -- pixels in host memory -- */

static bool copy_from_registered(const Finder *finder, const VmafBackendPicture *picture,
                                 uint32_t plane, VmafDeviceCopy *copy)
{
    VmafDevice *device = finder->plan->device;
    const uint32_t alignment = device->info.caps.copy_alignment;
    const int64_t stride = picture->stride[plane];
    if (stride < (int64_t)copy->row_size)
        return false;
    copy->src_stride = (uint64_t)stride;
    copy->src = vmaf_host_memory_find(device, picture->data[plane],
                                      copy->src_stride * (copy->rows - 1) + copy->row_size,
                                      &copy->src_offset);
    return copy->src && (copy->src_offset | copy->src_stride | copy->row_size) % alignment == 0;
}

/* Copies of the device, if all planes lie in registered memory. */
static bool find_registered(const Finder *finder, int side, const VmafBackendPicture *picture)
{
    VmafDeviceCopy copies[3];
    uint32_t count = 0;
    for (uint32_t p = 0; p < 3; p++) {
        if (!is_read(finder->plan, p))
            continue;
        copies[count] = copy_to_plane(finder, side, p);
        if (!copy_from_registered(finder, picture, p, &copies[count++]))
            return false;
    }
    memcpy(finder->source->copies + finder->source->n_copies, copies, count * sizeof(copies[0]));
    finder->source->n_copies += count;
    return true;
}

/* Copies of the processor. */
static void find_rows(const Finder *finder, int side, const VmafBackendPicture *picture)
{
    FrameSource *source = finder->source;
    unsigned char *upload = finder->memory->upload[finder->position]->mapped;
    for (uint32_t p = 0; p < 3; p++) {
        if (!is_read(finder->plan, p))
            continue;
        VmafRowCopy *rows = &source->rows[source->n_rows++];
        *rows = (VmafRowCopy){
            .to = upload + vmaf_plan_plane_offset(finder->plan, kinds[side], p),
            .from = picture->data[p],
            .to_stride = finder->plan->geometry.stride[p],
            .from_stride = picture->stride[p],
            .bytes = (size_t)row_size(finder->plan, p),
            .rows = finder->plan->geometry.h[p],
        };
        source->n_bytes += rows->bytes * rows->rows;
    }
}

/* The copy from upload memory of what the processor has put there for these sides. */
static void upload_rows(const Finder *finder, bool ref, bool dist)
{
    const uint64_t picture = vmaf_plan_picture_size(finder->plan);
    const VmafDeviceCopy copy = {
        .dst = finder->memory->pixels[finder->position],
        .src = finder->memory->upload[finder->position],
        .dst_offset = ref ? 0 : picture,
        .src_offset = ref ? 0 : picture,
        .row_size = picture * (ref + dist),
        .rows = 1,
    };
    if (copy.row_size && copy.src != copy.dst)
        finder->source->copies[finder->source->n_copies++] = copy;
}

/* -- pixels in buffers -- */

static void add_sync(VmafBackendSync *syncs, uint32_t *count, const VmafBackendSync *added)
{
    if (added->kind == VMAF_BACKEND_SYNC_NONE)
        return;
    for (uint32_t i = 0; i < *count; i++) {
        if (syncs[i].kind == added->kind && syncs[i].handle == added->handle &&
            syncs[i].value == added->value)
            return;
    }
    syncs[(*count)++] = *added;
}

static void copy_from_plane(const Finder *finder, const VmafPlaneSource *from, VmafDeviceCopy copy)
{
    /* There is room for that at the end of rows. */
    const uint32_t alignment = finder->plan->device->info.caps.copy_alignment;
    copy.row_size = (copy.row_size + alignment - 1) / alignment * alignment;
    copy.src = from->buffer;
    copy.src_offset = from->offset;
    copy.src_stride = from->stride;
    copy.image = from->image;
    copy.image_plane = from->image_plane;
    finder->source->copies[finder->source->n_copies++] = copy;
}

/* Copies a plane as it lies to raw memory. */
static void copy_raw(const Finder *finder, int side, const struct VmafBackendBuffer *buffer,
                     uint32_t raw_plane)
{
    const VmafRawPlane raw = vmaf_raw_plane(finder->plan, kinds[side], &buffer->packing, raw_plane);
    const VmafDeviceCopy copy = {
        .dst = finder->memory->raw[finder->position],
        .dst_offset = raw.offset,
        .dst_stride = raw.stride,
        .row_size = raw.row_size,
        .rows = raw.rows,
    };
    copy_from_plane(finder, &buffer->sources[raw_plane], copy);
}

static int find_buffer(const Finder *finder, int side, struct VmafBackendBuffer *buffer)
{
    FrameSource *source = finder->source;
    const bool semiplanar = buffer->packing.semiplanar;
    bool chroma = false;
    for (uint32_t p = 0; p < 3; p++) {
        if (!is_read(finder->plan, p))
            continue;
        if (!vmaf_is_packed(&buffer->packing, p)) {
            copy_from_plane(finder, &buffer->sources[p], copy_to_plane(finder, side, p));
            continue;
        }
        const int err = vmaf_session_memory_add_raw(finder->memory, finder->position,
                                                    vmaf_raw_size(finder->plan));
        if (err)
            return err;
        source->packing[side] = buffer->packing;
        if (!(p && semiplanar && chroma))
            copy_raw(finder, side, buffer, p && semiplanar ? 1 : p);
        chroma |= p > 0;
    }
    source->buffers[side] = buffer;
    add_sync(source->waits, &source->n_waits, &buffer->wait);
    add_sync(source->signals, &source->n_signals, &buffer->signal);
    return 0;
}

/* Fills in the source for the pictures of a frame, which are usable; `dist` may be NULL. Returns 0,
 * or -ENOMEM if raw memory is needed and cannot be allocated. */
static int find_source(FrameSource *source, const struct VmafBackendPlan *plan,
                       VmafSessionMemory *memory, uint32_t position, const VmafBackendPicture *ref,
                       const VmafBackendPicture *dist)
{
    const Finder finder = {source, plan, memory, position};
    const VmafBackendPicture *pictures[2] = {ref, dist};
    bool by_processor[2] = {false, false};
    int err = 0;
    *source = (FrameSource){.n_copies = 0};
    for (int side = 0; side < 2 && !err; side++) {
        const VmafBackendPicture *picture = pictures[side];
        if (!picture)
            continue;
        if (picture->buffer) {
            err = find_buffer(&finder, side, picture->buffer);
        } else if (!find_registered(&finder, side, picture)) {
            find_rows(&finder, side, picture);
            by_processor[side] = true;
        }
    }
    if (!err && (by_processor[0] || by_processor[1]))
        upload_rows(&finder, by_processor[0], by_processor[1]);
    return err;
}

enum {
    MANY_BYTES = 1 << 21, /* more than this is copied by several threads */
    MOST_HELPERS = 3,     /* more of them do not make memory faster */
};

/* Copies what the device cannot fetch on its own. */
static void copy_by_processor(struct VmafBackendSession *session, const FrameSource *source)
{
    if (source->n_bytes > MANY_BYTES && !session->pool_was_tried) {
        const unsigned others = vmaf_processors_usable() - 1;
        session->pool_was_tried = true;
        session->pool =
            others ? vmaf_copy_pool_create(others < MOST_HELPERS ? others : MOST_HELPERS) : NULL;
    }
    vmaf_copy_pool_run(source->n_bytes > MANY_BYTES ? session->pool : NULL, source->rows,
                       source->n_rows);
}

/* -- the frame -- */

/* The program's requests that a frame wants. */
static VmafRequestSet wanted_set(const struct VmafBackendSession *session,
                                 const VmafBackendFrame *frame)
{
    VmafRequestSet set = {{0}};
    for (uint32_t r = 0; r < session->plan->n_requests; r++) {
        const VmafRequest *request = &session->plan->requests[r];
        if (request->metric && (frame->wanted[r / 64] >> r % 64 & 1))
            vmaf_request_set_add(&set, request->number);
    }
    return set;
}

static void note_neighbours(struct VmafBackendSession *session, uint64_t sequence)
{
    if (session->has_last && sequence == session->last_sequence + 1) {
        if (session->n_earlier < VMAF_PROGRAM_MAX_EARLIER)
            session->n_earlier++;
    } else {
        session->n_earlier = 0;
    }
    session->has_last = true;
    session->last_sequence = sequence;
}

/* Submits the parts of a list, the first of them with the copies; *ticket: of the last one that was
 * submitted, also after an error. */
static int submit_parts(struct VmafBackendSession *session, const VmafMadeCommandList *made,
                        const VmafDeviceSubmit *first, VmafDeviceTicket *ticket)
{
    const VmafDeviceSubmit rest = {.struct_size = sizeof(rest), .stream = first->stream};
    for (uint32_t i = 0; i <= made->n_parts; i++) {
        VmafDeviceTicket next;
        const int err =
            vmaf_device_submit(session->queue, i < made->n_parts ? made->parts[i] : made->list,
                               i ? &rest : first, &next);
        if (err)
            return err;
        *ticket = next;
    }
    return 0;
}

/* Submits what the frame needs, if that is anything. The buffers stay until it has been done. */
static int start(struct VmafBackendSession *session, const FrameSource *source,
                 const VmafMadeCommandList *made, Submission *submission)
{
    const VmafListKey *key = &made->key;
    const VmafDeviceSubmit submit = {
        .struct_size = sizeof(submit),
        .stream = key->stream,
        .copies = source->copies,
        .n_copies = source->n_copies,
        .waits = source->waits,
        .n_waits = source->n_waits,
        .signals = source->signals,
        .n_signals = source->n_signals,
    };
    VmafDeviceTicket ticket = 0;
    submission->used = false;
    if (!made->list && !source->n_copies)
        return 0;
    const int err = submit_parts(session, made, &submit, &ticket);
    if (!ticket)
        return err;
    vmaf_mutex_lock(&session->lock);
    *submission = (Submission){
        .used = true,
        .ticket = ticket,
        .stream = key->stream,
        .unpacked = !vmaf_packing_is_none(key->packing),
        .buffers = {source->buffers[0], source->buffers[1]},
    };
    for (int side = 0; side < 2; side++) {
        if (submission->buffers[side])
            atomic_fetch_add(&submission->buffers[side]->references, 1);
    }
    vmaf_mutex_unlock(&session->lock);
    return err;
}

static void await_frame(struct VmafBackendSession *session, const VmafBackendFrame *frame,
                        uint32_t position, const VmafMadeCommandList *made, bool copied)
{
    vmaf_mutex_lock(&session->lock);
    Outstanding *o =
        &session->outstanding[(session->first + session->count++) % session->plan->slots];
    unsigned char *results = o->results;
    *o = (Outstanding){
        .sequence = frame->sequence,
        .position = position,
        .n_earlier = session->n_earlier,
        .runs = session->positions[position].used,
        .ticket = session->positions[position].ticket,
        .list = made->list,
        .timestamps = made->timestamps,
        .copied = copied,
        .results = results,
    };
    memcpy(o->wanted, frame->wanted, sizeof(o->wanted));
    vmaf_mutex_unlock(&session->lock);
}

static int run_frame(struct VmafBackendSession *session, const VmafBackendFrame *frame,
                     bool context)
{
    const uint32_t position = (uint32_t)(session->n_submissions % session->memory.n_positions);
    FrameSource source;
    VmafMadeCommandList made = {.list = NULL};
    int err = free_position(session, position);
    if (!err)
        err = find_source(&source, session->plan, &session->memory, position, frame->ref,
                          frame->dist);
    if (err)
        return err;
    copy_by_processor(session, &source);
    note_neighbours(session, frame->sequence);

    VmafListKey key = {.stream = choose_stream(session, position)};
    memcpy(key.packing, source.packing, sizeof(key.packing));
    if (!context)
        key.wanted = wanted_set(session, frame);
    if (!vmaf_request_set_is_empty(&key.wanted) || !vmaf_packing_is_none(key.packing))
        err = vmaf_command_lists_get(&session->lists, position, &key, &made);
    else
        made.key = key;
    if (!err)
        err = start(session, &source, &made, &session->positions[position]);
    if (err)
        return err;
    session->n_submissions++;
    if (!context)
        await_frame(session, frame, position, &made, source.n_copies > 0);
    return 0;
}

int32_t vmaf_session_submit(struct VmafBackendSession *session, const VmafBackendFrame *frame)
{
    const struct VmafBackendPlan *plan = session->plan;
    const bool context = frame->flags & VMAF_BACKEND_SUBMIT_CONTEXT;
    if ((frame->flags & ~VMAF_BACKEND_SUBMIT_CONTEXT) || !is_usable(plan, frame->ref) ||
        ((frame->dist || !context) && !is_usable(plan, frame->dist)))
        return VMAF_BACKEND_INVALID;
    vmaf_mutex_lock(&session->lock);
    const bool cancelled = session->cancelled;
    const bool full = session->count == plan->slots;
    vmaf_mutex_unlock(&session->lock);
    if (cancelled)
        return VMAF_BACKEND_CANCELLED;
    if (full && !context)
        return VMAF_BACKEND_INVALID;
    const VmafDriverGuard guard = vmaf_driver_enter();
    const int err = run_frame(session, frame, context);
    vmaf_driver_leave(&guard);
    return err == -ECANCELED ? VMAF_BACKEND_CANCELLED : vmaf_sdk_status(err);
}

/* -- collecting -- */

static void decode(const struct VmafBackendPlan *plan, const VmafRequest *request,
                   const unsigned char *results, void *record)
{
    const unsigned char *all_sums = results + plan->program->bytes_size;
    uint64_t sums[VMAF_PROGRAM_MAX_RESULTS];
    const void *bytes[VMAF_PROGRAM_MAX_BYTES];
    for (uint32_t i = 0; i < request->n_results; i++)
        memcpy(&sums[i], all_sums + request->results[i] * sizeof(sums[i]), sizeof(sums[i]));
    for (uint32_t i = 0; i < request->n_bytes; i++)
        bytes[i] = results + request->bytes[i];
    const VmafMetricResults own = {sums, bytes};
    request->metric->decode(&plan->geometry, request->options, &own, record);
}

static void deliver(const struct VmafBackendSession *session, const Outstanding *frame,
                    const unsigned char *results, VmafBackendResult *result)
{
    const struct VmafBackendPlan *plan = session->plan;
    result->sequence = frame->sequence;
    for (uint32_t r = 0; r < plan->n_requests && r < result->n_requests; r++) {
        const VmafRequest *request = &plan->requests[r];
        if (!request->metric || !(frame->wanted[r / 64] >> r % 64 & 1) || !result->records[r])
            continue;
        if (frame->n_earlier < request->earlier)
            memset(result->records[r], 0, request->record_size);
        else
            decode(plan, request, results, result->records[r]);
        result->status[r] = VMAF_BACKEND_OK;
    }
}

int32_t vmaf_session_collect(struct VmafBackendSession *session, uint32_t timeout_ms,
                             VmafBackendResult *result)
{
    vmaf_mutex_lock(&session->lock);
    const bool cancelled = session->cancelled;
    const bool empty = session->count == 0;
    Outstanding *oldest = &session->outstanding[session->first];
    const VmafDeviceTicket ticket = oldest->ticket;
    const bool ready = oldest->taken || !oldest->runs;
    vmaf_mutex_unlock(&session->lock);
    if (cancelled)
        return VMAF_BACKEND_CANCELLED;
    if (empty)
        return VMAF_BACKEND_NOTHING;

    const VmafDriverGuard guard = vmaf_driver_enter();
    const int err = ready ? 0 : wait_for(session, ticket, timeout_ms * UINT64_C(1000000));
    vmaf_driver_leave(&guard);
    if (err)
        return err == -ECANCELED ? VMAF_BACKEND_CANCELLED : vmaf_sdk_status(err);

    vmaf_mutex_lock(&session->lock);
    const Outstanding frame = *oldest;
    if (frame.taken)
        memcpy(session->results, frame.results, vmaf_session_results_size(session));
    else
        take_results(session, oldest, session->results);
    session->first = (session->first + 1) % session->plan->slots;
    session->count--;
    vmaf_mutex_unlock(&session->lock);
    deliver(session, &frame, session->results, result);
    return VMAF_BACKEND_OK;
}
