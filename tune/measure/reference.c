/* SPDX-License-Identifier: BSD-2-Clause-Patent */

#include "tune/measure/reference.h"

#include "libvmaf/libvmaf_ext.h"
#include "media/match.h"
#include "media/read_ahead.h"
#include "platform/thread.h"
#include "tune/engine/shots.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* -- windows of a video as pictures, ahead of whoever takes them -- */

enum { DEPTH_AHEAD = 2, SPARE_BUFFERS = 24, WAIT_MS = 1000 };

/* 1; 0 at the end; negative errno and why. */
static int take(ReadAhead *ahead, VmafPicture *picture, Message *why)
{
    int got;
    do
        got = read_ahead_next(ahead, WAIT_MS, picture, why);
    while (got == -EAGAIN);
    return got;
}

typedef struct WindowReader {
    VideoReader *reader;
    ReadAheadConfig config;
    const SampleWindow *windows;
    size_t n_windows;
    size_t window;     /* that is read */
    size_t position;   /* frame of the video that is next */
    size_t left;       /* frames of the window */
    ReadAhead **ahead; /* of each window so far: its pictures may still be in use */
} WindowReader;

/* The reader is at its first frame, and is used until window_reader_close. `windows` stay the
 * caller's. 0; -ENOMEM. */
static int window_reader_open(WindowReader *windows, VideoReader *reader,
                              const ReadAheadConfig *config, const SampleWindow *window,
                              size_t n_windows)
{
    *windows = (WindowReader){.reader = reader,
                              .config = *config,
                              .windows = window,
                              .n_windows = n_windows,
                              .ahead = calloc(n_windows, sizeof(*windows->ahead))};
    return windows->ahead ? 0 : -ENOMEM;
}

/* Media files seek; others pass over frames, which costs nothing in files. */
static int start_window(WindowReader *windows, Message *why)
{
    const SampleWindow *window = &windows->windows[windows->window];
    ReadAheadConfig config = windows->config;
    config.skip = (unsigned)(window->first - windows->position);
    config.limit = (unsigned)window->frames;
    if (windows->reader->media && config.skip) {
        config.skip = 0;
        const int more = video_reader_skip_to(windows->reader, (unsigned)window->first);
        if (more < 0)
            return message_set(why, more, "%s", windows->reader->error.text);
    }
    windows->position = window->first + window->frames;
    windows->left = window->frames;
    const int err = read_ahead_start(&windows->ahead[windows->window], windows->reader, &config);
    return err ? message_set(why, err, "%s", strerror(-err)) : 0;
}

/* 1; 0 behind the last window or at the end of the video; negative errno and why. */
static int window_reader_next(WindowReader *windows, VmafPicture *picture, Message *why)
{
    while (windows->window < windows->n_windows) {
        ReadAhead **ahead = &windows->ahead[windows->window];
        const int err = *ahead ? 0 : start_window(windows, why);
        if (err)
            return err;
        if (windows->left) {
            windows->left--;
            return take(*ahead, picture, why);
        }
        const int end = take(*ahead, picture, why); /* there is nothing but the end */
        if (end < 0)
            return end;
        read_ahead_stop(*ahead);
        windows->window++;
    }
    return 0;
}

/* After all pictures were released. */
static void window_reader_close(WindowReader *windows)
{
    if (windows->window < windows->n_windows)
        read_ahead_stop(windows->ahead ? windows->ahead[windows->window] : NULL);
    for (size_t i = 0; i < windows->n_windows && windows->ahead; i++)
        read_ahead_destroy(windows->ahead[i]);
    free(windows->ahead);
    windows->ahead = NULL;
}

/* -- the frames of a source -- */

struct TuneReference {
    const TuneSource *source;
    ReferenceOptions options;
    SampleWindow whole; /* if there are no windows */
    size_t frames;
    VideoReader reader; /* of the thread that keeps frames; else only for its format */
    WindowReader windows;

    VmafMutex lock;
    VmafCondition changed;
    unsigned kept_depth; /* of the frames that are kept; 0: none are */
    const char *kept_matrix;
    VmafThread thread;
    bool runs, stopped;
    VmafPicture *pictures;
    size_t n_pictures; /* that are there */
    int end;           /* 1: more will come; 0: these are all; negative errno, see why */
    Message why;
};

struct ReferenceCursor {
    TuneReference *reference;
    size_t next;
    bool is_kept;
    VideoReader reader; /* if frames are not kept */
    WindowReader windows;
    bool is_open;
};

size_t reference_frames(const TuneReference *reference)
{
    return reference->frames;
}

const VideoReader *reference_format(const TuneReference *reference)
{
    return &reference->reader;
}

/* -- reading -- */

static int open_windows(const TuneReference *reference, VideoReader *reader, unsigned depth,
                        size_t held, WindowReader *windows, Message *why)
{
    const ReferenceOptions *options = &reference->options;
    const ReadAheadConfig config = {
        .depth = DEPTH_AHEAD,
        .max_buffers = (unsigned)held + SPARE_BUFFERS,
        .wanted_planes = options->planes,
        .output_depth = depth,
    };
    const int err =
        window_reader_open(windows, reader, &config, options->windows, options->n_windows);
    return err ? message_set(why, err, "out of memory") : 0;
}

static int open_reader(const TuneReference *reference, VideoReader *reader, Message *why)
{
    const MatchOptions options = {0};
    const int err = source_read(reference->source, reader, reference->options.decoders, why);
    return err ? err : match_reference(reader, &options, why);
}

/* -- keeping -- */

/* True: go on. */
static bool keep_picture(TuneReference *reference, int got, VmafPicture *picture,
                         const Message *why)
{
    vmaf_mutex_lock(&reference->lock);
    if (got == 1 && !reference->stopped)
        reference->pictures[reference->n_pictures++] = *picture;
    else if (got == 1)
        vmaf_picture_unref(picture);
    if (got == 1 && reference->n_pictures == reference->frames)
        got = 0;
    reference->end = got;
    if (got < 0)
        reference->why = *why;
    const bool goes_on = got == 1 && !reference->stopped;
    vmaf_condition_broadcast(&reference->changed);
    vmaf_mutex_unlock(&reference->lock);
    return goes_on;
}

static void *keep_pictures(void *argument)
{
    TuneReference *reference = argument;
    VmafPicture picture;
    Message why;
    int got;
    vmaf_thread_set_name("tune-reference");
    do
        got = window_reader_next(&reference->windows, &picture, &why);
    while (keep_picture(reference, got, &picture, &why));
    return NULL;
}

static int start_keeping(TuneReference *reference, unsigned depth)
{
    Message *why = &reference->why;
    reference->pictures = calloc(reference->frames, sizeof(*reference->pictures));
    if (!reference->pictures)
        return message_set(why, -ENOMEM, "out of memory");
    int err = open_windows(reference, &reference->reader, depth, reference->frames,
                           &reference->windows, why);
    if (!err && (err = vmaf_thread_start(&reference->thread, keep_pictures, reference)))
        message_set(why, err, "no thread could be started");
    reference->runs = !err;
    return err;
}

static bool fits(const TuneReference *reference, unsigned depth)
{
    FileLayout layout;
    Message why;
    VideoFormat format = reference->reader.format;
    format.bit_depth = depth;
    if (video_format_layout(&format, &layout, &why))
        return false;
    return reference->frames < reference->options.memory / layout.frame_bytes;
}

/* Are there such frames, or will there be? Who asks first decides which are kept. */
static bool keeps(TuneReference *reference, unsigned depth, const char *rgb_matrix)
{
    vmaf_mutex_lock(&reference->lock);
    if (!reference->kept_depth && fits(reference, depth)) {
        reference->kept_depth = depth;
        reference->kept_matrix = rgb_matrix;
        reference->reader.conversion.rgb_matrix = rgb_matrix;
        const int err = start_keeping(reference, depth);
        reference->end = err ? err : 1;
    }
    const bool is_kept = reference->kept_depth == depth && reference->kept_matrix == rgb_matrix;
    vmaf_mutex_unlock(&reference->lock);
    return is_kept;
}

/* -- opening and closing -- */

static void set_windows(TuneReference *reference)
{
    ReferenceOptions *options = &reference->options;
    if (!options->n_windows) {
        reference->whole = (SampleWindow){0, reference->source->frames, reference->source->frames};
        options->windows = &reference->whole;
        options->n_windows = 1;
    }
    for (size_t i = 0; i < options->n_windows; i++)
        reference->frames += options->windows[i].frames;
}

int reference_open(TuneReference **opened, const TuneSource *source,
                   const ReferenceOptions *options, Message *why)
{
    TuneReference *reference = calloc(1, sizeof(*reference));
    *opened = reference;
    if (!reference)
        return message_set(why, -ENOMEM, "out of memory");
    reference->source = source;
    reference->options = *options;
    vmaf_mutex_init(&reference->lock);
    vmaf_condition_init(&reference->changed);
    set_windows(reference);
    const int err = open_reader(reference, &reference->reader, why);
    if (err) {
        reference_close(reference);
        *opened = NULL;
    }
    return err;
}

static void stop_keeping(TuneReference *reference)
{
    if (!reference->runs)
        return;
    vmaf_mutex_lock(&reference->lock);
    reference->stopped = true;
    vmaf_mutex_unlock(&reference->lock);
    vmaf_thread_join(reference->thread);
}

void reference_close(TuneReference *reference)
{
    if (!reference)
        return;
    stop_keeping(reference);
    for (size_t i = 0; i < reference->n_pictures; i++)
        vmaf_picture_unref(&reference->pictures[i]);
    free(reference->pictures);
    window_reader_close(&reference->windows);
    video_reader_close(&reference->reader);
    vmaf_condition_destroy(&reference->changed);
    vmaf_mutex_destroy(&reference->lock);
    free(reference);
}

/* -- cursors -- */

static bool is_rgb(const VideoReader *reader)
{
    return reader->media && video_reader_properties(reader)->is_rgb;
}

int reference_cursor_open(TuneReference *reference, unsigned depth, const char *rgb_matrix,
                          ReferenceCursor **opened, Message *why)
{
    const char *matrix = is_rgb(&reference->reader) ? rgb_matrix : NULL;
    ReferenceCursor *cursor = calloc(1, sizeof(*cursor));
    *opened = cursor;
    if (!cursor)
        return message_set(why, -ENOMEM, "out of memory");
    cursor->reference = reference;
    cursor->is_kept = keeps(reference, depth, matrix);
    if (cursor->is_kept)
        return 0;
    cursor->is_open = true;
    int err = open_reader(reference, &cursor->reader, why);
    cursor->reader.conversion.rgb_matrix = matrix;
    if (!err)
        err = open_windows(reference, &cursor->reader, depth, 0, &cursor->windows, why);
    if (err) {
        reference_cursor_close(cursor);
        *opened = NULL;
    }
    return err;
}

static int next_kept(ReferenceCursor *cursor, VmafPicture *picture, Message *why)
{
    TuneReference *reference = cursor->reference;
    vmaf_mutex_lock(&reference->lock);
    while (reference->n_pictures <= cursor->next && reference->end == 1)
        vmaf_condition_wait(&reference->changed, &reference->lock);
    int got = 1;
    if (reference->n_pictures <= cursor->next) {
        got = reference->end;
        *why = reference->why;
    }
    vmaf_mutex_unlock(&reference->lock);
    if (got != 1)
        return got;
    const int err = vmaf_picture_share(picture, &reference->pictures[cursor->next++]);
    return err ? message_set(why, err, "out of memory") : 1;
}

int reference_cursor_next(ReferenceCursor *cursor, VmafPicture *picture, Message *why)
{
    return cursor->is_kept ? next_kept(cursor, picture, why)
                           : window_reader_next(&cursor->windows, picture, why);
}

void reference_cursor_close(ReferenceCursor *cursor)
{
    if (!cursor)
        return;
    if (cursor->is_open) {
        window_reader_close(&cursor->windows);
        video_reader_close(&cursor->reader);
    }
    free(cursor);
}

/* -- pairs -- */

static int open_encode(FramePairs *pairs, const char *path, bool no_film_grain, Message *why)
{
    const MediaSettings settings = {.stream = -1, .threads = 2, .no_film_grain = no_film_grain};
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
                     unsigned planes, bool allows_mismatch, bool no_film_grain, Message *why)
{
    *pairs = (FramePairs){.reference = reference, .allows_mismatch = allows_mismatch};
    int err = open_encode(pairs, encode, no_film_grain, why);
    if (err)
        return err;
    const ReadAheadConfig config = {
        .depth = DEPTH_AHEAD,
        .max_buffers = SPARE_BUFFERS,
        .wanted_planes = planes,
        .output_depth = match_depth(reference_format(reference), &pairs->reader),
    };
    err = read_ahead_start(&pairs->ahead, &pairs->reader, &config);
    if (err)
        return message_set(why, err, "%s", strerror(-err));
    return reference_cursor_open(reference, config.output_depth, match_rgb_matrix(&pairs->reader),
                                 &pairs->cursor, why);
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
    const int second = take(pairs->ahead, distorted, why);
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
