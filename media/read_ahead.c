/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "media/read_ahead.h"

#include "libvmaf/libvmaf_ext.h"
#include "media/video_reader.h"
#include "platform/machine.h"
#include "platform/thread.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* -- buffers -- */

/*
 * Reusable places for frames. Memory is allocated when it is first needed, so a run that needs
 * three frames allocates three.
 */
typedef struct FramePool {
    VmafMutex lock;
    VmafCondition changed;
    size_t buffer_bytes;
    unsigned n_buffers, max_buffers;
    FrameBuffer *free;
    bool stopped;
} FramePool;

static void frame_pool_init(FramePool *pool)
{
    *pool = (FramePool){.stopped = false};
    vmaf_mutex_init(&pool->lock);
    vmaf_condition_init(&pool->changed);
}

/* Buffers that have not been given back must not be given back afterwards. */
static void frame_pool_destroy(FramePool *pool)
{
    while (pool->free) {
        FrameBuffer *buffer = pool->free;
        pool->free = buffer->next_free;
        vmaf_frame_memory_free(buffer->frame_memory);
        free(buffer);
    }
    vmaf_condition_destroy(&pool->changed);
    vmaf_mutex_destroy(&pool->lock);
}

/*
 * Takes a buffer, waiting for one if all max_buffers are in use. 0; -ENOMEM; -ECANCELED after
 * frame_pool_stop.
 */
static int frame_pool_take(FramePool *pool, FrameBuffer **buffer)
{
    int err = 0;
    vmaf_mutex_lock(&pool->lock);
    while (!pool->stopped && !pool->free && pool->n_buffers == pool->max_buffers)
        vmaf_condition_wait(&pool->changed, &pool->lock);
    if (pool->stopped) {
        err = -ECANCELED;
    } else if (pool->free) {
        *buffer = pool->free;
        pool->free = pool->free->next_free;
    } else {
        *buffer = calloc(1, sizeof(**buffer));
        if (*buffer) {
            (*buffer)->pool = pool;
            pool->n_buffers++;
        } else {
            err = -ENOMEM;
        }
    }
    vmaf_mutex_unlock(&pool->lock);
    return err;
}

/* Ends waiting, for good. From any thread. */
static void frame_pool_stop(FramePool *pool)
{
    vmaf_mutex_lock(&pool->lock);
    pool->stopped = true;
    vmaf_condition_broadcast(&pool->changed);
    vmaf_mutex_unlock(&pool->lock);
}

/* The buffer's memory. NULL if there is none left. */
static void *frame_buffer_memory(FrameBuffer *buffer)
{
    if (!buffer->frame_memory &&
        vmaf_frame_memory_alloc(&buffer->frame_memory, buffer->pool->buffer_bytes, &buffer->memory))
        buffer->frame_memory = NULL;
    return buffer->frame_memory ? buffer->memory : NULL;
}

/* Gives a FrameBuffer back. From any thread; takes a plain pointer to serve as a callback. */
static void frame_buffer_release(void *released)
{
    FrameBuffer *buffer = released;
    FramePool *pool = buffer->pool;
    vmaf_file_window_close(&buffer->window);
    if (buffer->held)
        buffer->let_go(buffer->held);
    buffer->held = NULL;
    vmaf_mutex_lock(&pool->lock);
    buffer->next_free = pool->free;
    pool->free = buffer;
    vmaf_condition_signal(&pool->changed);
    vmaf_mutex_unlock(&pool->lock);
}

/* -- frames on a device -- */

static const char *find_obstacle(const VideoReader *reader, unsigned output_depth)
{
    const MediaProperties *properties = reader->media ? video_reader_properties(reader) : NULL;
    const VideoFormat *to = &reader->format;
    if (!properties || !properties->device.backend)
        return "is not decoded by a device whose frames can be scored there";
    if (reader->conversion.crop.width || reader->conversion.cut.width)
        return "is cropped";
    if (to->width != properties->format.width || to->height != properties->format.height)
        return "is scaled";
    if (properties->format.bit_depth != output_depth)
        return "is raised to a higher depth";
    if (properties->rotation)
        return "is rotated";
    return to->pixel_format != properties->format.pixel_format || *properties->resampled_from ||
                   reader->conversion.is_full_range != properties->is_full_range
               ? "is converted"
               : NULL;
}

bool device_frames_can_stay(const VideoReader *reader, unsigned output_depth, Message *why)
{
    const char *obstacle = find_obstacle(reader, output_depth);
    if (obstacle)
        message_set(why, 0, "%s", obstacle);
    return !obstacle;
}

/* Makes a picture of a buffer with such a frame, which the picture releases. 0; negative errno: it
 * does not. By the thread that reads pictures of the context. */
static int device_frames_import(const VideoReader *reader, VmafContext *vmaf, FrameBuffer *buffer,
                                VmafPicture *picture)
{
    const MediaDevice *device = &video_reader_properties(reader)->device;
    VmafPictureImport import = {
        .struct_size = sizeof(import),
        .kind = device->kind,
        .layout = device->layout,
        .pix_fmt = reader->format.pixel_format,
        .bpc = reader->output_depth,
        .w = reader->format.width,
        .h = reader->format.height,
        .wait = device->ready,
        .release = frame_buffer_release,
        .cookie = buffer,
    };
    for (unsigned p = 0; p < 3 && buffer->planes[p]; p++) {
        import.handles[import.n_handles++] = (uintptr_t)buffer->planes[p];
        import.stride[p] = buffer->stride[p];
    }
    return vmaf_picture_import(vmaf, picture, &import);
}

/* Fetches rows that are equally far apart together. */
static int fetch_rows(VideoReader *reader, void *held, const SignatureRows *luma,
                      unsigned char *rows, unsigned char *some)
{
    const unsigned count = signature_row_count(luma->height);
    const unsigned period = signature_row_period(luma->height);
    const unsigned step =
        period < count ? signature_row(luma->height, period) - signature_row(luma->height, 0) : 1;
    int err = 0;
    for (unsigned first = 0; first < period && !err; first++) {
        const MediaRows wanted = {
            .first = signature_row(luma->height, first),
            .step = step,
            .count = count / period,
            .bytes = luma->row_bytes,
        };
        err = reader->module->fetch_rows(held, &wanted, some, &reader->error);
        for (unsigned i = 0; i < wanted.count && !err; i++)
            memcpy(rows + (first + (size_t)i * period) * luma->row_bytes,
                   some + i * luma->row_bytes, luma->row_bytes);
    }
    return err;
}

int device_frames_take_signature(VideoReader *reader, FrameBuffer *buffer)
{
    const MediaDevice *device = &video_reader_properties(reader)->device;
    const bool is_high = device->layout == VMAF_IMPORT_P010 || device->layout == VMAF_IMPORT_P016;
    const unsigned depth = is_high ? 16 : reader->format.bit_depth;
    SignatureRows luma = {
        .width = reader->format.width,
        .height = reader->format.height,
        .bpc = depth,
        .row_bytes = (size_t)reader->format.width * (depth > 8 ? 2 : 1),
    };
    const size_t bytes = signature_row_count(luma.height) * luma.row_bytes;
    unsigned char *rows = malloc(2 * bytes);
    if (!rows)
        return message_set(&reader->error, -ENOMEM, "%s", strerror(ENOMEM));
    const int err = fetch_rows(reader, buffer->held, &luma, rows, rows + bytes);
    luma.data = rows;
    if (!err)
        signature_take_rows(&luma, 0, &buffer->signature);
    free(rows);
    return err;
}

/* -- reading ahead -- */

/* Pages of both videos take two readers less time than fewer scorers than these. */
enum { MANY_SCORERS = 3 };

struct ReadAhead {
    VideoReader *reader;
    ReadAheadConfig config;
    FramePool pool;
    VmafThread thread;
    bool running; /* the thread exists */
    double time;  /* of the frame that was taken last, as is the signature */
    Signature signature;
    bool has_signature;

    VmafMutex lock;
    VmafCondition changed;
    bool stopped;
    bool is_full; /* the thread waits until half of the queue is taken */
    bool is_waited_for;
    bool ended;     /* nothing will be added to the queue */
    int end_status; /* 0: end of the file; else negative errno, see end_reason */
    Message end_reason;
    unsigned first, count, depth;
    FrameBuffer *queue[READ_AHEAD_FRAMES]; /* a ring of `depth` entries */
};

/* Puts a frame in the queue, waiting for room. -ECANCELED when stopped. */
static int enqueue(ReadAhead *ahead, FrameBuffer *buffer)
{
    vmaf_mutex_lock(&ahead->lock);
    ahead->is_full = ahead->count == ahead->depth;
    while (!ahead->stopped && ahead->is_full)
        vmaf_condition_wait(&ahead->changed, &ahead->lock);
    const bool stopped = ahead->stopped, wakes = ahead->is_waited_for;
    if (!stopped)
        ahead->queue[(ahead->first + ahead->count++) % ahead->depth] = buffer;
    vmaf_mutex_unlock(&ahead->lock);
    if (wakes)
        vmaf_condition_broadcast(&ahead->changed);
    return stopped ? -ECANCELED : 0;
}

/* Takes the oldest frame of the queue. True: who reads is to be woken. Locked. */
static bool dequeue(ReadAhead *ahead, FrameBuffer **buffer)
{
    *buffer = ahead->queue[ahead->first];
    ahead->first = (ahead->first + 1) % ahead->depth;
    ahead->count--;
    if (!ahead->is_full || ahead->count > ahead->depth / 2)
        return false;
    ahead->is_full = false;
    return true;
}

/* A device that copies what is in a window has one thread that feeds it, too. */
static bool leaves_pages(ReadAhead *ahead, const VmafBackendStatus *status)
{
    const ReadAheadConfig *config = &ahead->config;
    if (status->phase == VMAF_BACKEND_PHASE_ACTIVE)
        return false;
    if (config->n_processors && config->n_scorers >= config->n_processors)
        return true;
    vmaf_mutex_lock(&ahead->lock);
    const bool is_late = ahead->is_waited_for;
    vmaf_mutex_unlock(&ahead->lock);
    return is_late && config->n_scorers >= MANY_SCORERS;
}

/* Puts the reader's frame into a buffer. 0; negative errno with the reader's error. */
static int fill(ReadAhead *ahead, FrameBuffer *buffer)
{
    VideoReader *reader = ahead->reader;
    buffer->time = video_reader_time(reader);
    if (reader->media) {
        const int err = video_reader_take(reader, buffer);
        return !err && buffer->is_on_device && ahead->config.takes_signatures
                   ? device_frames_take_signature(reader, buffer)
                   : err;
    }
    for (unsigned p = 0; p < 3; p++)
        buffer->stride[p] = reader->stride[p];
    VmafBackendStatus status = {.struct_size = sizeof(status)};
    if (ahead->config.vmaf)
        (void)vmaf_backend_status(ahead->config.vmaf, &status); /* all zero: the CPU alone */
    /*
     * A device that reads our memory directly cannot do so with a window on a file: its driver
     * would copy it, on the one thread that feeds the device. Reading it here is a copy on a thread
     * that has nothing else to do.
     */
    if (!ahead->config.never_maps && !status.reads_frame_memory &&
        video_reader_map(reader, leaves_pages(ahead, &status), &buffer->window, buffer->planes))
        return 0;
    unsigned char *memory = frame_buffer_memory(buffer);
    if (!memory)
        return message_set(&reader->error, -ENOMEM, "%s", strerror(ENOMEM));
    for (unsigned p = 0; p < 3; p++)
        buffer->planes[p] = reader->wanted >> p & 1 ? memory + reader->offset[p] : NULL;
    return video_reader_read(reader, memory);
}

/* Reads one frame into the queue. 1; 0 at the end; negative errno. */
static int read_frame(ReadAhead *ahead)
{
    int more = video_reader_next(ahead->reader);
    if (more <= 0)
        return more;

    FrameBuffer *buffer;
    int err = frame_pool_take(&ahead->pool, &buffer);
    if (err)
        return message_set(&ahead->reader->error, err, "%s", strerror(-err));
    err = fill(ahead, buffer);
    if (!err)
        err = enqueue(ahead, buffer);
    if (err) {
        frame_buffer_release(buffer);
        return err;
    }
    return 1;
}

static int read_file(ReadAhead *ahead)
{
    for (unsigned i = 0; i < ahead->config.skip; i++) {
        const int more = video_reader_pass_over(ahead->reader);
        if (more <= 0)
            return more;
    }
    for (unsigned i = 0; !ahead->config.limit || i < ahead->config.limit; i++) {
        int more = read_frame(ahead);
        if (more <= 0)
            return more;
    }
    return 0;
}

static void *reader_thread(void *argument)
{
    ReadAhead *ahead = argument;
    int status = read_file(ahead);
    vmaf_mutex_lock(&ahead->lock);
    ahead->ended = true;
    ahead->end_status = status;
    if (status)
        ahead->end_reason = ahead->reader->error;
    vmaf_condition_broadcast(&ahead->changed);
    vmaf_mutex_unlock(&ahead->lock);
    return NULL;
}

static unsigned depth_for(const ReadAheadConfig *config, size_t buffer_bytes)
{
    const size_t small = READ_AHEAD_BYTES / (buffer_bytes + 1);
    const unsigned depth = small > config->depth ? (unsigned)small : config->depth;
    return depth < READ_AHEAD_FRAMES ? depth : READ_AHEAD_FRAMES;
}

int read_ahead_start(ReadAhead **read_ahead, VideoReader *reader, const ReadAheadConfig *config)
{
    ReadAhead *ahead = calloc(1, sizeof(*ahead));
    if (!ahead)
        return -ENOMEM;
    ahead->reader = reader;
    ahead->config = *config;
    vmaf_mutex_init(&ahead->lock);
    vmaf_condition_init(&ahead->changed);
    frame_pool_init(&ahead->pool);

    int err =
        video_reader_prepare(reader, config->wanted_planes, config->output_depth, vmaf_page_size());
    ahead->depth = depth_for(config, reader->buffer_bytes);
    /* A frame of which nothing is wanted still needs an address. */
    ahead->pool.buffer_bytes = reader->buffer_bytes ? reader->buffer_bytes : vmaf_page_size();
    ahead->pool.max_buffers = config->max_buffers + 2 * (ahead->depth - config->depth);
    if (!err)
        err = vmaf_thread_start(&ahead->thread, reader_thread, ahead);
    if (err) {
        read_ahead_destroy(ahead);
        return err;
    }
    ahead->running = true;
    *read_ahead = ahead;
    return 0;
}

static int wrap(ReadAhead *ahead, FrameBuffer *buffer, VmafPicture *picture)
{
    const VideoReader *reader = ahead->reader;
    if (buffer->is_on_device)
        return device_frames_import(reader, ahead->config.vmaf, buffer, picture);
    int err = vmaf_picture_wrap(picture, reader->format.pixel_format, reader->output_depth,
                                reader->format.width, reader->format.height, buffer->planes,
                                buffer->stride, frame_buffer_release, buffer);
    if (!err && !buffer->window.data &&
        !buffer->held) /* without it a device would only be slower */
        (void)vmaf_picture_in_frame_memory(picture, buffer->frame_memory);
    return err;
}

int read_ahead_next(ReadAhead *ahead, unsigned limit_ms, VmafPicture *picture, Message *why)
{
    FrameBuffer *buffer = NULL;
    int status = 0;
    const VmafDeadline deadline = vmaf_deadline_after(limit_ms);
    vmaf_mutex_lock(&ahead->lock);
    ahead->is_waited_for = !ahead->count && !ahead->ended;
    while (!ahead->count && !ahead->ended && status != -EAGAIN) {
        if (vmaf_condition_wait_until(&ahead->changed, &ahead->lock, deadline))
            status = -EAGAIN;
    }
    ahead->is_waited_for = false;
    if (!ahead->count && !ahead->ended) {
        vmaf_mutex_unlock(&ahead->lock);
        return -EAGAIN;
    }
    status = 0;
    bool wakes = false;
    if (ahead->count) {
        wakes = dequeue(ahead, &buffer);
    } else {
        status = ahead->end_status;
        *why = ahead->end_reason;
    }
    vmaf_mutex_unlock(&ahead->lock);
    if (wakes)
        vmaf_condition_broadcast(&ahead->changed);
    if (!buffer)
        return status;

    ahead->time = buffer->time;
    ahead->has_signature = buffer->is_on_device && ahead->config.takes_signatures;
    if (ahead->has_signature)
        ahead->signature = buffer->signature;
    int err = wrap(ahead, buffer, picture);
    if (err) {
        frame_buffer_release(buffer);
        return message_set(why, err, "cannot use frame: %s", strerror(-err));
    }
    return 1;
}

double read_ahead_time(const ReadAhead *ahead)
{
    return ahead->time;
}

const Signature *read_ahead_signature(const ReadAhead *ahead)
{
    return ahead->has_signature ? &ahead->signature : NULL;
}

void read_ahead_allow_more(ReadAhead *ahead, unsigned frames)
{
    FramePool *pool = &ahead->pool;
    vmaf_mutex_lock(&pool->lock);
    pool->max_buffers += frames;
    vmaf_condition_broadcast(&pool->changed);
    vmaf_mutex_unlock(&pool->lock);
}

void read_ahead_stop(ReadAhead *ahead)
{
    if (!ahead || !ahead->running)
        return;
    vmaf_mutex_lock(&ahead->lock);
    ahead->stopped = true;
    const bool reads = !ahead->ended;
    vmaf_condition_broadcast(&ahead->changed);
    vmaf_mutex_unlock(&ahead->lock);
    frame_pool_stop(&ahead->pool);
    if (reads) /* else the reader may be used again */
        video_reader_interrupt(ahead->reader);
    vmaf_thread_join(ahead->thread);
    ahead->running = false;
    while (ahead->count) {
        FrameBuffer *buffer;
        dequeue(ahead, &buffer);
        frame_buffer_release(buffer);
    }
}

void read_ahead_destroy(ReadAhead *ahead)
{
    if (!ahead)
        return;
    read_ahead_stop(ahead);
    frame_pool_destroy(&ahead->pool);
    vmaf_condition_destroy(&ahead->changed);
    vmaf_mutex_destroy(&ahead->lock);
    free(ahead);
}
