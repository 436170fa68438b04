/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "media/video_reader.h"

#include "media/raw_yuv.h"
#include "media/y4m.h"
#include "text/say.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const char short_frame[] = "Error reading YUV frame data.";

int video_reader_open(VideoReader *reader, const char *path)
{
    *reader = (VideoReader){0};
    return input_open(&reader->input, path);
}

static int start(VideoReader *reader, const VideoFormat *format)
{
    Message why;
    int err = video_format_layout(format, &reader->layout, &why);
    if (err) {
        say("%s: %s", reader->input.path, why.text);
        return err;
    }
    reader->format = *format;
    return video_reader_prepare(reader, 7, format->bit_depth, 1);
}

int video_reader_start_y4m(VideoReader *reader, bool quiet)
{
    VideoFormat format;
    bool interlacing_unknown;
    Message why;
    int err = y4m_read_header(&reader->input, &format, &interlacing_unknown, &why);
    if (err == -ENOTSUP) {
        reader->error = why;
        return err;
    }
    if (err) {
        say("%s", why.text);
        say("Error parsing YUV4MPEG2 header.");
        say("Error opening y4m file.");
        say("Unknown file type.");
        return err;
    }
    if (interlacing_unknown && !quiet) {
        say("warning: %s: interlacing format unknown; assuming progressive scan",
            reader->input.path);
    }
    return start(reader, &format);
}

int video_reader_start_raw(VideoReader *reader, const VideoFormat *format)
{
    reader->raw = true;
    return start(reader, format);
}

static bool is_wanted(const VideoReader *reader, unsigned plane)
{
    return reader->wanted >> plane & 1;
}

/* Where the wanted planes lie in a frame of the file, if windows on them pay. */
static void prepare_windows(VideoReader *reader)
{
    enum { WORTHWHILE_BYTES = 256 * 1024 };
    size_t position = 0, begin = SIZE_MAX, end = 0;
    for (unsigned p = 0; p < 3 && p < reader->layout.n_planes; p++) {
        reader->file_offset[p] = position;
        position += reader->layout.plane[p].bytes;
        if (is_wanted(reader, p)) {
            begin = begin < reader->file_offset[p] ? begin : reader->file_offset[p];
            end = position;
        }
    }
    const bool is_usable = reader->output_depth == reader->format.bit_depth && end > begin;
    reader->window_begin = begin;
    reader->window_bytes = is_usable && end - begin >= WORTHWHILE_BYTES ? end - begin : 0;
}

int video_reader_prepare(VideoReader *reader, unsigned wanted_planes, unsigned output_depth,
                         size_t alignment)
{
    bool widened = reader->format.bit_depth == 8 && output_depth > 8;
    reader->output_depth = output_depth;
    reader->wanted = wanted_planes & (reader->format.pixel_format == VMAF_PIX_FMT_YUV400P ? 1 : 7);
    reader->buffer_bytes = 0;
    for (unsigned p = 0; p < 3; p++) {
        size_t factor = widened ? 2 : 1, bytes;
        reader->offset[p] = reader->buffer_bytes;
        reader->stride[p] = (ptrdiff_t)(reader->layout.plane[p].row_bytes * factor);
        if (!is_wanted(reader, p))
            continue;
        if (__builtin_mul_overflow(reader->layout.plane[p].bytes, factor, &bytes) ||
            bytes > SIZE_MAX - (alignment - 1))
            return -EINVAL;
        bytes = (bytes + alignment - 1) & ~(alignment - 1);
        if (__builtin_add_overflow(reader->buffer_bytes, bytes, &reader->buffer_bytes))
            return -EINVAL;
    }
    prepare_windows(reader);
    return 0;
}

int video_reader_next(VideoReader *reader)
{
    int more = reader->raw ? raw_yuv_begin_frame(&reader->input, &reader->error)
                           : y4m_begin_frame(&reader->input, &reader->error);
    /* Known before any memory is taken: a header can promise gigabytes that are not there. */
    if (more > 0 && input_falls_short(&reader->input, reader->layout.frame_bytes))
        return message_set(&reader->error, -EINVAL, "%s", short_frame);
    return more;
}

/* Multiplies 16-bit samples by 2^shift. */
static void raise_words(uint16_t *samples, size_t count, unsigned shift)
{
    for (size_t i = 0; i < count; i++)
        samples[i] = (uint16_t)(samples[i] << shift);
}

/*
 * Bytes become words. The bytes lie in the second half of the words' memory, so going forwards
 * never overwrites a byte that is still to come.
 */
static void widen_bytes(uint16_t *words, const unsigned char *bytes, size_t count, unsigned shift)
{
    for (size_t i = 0; i < count; i++)
        words[i] = (uint16_t)((unsigned)bytes[i] << shift);
}

static int read_plane(VideoReader *reader, const FilePlane *plane, unsigned char *to)
{
    unsigned shift = reader->output_depth - reader->format.bit_depth;
    bool widened = reader->format.bit_depth == 8 && shift;
    unsigned char *landing = widened ? to + plane->bytes : to;
    size_t got;
    int err = input_read(&reader->input, landing, plane->bytes, &got);
    if (err)
        return message_set(&reader->error, err, "%s", strerror(-err));
    if (got < plane->bytes)
        return message_set(&reader->error, -EINVAL, "%s", short_frame);
    /* Buffers are aligned far beyond two bytes. */
    uint16_t *words = (uint16_t *)(void *)to;
    if (widened)
        widen_bytes(words, landing, plane->bytes, shift);
    else if (shift)
        raise_words(words, plane->bytes / sizeof(*words), shift);
    return 0;
}

static int skip_plane(VideoReader *reader, const FilePlane *plane)
{
    size_t got;
    int err = input_skip(&reader->input, plane->bytes, &got);
    if (err)
        return message_set(&reader->error, err, "%s", strerror(-err));
    if (got < plane->bytes)
        return message_set(&reader->error, -EINVAL, "%s", short_frame);
    return 0;
}

bool video_reader_map(VideoReader *reader, VmafFileWindow *window, void *planes[3])
{
    const size_t begin = reader->window_begin;
    const int64_t place = reader->input.position + (int64_t)begin;
    const bool is_aligned = reader->format.bit_depth == 8 || place % 2 == 0;
    if (!reader->window_bytes || !is_aligned ||
        input_open_window(&reader->input, begin, reader->window_bytes, window))
        return false;
    for (unsigned p = 0; p < 3; p++)
        planes[p] = is_wanted(reader, p) ? window->data + (reader->file_offset[p] - begin) : NULL;
    reader->input.position += (int64_t)reader->layout.frame_bytes;
    return true;
}

int video_reader_read(VideoReader *reader, void *buffer)
{
    unsigned char *memory = buffer;
    int err = 0;
    for (unsigned p = 0; p < reader->layout.n_planes && !err; p++) {
        const FilePlane *plane = &reader->layout.plane[p];
        const bool wanted = p < 3 && is_wanted(reader, p);
        err = wanted ? read_plane(reader, plane, memory + reader->offset[p])
                     : skip_plane(reader, plane);
    }
    return err;
}

int video_reader_skip(VideoReader *reader)
{
    int err = 0;
    for (unsigned p = 0; p < reader->layout.n_planes && !err; p++)
        err = skip_plane(reader, &reader->layout.plane[p]);
    return err;
}

unsigned long long video_reader_frames_left(const VideoReader *reader)
{
    enum { PLAIN_FRAME_HEADER = 6 }; /* "FRAME\n" */
    int64_t left = input_left(&reader->input);
    if (left < 0)
        return 0;
    size_t frame_bytes = reader->layout.frame_bytes + (reader->raw ? 0 : PLAIN_FRAME_HEADER);
    return (unsigned long long)left / frame_bytes;
}

unsigned long long video_reader_bytes_after_frames(const VideoReader *reader)
{
    const int64_t left = input_left(&reader->input);
    return left < 0 ? 0 : (unsigned long long)left % reader->layout.frame_bytes;
}

bool video_reader_begins_like_y4m(const VideoReader *reader)
{
    static const char magic[] = "YUV4MPEG2 ";
    char head[sizeof(magic) - 1];
    return input_peek(&reader->input, head, sizeof(head)) == sizeof(head) &&
           !memcmp(head, magic, sizeof(head));
}

void video_reader_close(VideoReader *reader)
{
    input_close(&reader->input);
}
