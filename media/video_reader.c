/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Frames of raw and Y4M files, and of all that the media module decodes, as pictures. */
#include "media/video_reader.h"

#include "common/messages.h"
#include "media/y4m.h"
#include "platform/machine.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- frames at the times of another video -- */

struct FrameTimes {
    double *seconds; /* sorted; the first is 0 */
    size_t count, next;
    MediaFrame shown, coming; /* held NULL: there is none */
    bool is_given;            /* the frame that is shown was given out */
    bool ended;
    double tick, interval; /* seconds: of the other video's clock, and between its frames */
    double step;           /* seconds between the last two frames of the video */
    unsigned long long repeated, unused;
};

static double seconds_of(const MediaTime *time)
{
    return time->den ? (double)time->ticks * time->num / time->den : 0;
}

static double tick_of(const MediaTime *time)
{
    return time->den ? (double)time->num / time->den : 0;
}

static int compare(const void *a, const void *b)
{
    const double first = *(const double *)a, second = *(const double *)b;
    return (first > second) - (first < second);
}

int frame_times_create(FrameTimes **times, const MediaModule *module, MediaVideo *other,
                       Message *why)
{
    MediaPackets packets;
    int err = module->list_packets(other, &packets, why);
    if (err)
        return err;
    FrameTimes *created = calloc(1, sizeof(*created));
    double *seconds = malloc((packets.count + 1) * sizeof(*seconds));
    if (!created || !seconds)
        err = message_set(why, -ENOMEM, "out of memory");
    for (size_t i = 0; !err && i < packets.count; i++) {
        seconds[i] = seconds_of(&packets.packet[i].shown);
        if (!packets.packet[i].shown.den)
            err = message_set(why, -ENOTSUP, "it does not say when its frames are shown");
    }
    if (err) {
        free(created);
        free(seconds);
    } else {
        if (packets.count)
            qsort(seconds, packets.count, sizeof(*seconds), compare);
        for (size_t i = packets.count; i-- > 0;)
            seconds[i] -= seconds[0];
        if (packets.count > 1) {
            created->tick = tick_of(&packets.packet[0].shown);
            created->interval = seconds[packets.count - 1] / (double)(packets.count - 1);
        }
        created->seconds = seconds;
        created->count = packets.count;
        *times = created;
    }
    module->free_packets(&packets);
    return err;
}

/* NULL is allowed. */
static void frame_times_destroy(FrameTimes *times, const MediaModule *module)
{
    if (!times)
        return;
    if (times->shown.held)
        module->release_frame(times->shown.held);
    if (times->coming.held)
        module->release_frame(times->coming.held);
    free(times->seconds);
    free(times);
}

/* Decodes the frame that is shown next. */
static int fetch(FrameTimes *times, const MediaModule *module, MediaVideo *video, Message *why)
{
    if (times->ended || times->coming.held)
        return 0;
    const int more = module->next_frame(video, &times->coming, why);
    times->ended = more <= 0;
    if (more <= 0)
        times->coming.held = NULL;
    return more < 0 ? more : 0;
}

/*
 * By how much equal times may differ: those of a frame and of the first one are rounded to half a
 * tick, in both files. Where a tick is as long as a frame, nothing is rounded.
 */
static double tolerance(const FrameTimes *times, const MediaTime *at)
{
    return fmin(times->tick + tick_of(at), times->interval / 4);
}

static bool comes_by(const FrameTimes *times, double seconds)
{
    const MediaTime *at = &times->coming.shown;
    return times->coming.held && seconds_of(at) <= seconds + tolerance(times, at);
}

/* The frame that was shown ends, and the next one begins. */
static void advance(FrameTimes *times, const MediaModule *module)
{
    if (times->shown.held) {
        times->unused += !times->is_given;
        times->step = seconds_of(&times->coming.shown) - seconds_of(&times->shown.shown);
        module->release_frame(times->shown.held);
    }
    times->shown = times->coming;
    times->coming.held = NULL;
    times->is_given = false;
}

/* The last frame of the video that is shown by the next of the times, which both files round to
 * ticks of their clocks. As next_frame of the module; 0 also where the video has ended before that
 * time. */
static int frame_times_next(FrameTimes *times, const MediaModule *module, MediaVideo *video,
                            MediaFrame *frame, Message *why)
{
    if (times->next == times->count)
        return 0;
    const double seconds = times->seconds[times->next++];
    int err = fetch(times, module, video, why);
    while (!err && comes_by(times, seconds)) {
        advance(times, module);
        err = fetch(times, module, video, why);
    }
    if (err || !times->shown.held)
        return err;
    /* The last frame is shown as long as the one before. */
    const double last = seconds_of(&times->shown.shown) + times->step;
    if (times->ended && times->is_given && seconds >= last - tolerance(times, &times->shown.shown))
        return 0;
    *frame = times->shown;
    frame->held = module->share_frame(times->shown.held);
    if (!frame->held)
        return message_set(why, -ENOMEM, "out of memory");
    times->repeated += times->is_given;
    times->is_given = true;
    return 1;
}

void frame_times_count(const FrameTimes *times, unsigned long long *repeated,
                       unsigned long long *unused)
{
    *repeated = times->repeated;
    *unused = times->unused;
}

/* -- opening -- */

static const char short_frame[] = "Error reading YUV frame data.";

int video_reader_open(VideoReader *reader, const char *path)
{
    *reader = (VideoReader){.raw_options = "-w WIDTH -h HEIGHT -p FORMAT -b BITS"};
    const int err = input_open(&reader->input, path);
    reader->is_pattern = err == -ENOENT && picture_sequence_find(path, &reader->first_picture);
    return reader->is_pattern ? 0 : err;
}

static int start(VideoReader *reader, const VideoFormat *format)
{
    Message why;
    int err = video_format_layout(format, &reader->layout, &why);
    if (err) {
        print_error("%s: %s", reader->input.path, why.text);
        return err;
    }
    reader->format = *format;
    reader->first_frame = reader->input.position;
    return video_reader_prepare(reader, 7, format->bit_depth, 1);
}

int video_reader_start_y4m(VideoReader *reader, bool quiet)
{
    VideoFormat format;
    Y4mProperties properties;
    if (reader->is_pattern)
        return message_set(&reader->error, -ENOTSUP, "there is no such file");
    const int err = y4m_read_header(&reader->input, &format, &properties, &reader->error);
    if (err)
        return err;
    reader->is_full_range = properties.is_full_range;
    if (properties.interlacing_unknown && !quiet) {
        print_error("warning: %s: interlacing format unknown; assuming progressive scan",
                    reader->input.path);
    }
    return start(reader, &format);
}

int video_reader_start_raw(VideoReader *reader, const VideoFormat *format)
{
    reader->raw = true;
    return start(reader, format);
}

/* -- media files -- */

enum { PLAIN_FRAME_HEADER = 6 }; /* "FRAME\n" */

/* Bytes of a frame whose header has no parameters, as in nearly all files. */
static size_t plain_frame_bytes(const VideoReader *reader)
{
    return reader->layout.frame_bytes + (reader->raw ? 0 : PLAIN_FRAME_HEADER);
}

static int read_pipe(void *cookie, int64_t position, uint8_t *buffer, int size)
{
    size_t got;
    (void)position;
    const int err = input_read(cookie, buffer, (size_t)size, &got);
    return err ? err : (int)got;
}

/* Standard input need not stand at the beginning of its file. */
static int read_file(void *cookie, int64_t position, uint8_t *buffer, int size)
{
    const VmafInput *source = &((const Input *)cookie)->source;
    size_t got;
    const int err = vmaf_input_read(source, buffer, (size_t)size, source->begin + position, &got);
    return err ? err : (int)got;
}

/* The short header, and what is behind the file's own one. */
static int read_frames(void *cookie, int64_t position, uint8_t *buffer, int size)
{
    const VideoReader *reader = cookie;
    const VmafInput *source = &reader->input.source;
    const int64_t length = (int64_t)strlen(reader->short_header);
    if (position < length) {
        const int64_t left = length - position;
        const int n = left < size ? (int)left : size;
        memcpy(buffer, reader->short_header + position, (size_t)n);
        return n;
    }
    size_t got;
    const int err = vmaf_input_read(source, buffer, (size_t)size,
                                    reader->first_frame + position - length, &got);
    return err ? err : (int)got;
}

/* What the module cannot open by its name. */
static MediaSource find_source(VideoReader *reader)
{
    const VmafInput *source = &reader->input.source;
    if (reader->is_pattern)
        return (MediaSource){0};
    if (!source->is_file)
        return (MediaSource){&reader->input, -1, read_pipe};
    if (*reader->short_header)
        return (MediaSource){reader,
                             source->status.size - reader->first_frame +
                                 (int64_t)strlen(reader->short_header),
                             read_frames};
    if (!strcmp(reader->input.path, "-"))
        return (MediaSource){&reader->input, source->status.size - source->begin, read_file};
    return (MediaSource){0};
}

/* Each format reports differently that a file is none of its own; the first bytes show it
 * better. */
static void reject(VideoReader *reader)
{
    unsigned char head[FOREIGN_HEAD_SIZE];
    const size_t size = input_peek(&reader->input, head, sizeof(head));
    const Message reason = reader->error;
    foreign_file_reject(head, size, reader->input.path, reason.text, reader->raw_options,
                        &reader->error);
}

int video_reader_start_media(VideoReader *reader, const MediaSettings *settings)
{
    int err = media_module_load(&reader->module, &reader->error);
    if (err)
        return err;
    MediaSettings all = *settings;
    all.path = reader->input.path;
    all.first_picture = settings->first_picture ? settings->first_picture : reader->first_picture;
    all.source = find_source(reader);
    reader->has_gap = reader->is_pattern &&
                      picture_sequence_has_gap(all.path, all.first_picture, &reader->missing);
    if (reader->has_gap && !all.ignore_errors)
        return message_set(&reader->error, -ENODATA,
                           "picture %u is missing, and there are others behind it",
                           reader->missing);
    err = reader->module->open(&reader->media, &all, &reader->error);
    if (err == -EPROTONOSUPPORT)
        reject(reader);
    if (err)
        return err;
    const MediaProperties *properties = reader->module->properties(reader->media);
    err = start(reader, &properties->format);
    reader->format.rate_num = properties->rate_num;
    reader->format.rate_den = properties->rate_den;
    reader->conversion.format = properties->format;
    reader->conversion.is_full_range = properties->is_full_range;
    reader->begin = -1;
    return err;
}

void video_reader_unread_header(VideoReader *reader)
{
    char *line = reader->short_header;
    y4m_print_header(line, &reader->format, reader->is_full_range);
    if (!reader->input.source.is_file)
        input_unread(&reader->input, line, strlen(line));
}

const MediaProperties *video_reader_properties(const VideoReader *reader)
{
    return reader->module->properties(reader->media);
}

static int prepare_media(VideoReader *reader)
{
    MediaConversion conversion = reader->conversion;
    conversion.format = reader->format;
    conversion.format.bit_depth = reader->output_depth;
    conversion.planes = reader->wanted;
    conversion.stays_on_device = reader->stays_on_device;
    return reader->module->convert(reader->media, &conversion, &reader->error);
}

int video_reader_take(VideoReader *reader, FrameBuffer *buffer)
{
    for (unsigned p = 0; p < 3; p++) {
        buffer->planes[p] = reader->frame.planes[p];
        buffer->stride[p] = reader->frame.stride[p];
    }
    buffer->is_on_device = reader->stays_on_device;
    buffer->held = reader->frame.held;
    buffer->let_go = reader->module->release_frame;
    reader->frame.held = NULL;
    return 0;
}

double video_reader_time(const VideoReader *reader)
{
    const MediaTime *shown = &reader->frame.shown;
    if (!reader->media || !shown->den)
        return NAN;
    return (double)shown->ticks * shown->num / shown->den;
}

/* Releases a frame that nobody has taken. */
static void let_go(VideoReader *reader)
{
    if (reader->frame.held)
        reader->module->release_frame(reader->frame.held);
    reader->frame.held = NULL;
}

static int next_of_media(VideoReader *reader)
{
    if (reader->ended)
        return 0;
    if (reader->times)
        return frame_times_next(reader->times, reader->module, reader->media, &reader->frame,
                                &reader->error);
    const int more = reader->module->next_frame(reader->media, &reader->frame, &reader->error);
    const double seconds = video_reader_time(reader);
    if (more <= 0 || reader->duration <= 0 || isnan(seconds))
        return more;
    if (reader->begin < 0)
        reader->begin = seconds;
    if (seconds - reader->begin < reader->duration - 1e-9)
        return 1;
    let_go(reader);
    reader->ended = true;
    return 0;
}

int video_reader_skip_to(VideoReader *reader, unsigned frame)
{
    const int more = reader->module->skip_to(reader->media, frame, &reader->error);
    reader->ended = !more;
    reader->went_to = frame;
    return more;
}

int video_reader_skip_to_time(VideoReader *reader, double seconds)
{
    uint64_t frame = 0;
    const int more = reader->module->skip_to_time(reader->media, seconds, &frame, &reader->error);
    reader->ended = !more;
    reader->went_to = frame;
    return more;
}

int video_reader_rewind(VideoReader *reader)
{
    reader->ended = false;
    reader->begin = -1;
    reader->input.position = reader->first_frame;
    const int more = reader->media ? video_reader_skip_to(reader, 0) : 1;
    return more < 0 ? more : 0;
}

/* Reads all headers of frames: those with parameters differ in their sizes. */
static unsigned long long count_by_headers(const VideoReader *reader)
{
    Input input = reader->input;
    Message unused;
    unsigned long long count = 0;
    size_t got;
    input.position = reader->first_frame;
    while (y4m_begin_frame(&input, &unused) > 0 &&
           !input_skip(&input, reader->layout.frame_bytes, &got) &&
           got == reader->layout.frame_bytes)
        count++;
    return count;
}

static unsigned long long frames_of_file(const VideoReader *reader)
{
    unsigned long long rest;
    const unsigned long long frames = video_reader_plain_frames(reader, &rest);
    return reader->raw || (frames && !rest) ? frames : count_by_headers(reader);
}

unsigned long long video_reader_count(VideoReader *reader)
{
    MediaPackets packets;
    if (!reader->media)
        return reader->input.source.is_file ? frames_of_file(reader) : 0;
    if (reader->module->list_packets(reader->media, &packets, &reader->error))
        return 0;
    const unsigned long long count = packets.count;
    reader->module->free_packets(&packets);
    return count;
}

/* -- all files -- */

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
    const bool is_usable = reader->output_depth == reader->format.bit_depth && end > begin &&
                           (reader->format.bit_depth == 8 || vmaf_is_little_endian());
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
    if (reader->media && alignment > 1) /* else frames are not read yet */
        return prepare_media(reader);
    prepare_windows(reader);
    return 0;
}

int video_reader_next(VideoReader *reader)
{
    if (reader->media)
        return next_of_media(reader);
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
    if (reader->format.bit_depth > 8)
        vmaf_swap_for_files(words, plane->bytes, sizeof(*words));
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

bool video_reader_map(VideoReader *reader, bool leaves_pages, VmafFileWindow *window,
                      void *planes[3])
{
    const size_t begin = reader->window_begin;
    const int64_t place = reader->input.position + (int64_t)begin;
    const bool is_aligned = reader->format.bit_depth == 8 || place % 2 == 0;
    if (!reader->window_bytes || !is_aligned ||
        input_open_window(&reader->input, begin, reader->window_bytes, leaves_pages, window))
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
    if (reader->media) {
        let_go(reader);
        return 0;
    }
    int err = 0;
    for (unsigned p = 0; p < reader->layout.n_planes && !err; p++)
        err = skip_plane(reader, &reader->layout.plane[p]);
    return err;
}

int video_reader_pass_over(VideoReader *reader)
{
    const int more = video_reader_next(reader);
    return more > 0 && video_reader_skip(reader) ? -EINVAL : more;
}

unsigned long long video_reader_frames_left(const VideoReader *reader)
{
    if (reader->media)
        return video_reader_properties(reader)->frame_count;
    int64_t left = input_left(&reader->input);
    if (left < 0)
        return 0;
    return (unsigned long long)left / plain_frame_bytes(reader);
}

static int64_t plain_place(const VideoReader *reader, unsigned long long frame)
{
    return reader->first_frame + (int64_t)(frame * plain_frame_bytes(reader));
}

unsigned long long video_reader_plain_frames(const VideoReader *reader, unsigned long long *rest)
{
    char head[PLAIN_FRAME_HEADER];
    Input from_first = reader->input;
    from_first.position = reader->first_frame;
    const int64_t left = input_left(&from_first);
    if (left <= 0 || (!reader->raw && (input_peek(&from_first, head, sizeof(head)) < sizeof(head) ||
                                       memcmp(head, "FRAME\n", sizeof(head)) != 0)))
        return 0;
    *rest = (unsigned long long)left % plain_frame_bytes(reader);
    return (unsigned long long)left / plain_frame_bytes(reader);
}

void video_reader_go_to_plain(VideoReader *reader, unsigned long long frame)
{
    reader->input.position = plain_place(reader, frame);
}

bool video_reader_is_at_plain(const VideoReader *reader, unsigned long long frame)
{
    return reader->input.position == plain_place(reader, frame);
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

void video_reader_interrupt(VideoReader *reader)
{
    if (reader->media)
        reader->module->interrupt(reader->media);
    vmaf_input_interrupt(&reader->input.source);
}

void video_reader_close(VideoReader *reader)
{
    frame_times_destroy(reader->times, reader->module);
    if (reader->media) {
        let_go(reader);
        reader->module->close(reader->media);
    }
    vmaf_input_close(&reader->input.source);
}
