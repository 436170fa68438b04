/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/measure/reference.h"

#include "libvmaf/libvmaf_ext.h"
#include "media/match.h"
#include "platform/thread.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int next_picture(ReadAhead *ahead, VmafPicture *picture, Message *why)
{
    enum { WAIT_MS = 1000 };
    int got;
    do
        got = read_ahead_next(ahead, WAIT_MS, picture, why);
    while (got == -EAGAIN);
    return got;
}

enum { DECODERS = 2 }; /* threads of each */

/* One pass through the windows of a reference, as pictures, ahead of whoever takes them. */
typedef struct FrameStream {
    VideoReader reader;
    const ReferenceOptions *options;
    ReadAheadConfig config;
    size_t window;   /* that is read */
    size_t position; /* frame of the video that is next */
    size_t left;     /* frames of the window */
    ReadAhead *
        *ahead; /* of each window so far: its pictures may still be in use; NULL: not begun */
} FrameStream;

struct TuneReference {
    const TuneSource *source;
    ReferenceOptions options;
    SampleWindow whole; /* if there are no windows */
    size_t frames;
    VmafMutex lock;      /* of the rest */
    FrameStream stream;  /* of the frames that are kept; else only for its format */
    unsigned kept_depth; /* 0: none are kept */
    const char *kept_matrix;
    VmafPicture *pictures;
    size_t n_pictures; /* so far */
    int end;           /* 1: more will come; 0: these are all; negative errno, see why */
    Message why;
};

struct ReferenceCursor {
    TuneReference *reference;
    bool is_kept;
    size_t next;        /* of the frames that are kept */
    FrameStream stream; /* else */
};

size_t reference_frames(const TuneReference *reference)
{
    return reference->frames;
}

unsigned reference_planes(const TuneReference *reference)
{
    return reference->options.planes;
}

const VideoReader *reference_format(const TuneReference *reference)
{
    return &reference->stream.reader;
}

/* -- reading -- */

static int stream_open(FrameStream *stream, const TuneReference *reference, Message *why)
{
    const MatchOptions options = {0};
    stream->options = &reference->options;
    const int err = source_read(reference->source, &stream->reader, DECODERS, why);
    return err ? err : match_reference(&stream->reader, &options, why);
}

/* Sets what pictures look like, and how many of them there are at a time beside spare ones. 0;
 * -ENOMEM. */
static int stream_begin(FrameStream *stream, unsigned depth, const char *rgb_matrix, size_t held)
{
    stream->reader.conversion.rgb_matrix = rgb_matrix;
    stream->config = (ReadAheadConfig){
        .depth = REFERENCE_AHEAD,
        .max_buffers = (unsigned)held + REFERENCE_BUFFERS,
        .wanted_planes = stream->options->planes,
        .output_depth = depth,
    };
    stream->ahead = calloc(stream->options->n_windows, sizeof(*stream->ahead));
    return stream->ahead ? 0 : -ENOMEM;
}

/* Media files seek; others pass over frames, which costs nothing in files. */
static int start_window(FrameStream *stream, Message *why)
{
    const SampleWindow *window = &stream->options->windows[stream->window];
    ReadAheadConfig config = stream->config;
    config.skip = (unsigned)(window->first - stream->position);
    config.limit = (unsigned)window->frames;
    if (stream->reader.media && config.skip) {
        config.skip = 0;
        const int more = video_reader_skip_to(&stream->reader, (unsigned)window->first);
        if (more < 0)
            return message_set(why, more, "%s", stream->reader.error.text);
    }
    stream->position = window->first + window->frames;
    stream->left = window->frames;
    const int err = read_ahead_start(&stream->ahead[stream->window], &stream->reader, &config);
    return err ? message_set(why, err, "%s", strerror(-err)) : 0;
}

/* 1; 0 behind the last window or at the end of the video; negative errno and why. */
static int stream_next(FrameStream *stream, VmafPicture *picture, Message *why)
{
    for (; stream->window < stream->options->n_windows; stream->window++) {
        ReadAhead **ahead = &stream->ahead[stream->window];
        const int err = *ahead ? 0 : start_window(stream, why);
        if (err)
            return err;
        const bool is_over = !stream->left;
        stream->left -= !is_over;
        const int got =
            next_picture(*ahead, picture, why); /* behind the last frame there is the end */
        if (!is_over || got < 0)
            return got;
        read_ahead_stop(*ahead);
    }
    return 0;
}

/* After all pictures were released. */
static void stream_close(FrameStream *stream)
{
    for (size_t i = 0; stream->ahead && i < stream->options->n_windows; i++) {
        if (i == stream->window)
            read_ahead_stop(stream->ahead[i]);
        read_ahead_destroy(stream->ahead[i]);
    }
    free(stream->ahead);
    video_reader_close(&stream->reader);
}

/* -- keeping -- */

static bool fits(const TuneReference *reference, unsigned depth)
{
    FileLayout layout;
    Message why;
    VideoFormat format = reference->stream.reader.format;
    format.bit_depth = depth;
    return !video_format_layout(&format, &layout, &why) &&
           reference->frames < reference->options.memory / layout.frame_bytes;
}

/* Are there such frames, or will there be? Who asks first decides which are kept. */
static bool keeps(TuneReference *reference, unsigned depth, const char *rgb_matrix)
{
    vmaf_mutex_lock(&reference->lock);
    if (!reference->kept_depth && fits(reference, depth)) {
        reference->kept_depth = depth;
        reference->kept_matrix = rgb_matrix;
        reference->pictures = calloc(reference->frames, sizeof(*reference->pictures));
        reference->end = 1;
        if (!reference->pictures ||
            stream_begin(&reference->stream, depth, rgb_matrix, reference->frames))
            reference->end = message_set(&reference->why, -ENOMEM, "out of memory");
    }
    const bool is_kept = reference->kept_depth == depth && reference->kept_matrix == rgb_matrix;
    vmaf_mutex_unlock(&reference->lock);
    return is_kept;
}

/* Who needs a frame first reads it. */
static int next_kept(ReferenceCursor *cursor, VmafPicture *picture, Message *why)
{
    TuneReference *reference = cursor->reference;
    vmaf_mutex_lock(&reference->lock);
    if (cursor->next == reference->n_pictures && reference->end == 1) {
        reference->end = stream_next(&reference->stream,
                                     &reference->pictures[reference->n_pictures], &reference->why);
        reference->n_pictures += reference->end == 1;
    }
    const int got = cursor->next < reference->n_pictures ? 1 : reference->end;
    if (got < 0)
        *why = reference->why;
    vmaf_mutex_unlock(&reference->lock);
    if (got != 1)
        return got;
    const int err = vmaf_picture_share(picture, &reference->pictures[cursor->next++]);
    return err ? message_set(why, err, "out of memory") : 1;
}

/* -- opening and closing -- */

int reference_open(TuneReference **opened, const TuneSource *source,
                   const ReferenceOptions *options, Message *why)
{
    TuneReference *reference = calloc(1, sizeof(*reference));
    *opened = reference;
    if (!reference)
        return message_set(why, -ENOMEM, "out of memory");
    reference->source = source;
    reference->options = *options;
    reference->whole =
        source->part.frames ? source->part : (SampleWindow){0, source->frames, source->frames};
    if (!options->n_windows) {
        reference->options.windows = &reference->whole;
        reference->options.n_windows = 1;
    }
    for (size_t i = 0; i < reference->options.n_windows; i++)
        reference->frames += reference->options.windows[i].frames;
    vmaf_mutex_init(&reference->lock);
    const int err = stream_open(&reference->stream, reference, why);
    if (err) {
        reference_close(reference);
        *opened = NULL;
    }
    return err;
}

void reference_close(TuneReference *reference)
{
    if (!reference)
        return;
    for (size_t i = 0; i < reference->n_pictures; i++)
        vmaf_picture_unref(&reference->pictures[i]);
    free(reference->pictures);
    stream_close(&reference->stream);
    vmaf_mutex_destroy(&reference->lock);
    free(reference);
}

int reference_cursor_open(TuneReference *reference, unsigned depth, const char *rgb_matrix,
                          ReferenceCursor **opened, Message *why)
{
    const VideoReader *format = reference_format(reference);
    const bool is_rgb = format->media && video_reader_properties(format)->is_rgb;
    const char *matrix = is_rgb ? rgb_matrix : NULL;
    ReferenceCursor *cursor = calloc(1, sizeof(*cursor));
    *opened = cursor;
    if (!cursor)
        return message_set(why, -ENOMEM, "out of memory");
    cursor->reference = reference;
    cursor->is_kept = keeps(reference, depth, matrix);
    if (cursor->is_kept)
        return 0;
    int err = stream_open(&cursor->stream, reference, why);
    if (!err && (err = stream_begin(&cursor->stream, depth, matrix, 0)))
        message_set(why, err, "out of memory");
    if (err) {
        reference_cursor_close(cursor);
        *opened = NULL;
    }
    return err;
}

int reference_cursor_next(ReferenceCursor *cursor, VmafPicture *picture, Message *why)
{
    return cursor->is_kept ? next_kept(cursor, picture, why)
                           : stream_next(&cursor->stream, picture, why);
}

void reference_cursor_close(ReferenceCursor *cursor)
{
    if (cursor && !cursor->is_kept)
        stream_close(&cursor->stream);
    free(cursor);
}
