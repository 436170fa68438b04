/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/measure/source.h"

#include "media/module_interface.h"
#include "platform/text.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- pixel formats and rates -- */

static const struct {
    const char *begin;
    enum VmafPixelFormat format;
} layouts[] = {
    {"yuv420p", VMAF_PIX_FMT_YUV420P},
    {"yuv422p", VMAF_PIX_FMT_YUV422P},
    {"yuv444p", VMAF_PIX_FMT_YUV444P},
    {"gray", VMAF_PIX_FMT_YUV400P},
};

enum { N_LAYOUTS = sizeof layouts / sizeof *layouts };

void pixel_format_name(const VideoFormat *format, char name[PIXEL_FORMAT_SIZE])
{
    *name = '\0';
    for (int i = 0; i < N_LAYOUTS; i++) {
        if (layouts[i].format != format->pixel_format)
            continue;
        if (format->bit_depth == 8)
            snprintf(name, PIXEL_FORMAT_SIZE, "%s", layouts[i].begin);
        else
            snprintf(name, PIXEL_FORMAT_SIZE, "%s%ule", layouts[i].begin, format->bit_depth);
    }
}

bool pixel_format_parse(const char *name, VideoFormat *format)
{
    static const unsigned depths[] = {8, 9, 10, 12, 14, 16};
    const size_t length = strlen(name);
    for (size_t i = 0; i < N_LAYOUTS * sizeof depths / sizeof *depths; i++) {
        char known[PIXEL_FORMAT_SIZE];
        format->pixel_format = layouts[i % N_LAYOUTS].format;
        format->bit_depth = depths[i / N_LAYOUTS];
        pixel_format_name(format, known);
        if (!strncmp(name, known, length) && (!known[length] || !strcmp(known + length, "le")))
            return true;
    }
    return false;
}

bool frame_rate_parse(const char *text, FrameRate *rate)
{
    enum { FASTEST = 10000 };
    int end = 0;
    if (sscanf(text, "%9d/%9d%n", &rate->numerator, &rate->denominator, &end) == 2)
        return !text[end] && rate->numerator > 0 && rate->denominator > 0;
    char *rest;
    const double number = strtod(text, &rest), whole = round(number);
    if (*rest || !(number > 0) || number > FASTEST)
        return false;
    /* 23.976 is meant to be 24000/1001, and so on; else thousandths. */
    if (fabs(number - whole) < 1e-9)
        *rate = (FrameRate){(int)whole, 1};
    else if (fabs(number - whole * 1000 / 1001) < 0.001 * whole / 24)
        *rate = (FrameRate){(int)whole * 1000, 1001};
    else
        *rate = (FrameRate){(int)round(number * 1000), 1000};
    return rate->numerator > 0;
}

#define KEEP(place, text) snprintf(place, sizeof(place), "%s", text)

int video_failed(const VideoReader *reader, const char *path, int err, Message *why)
{
    return message_set(why, err, "%s: %s", path,
                       *reader->error.text ? reader->error.text : strerror(-err));
}

/* -- the times of frames -- */

static int by_value(const void *a, const void *b)
{
    const int64_t first = *(const int64_t *)a, second = *(const int64_t *)b;
    return (first > second) - (first < second);
}

static bool add(SourceTimes *times, const MediaTime *shown)
{
    times->num = shown->num;
    times->den = shown->den;
    times->ticks[times->n++] = shown->ticks;
    return shown->den != 0;
}

static int by_time(const void *a, const void *b)
{
    const double first = ((const SourcePacket *)a)->time, second = ((const SourcePacket *)b)->time;
    return (first > second) - (first < second);
}

/* Takes times and sizes of all packets. Their times are known if true. */
static bool take_packets(TuneSource *source, const MediaPackets *packets)
{
    bool are_known = true;
    source->n_packets = packets->count;
    for (size_t i = 0; i < packets->count; i++) {
        const MediaTime *shown = &packets->packet[i].shown;
        are_known &= add(&source->times, shown);
        source->packets[i] = (SourcePacket){
            packets->packet[i].bytes,
            shown->den ? (double)shown->ticks * shown->num / shown->den : 0,
        };
    }
    if (are_known)
        qsort(source->packets, source->n_packets, sizeof(*source->packets), by_time);
    for (size_t i = packets->count; i-- > 0;)
        source->packets[i].time -= source->packets[0].time;
    return are_known;
}

/* Puts them in order. Those of which some are unknown, or shown twice, are none at all. */
static void sort_times(SourceTimes *times, bool are_known)
{
    if (times->n)
        qsort(times->ticks, times->n, sizeof(*times->ticks), by_value);
    for (size_t i = 1; i < times->n && are_known; i++)
        are_known = times->ticks[i] != times->ticks[i - 1];
    if (are_known && times->n)
        return;
    free(times->ticks);
    *times = (SourceTimes){0};
}

/*
 * Takes the times from the frames instead, by decoding the whole file; counts them, and finds what
 * is damaged. The reader is at its first frame.
 */
static int decode_times(TuneSource *source, VideoReader *reader, Message *why)
{
    SourceTimes found = {.has_false_keys = source->times.has_false_keys};
    bool are_known = true;
    int more;
    while ((more = video_reader_next(reader)) > 0) {
        if (!(found.n & (found.n - 1))) { /* it is full at powers of two */
            int64_t *larger = realloc(found.ticks, 2 * (found.n + 1) * sizeof(*larger));
            if (!larger) {
                more = -ENOMEM;
                break;
            }
            found.ticks = larger;
        }
        are_known &= add(&found, &reader->frame.shown);
        if ((more = video_reader_skip(reader)))
            break;
    }
    source->frames = found.n;
    free(source->times.ticks);
    source->times = found;
    sort_times(&source->times, are_known);
    return more ? video_failed(reader, source->path, more, why) : 0;
}

/* Damaged packets need not become frames. */
static int read_times(TuneSource *source, VideoReader *reader, Message *why)
{
    SourceTimes *times = &source->times;
    MediaPackets packets;
    if (reader->media && !reader->module->list_packets(reader->media, &packets, &reader->error)) {
        KEEP(source->sha256, packets.content);
        *times = (SourceTimes){.ticks = malloc((packets.count + 1) * sizeof(*times->ticks)),
                               .has_false_keys = packets.has_false_keys};
        source->packets = malloc((packets.count + 1) * sizeof(*source->packets));
        const bool has_memory = times->ticks && source->packets;
        const bool are_known = has_memory && take_packets(source, &packets);
        reader->module->free_packets(&packets);
        if (!has_memory)
            return message_set(why, -ENOMEM, "out of memory");
        sort_times(times, are_known);
    }
    return source->ignores_errors ? decode_times(source, reader, why) : 0;
}

static double since_first(const SourceTimes *times, size_t frame)
{
    return (double)(times->ticks[frame] - times->ticks[0]) * times->num / times->den;
}

double source_times_at(const SourceTimes *times, size_t frame)
{
    if (frame < times->n)
        return since_first(times, frame);
    const double last = since_first(times, times->n - 1);
    return times->n > 1 ? last * (double)times->n / (double)(times->n - 1) : 0;
}

/* Every frame n is shown at n / rate after the first, but for a part of 1 / rate or a tick. */
static bool source_times_follow(const SourceTimes *times, FrameRate rate, double part)
{
    const double frame = frames_seconds(rate, 1);
    for (size_t i = 0; i < times->n; i++)
        if (!(fabs(since_first(times, i) - (double)i * frame) <= part * frame))
            return false;
    return true;
}

/* -- opening -- */

/* With the filters of the reference, which the module applies. */
static int start_media(const TuneSource *source, VideoReader *reader, unsigned decoders)
{
    const VideoFilters *filters = &source->filters;
    const bool is_timed = filters->reach != MEDIA_REACH_FRAME && !source->stored_varies;
    const FrameRate rate = source->stored_rate;
    const MediaSettings settings = {
        .stream = source->stream,
        .first_picture = source->first_picture,
        .ignore_errors = source->ignores_errors,
        .threads = source->ignores_errors ? 1 : decoders,
        .filter = {.chain = filters->reference,
                   .reach = filters->reach,
                   .per_frame = filters->per_frame,
                   .rate_num = is_timed ? rate.numerator : 0,
                   .rate_den = is_timed ? rate.denominator : 0},
        .raw = {source->is_raw ? source->pixel_format : NULL, source->stored.width,
                source->stored.height, rate.numerator, rate.denominator},
    };
    return video_reader_start_media(reader, &settings);
}

int source_read(const TuneSource *source, VideoReader *reader, unsigned decoders, Message *why)
{
    const bool is_filtered = source->filters.reference;
    int err = video_reader_open(reader, source->path);
    if (source->raw_options)
        reader->raw_options = source->raw_options;
    if (!err && source->is_raw)
        err = is_filtered ? -ENOTSUP : video_reader_start_raw(reader, &source->stored);
    else if (!err)
        err = video_reader_start_y4m(reader, true);
    if (!err && !source->is_raw && is_filtered) {
        video_reader_unread_header(reader);
        err = -ENOTSUP;
    }
    if (err == -ENOTSUP)
        err = start_media(source, reader, decoders);
    return err ? video_failed(reader, source->path, err, why) : 0;
}

int64_t source_stream_choice(const TuneSource *source)
{
    for (size_t i = 0; i < source->others.n; i++)
        if (source->others.stream[i].kind == MEDIA_VIDEO)
            return source->stream;
    return -1;
}

int64_t source_picture_choice(const TuneSource *source)
{
    return source->is_sequence && source->first_picture ? (int64_t)source->first_picture : -1;
}

/* -- what it is -- */

static int keep_others(TuneSource *source, const MediaProperties *properties, Message *why)
{
    OtherStream *others = calloc(properties->n_others + 1, sizeof(*others));
    if (!others)
        return message_set(why, -ENOMEM, "out of memory");
    for (size_t i = 0; i < properties->n_others; i++) {
        others[i].kind = properties->others[i].kind;
        KEEP(others[i].codec, properties->others[i].codec);
    }
    source->others = (OtherStreams){.stream = others, .n = properties->n_others};
    return 0;
}

static void describe_media(TuneSource *source, const MediaProperties *properties)
{
    source->stream = (int)properties->stream;
    source->index = properties->index;
    source->format = properties->format;
    source->format.rate_num = properties->rate_num;
    source->format.rate_den = properties->rate_den;
    KEEP(source->transfer, properties->transfer);
    KEEP(source->primaries, properties->primaries);
    KEEP(source->matrix, properties->matrix);
    KEEP(source->range, properties->range);
    source->light = properties->light;
    source->is_interlaced = properties->is_interlaced;
    source->has_plain_base = properties->has_plain_base;
    source->dolby_vision = properties->dolby_vision;
}

static void describe(TuneSource *source, const VideoReader *reader)
{
    static const MediaProperties unknown = {
        .transfer = "unknown", .primaries = "unknown", .matrix = "unknown", .range = "unknown"};
    const MediaProperties *properties = reader->media ? video_reader_properties(reader) : &unknown;
    describe_media(source, properties);
    if (reader->media) {
        KEEP(source->pixel_format, properties->stored_layout);
        source->first_frame_time = properties->begin;
        source->is_sequence = reader->is_pattern;
        if (!source->first_picture)
            source->first_picture = reader->first_picture;
        return;
    }
    source->ignores_errors = false;
    source->format = reader->format;
    source->raw_bytes = (int64_t)reader->layout.frame_bytes;
    if (!source->is_raw)
        pixel_format_name(&source->format, source->pixel_format);
}

/* Containers round durations, and people do. */
static int check_flags(const TuneSource *source, const SourceOptions *options, Message *why)
{
    char said[64] = "", is[64];
    const VideoFormat *format = &source->format;
    const double late = fabs(options->duration - source->seconds);
    if ((options->width && (unsigned)options->width != format->width) ||
        (options->height && (unsigned)options->height != format->height)) {
        snprintf(said, sizeof said, "width %d/--height %d", options->width, options->height);
        snprintf(is, sizeof is, "%ux%u", format->width, format->height);
    } else if (options->pixel_format && strcmp(options->pixel_format, source->pixel_format)) {
        snprintf(said, sizeof said, "pix-fmt %s", options->pixel_format);
        snprintf(is, sizeof is, "%s", source->pixel_format);
    } else if (options->duration > 0 && late > fmax(1, source->seconds / 100)) {
        snprintf(said, sizeof said, "duration %.15g", options->duration);
        snprintf(is, sizeof is, "%zu frames in %.3f s", source->frames, source->seconds);
    }
    return *said ? message_set(why, -EINVAL,
                               "%s: --%s contradicts the file, which has %s (--force-raw to take "
                               "it for frames without a header)",
                               source->path, said, is)
                 : 0;
}

/* The rate that the times of the frames follow; false: they follow none. */
static bool judge_rate(const SourceTimes *times, MediaRate stated, FrameRate *rate)
{
    const FrameRateTimes shown = {times->ticks, times->n, times->num, times->den};
    const bool is_steady = frame_rate_judge(&shown, stated, &stated) || times->n <= 1;
    *rate = (FrameRate){stated.num, stated.den};
    return is_steady;
}

/* The user's rate, else that of the times of the frames, else the file's. */
static int find_rate(TuneSource *source, const SourceOptions *options, Message *why)
{
    const VideoFormat *format = &source->format;
    const bool is_reported = format->rate_num && format->rate_den;
    const MediaRate stated = {is_reported ? (int)format->rate_num : 0, (int)format->rate_den};
    if (options->frame_rate && !frame_rate_parse(options->frame_rate, &source->rate))
        return message_set(why, -EINVAL, "--framerate is to be a number or a fraction, not \"%s\"",
                           options->frame_rate);
    if (options->frame_rate)
        return 0;
    source->is_variable = !judge_rate(&source->times, stated, &source->rate);
    if (source->is_raw)
        source->rate = (FrameRate){24, 1};
    if (!source->rate.numerator)
        return message_set(why, -EINVAL, "%s: its frame rate is not known; give --framerate",
                           source->path);
    return 0;
}

/* Seeking in MPEG-TS ends anywhere, as it does where frames are called key frames that are none. */
static bool is_irregular(const TuneSource *source, const VideoReader *reader)
{
    const double part_of_frame = 0.2;
    if (!reader->media || (source->is_sequence && !source->ignores_errors))
        return false;
    return source->ignores_errors || !source->times.n || source->times.has_false_keys ||
           !strcmp(video_reader_properties(reader)->container, "mpegts") ||
           !source_times_follow(&source->times, source->rate, part_of_frame);
}

static int count_frames(TuneSource *source, VideoReader *reader, Message *why)
{
    const double rate = (double)source->rate.numerator / source->rate.denominator;
    const unsigned long long frames =
        source->ignores_errors ? source->frames : video_reader_count(reader);
    const unsigned long long rest = source->is_raw ? video_reader_bytes_after_frames(reader) : 0;
    if (rest)
        return message_set(why, -EINVAL,
                           "%s: its size is no whole number of frames: %llu of %zu bytes each, and "
                           "%llu bytes; is %ux%u %s what is in it?",
                           source->path, frames, reader->layout.frame_bytes, rest,
                           source->format.width, source->format.height, source->pixel_format);
    if (!frames)
        return message_set(why, -ENODATA, "%s: %s", source->path,
                           *reader->error.text ? reader->error.text
                                               : "there are no frames that could be counted");
    source->frames = (size_t)frames;
    source->seconds = (double)frames / rate;
    return 0;
}

static int prepare_raw(TuneSource *source, const SourceOptions *options, Message *why)
{
    const char *name = options->pixel_format ? options->pixel_format : "yuv420p";
    if (options->width <= 0 || options->height <= 0)
        return message_set(
            why, -EINVAL,
            "%s has no header: give --width, --height, and --pix-fmt and --framerate "
            "unless they are yuv420p and 24",
            source->path);
    source->format.width = (unsigned)options->width;
    source->format.height = (unsigned)options->height;
    if (!pixel_format_parse(name, &source->format))
        return message_set(why, -EINVAL, "--pix-fmt %s cannot be scored", name);
    KEEP(source->pixel_format, name);
    source->stored = source->format;
    return 0;
}

/* ffmpeg would turn it, and cut off its corners. */
static int check_angle(const TuneSource *source, const VideoReader *reader, Message *why)
{
    if (!reader->media || !video_reader_properties(reader)->is_oblique)
        return 0;
    return message_set(
        why, -ENOTSUP,
        "%s: it is to be shown at an angle that is no multiple of 90 degrees: make a "
        "file without that first",
        source->path);
}

/* -- what ffmpeg cannot read -- */

/* ffmpeg finds no end of longer header lines, of which at least version 5.1 allows so many bytes.
 */
static bool has_long_headers(VideoReader *reader)
{
    enum { LONGEST_HEADER = 80, LONGEST_FRAME_HEADER = 80 };
    const int64_t begin = reader->input.source.begin;
    if (reader->media || reader->raw || !reader->input.source.is_file)
        return false;
    return reader->first_frame - begin > LONGEST_HEADER ||
           (video_reader_next(reader) > 0 &&
            reader->input.position - reader->first_frame > LONGEST_FRAME_HEADER);
}

/* The same frames behind short headers. */
static int write_copy(VideoReader *reader, const char *path)
{
    char line[Y4M_SHORT_HEADER];
    const size_t size = reader->layout.frame_bytes;
    size_t got;
    void *frame = malloc(size);
    FILE *out = frame ? fopen(path, "wb") : NULL;
    int err = out ? video_reader_rewind(reader) : -errno, more = 0;
    y4m_print_header(line, &reader->format, reader->is_full_range);
    if (out)
        fputs(line, out);
    while (!err && (more = video_reader_next(reader)) > 0) {
        err = input_read(&reader->input, frame, size, &got);
        if (!err && got < size)
            err = -ENODATA;
        fprintf(out, "FRAME\n");
        fwrite(frame, 1, size, out);
    }
    if (out && (ferror(out) | fclose(out)) && !err)
        err = -EIO;
    free(frame);
    return err ? err : more;
}

static int find_encoded_path(TuneSource *source, VideoReader *reader, const char *copy,
                             Message *why)
{
    const bool is_copied = copy && has_long_headers(reader);
    source->encoded_path = strdup(is_copied ? copy : source->path);
    if (!source->encoded_path)
        return message_set(why, -ENOMEM, "out of memory");
    const int err = is_copied ? write_copy(reader, copy) : 0;
    return err ? message_set(why, err,
                             "%s: its header lines are too long for ffmpeg, and no copy could be "
                             "made as %s: %s",
                             source->path, copy, strerror(-err))
               : 0;
}

static int examine(TuneSource *source, const SourceOptions *options, Message *why)
{
    VideoReader reader;
    int err = source_read(source, &reader, 1, why);
    if (!err)
        describe(source, &reader);
    if (!err)
        err = check_angle(source, &reader, why);
    if (!err && reader.media)
        err = keep_others(source, video_reader_properties(&reader), why);
    if (!err)
        err = read_times(source, &reader, why);
    if (!err)
        err = find_rate(source, options, why);
    if (!err)
        err = count_frames(source, &reader, why);
    if (!err)
        err = check_flags(source, options, why);
    if (!err)
        source->is_irregular = is_irregular(source, &reader);
    if (!err)
        err = find_encoded_path(source, &reader, options->copy, why);
    source->stored = source->format;
    source->stored_rate = source->rate;
    source->stored_varies = source->is_variable;
    video_reader_close(&reader);
    return err;
}

/* -- what its filters make of it -- */

/* Every frame becomes as many: their number and rate follow, and their times are those of the rate,
 * unless they are the same frames. */
static void multiply_frames(TuneSource *source)
{
    const int n = (int)source->filters.per_frame;
    source->frames *= (size_t)n;
    source->rate.numerator *= n;
    if (source->rate.denominator % n == 0) {
        source->rate.numerator /= n;
        source->rate.denominator /= n;
    }
}

/* Frames are counted, with the times that they have behind the filters. */
static int count_filtered(TuneSource *source, VideoReader *reader, Message *why)
{
    const MediaProperties *properties = video_reader_properties(reader);
    const MediaRate stated = {(int)properties->rate_num, (int)properties->rate_den};
    const int err = decode_times(source, reader, why);
    if (err)
        return err;
    source->rate = (FrameRate){stated.num, stated.den};
    source->is_variable = (!stated.num || source->stored_varies || source->filters.is_unsteady) &&
                          !judge_rate(&source->times, stated, &source->rate);
    if (!source->frames || !source->rate.numerator)
        return message_set(why, -ENODATA, "%s: its filters leave no frames, or no rate of them",
                           source->path);
    return 0;
}

static int examine_filtered(TuneSource *source, Message *why)
{
    VideoReader reader;
    VideoFilters *filters = &source->filters;
    if (filters->reach == MEDIA_REACH_NEAR && source->stored_varies)
        filters->reach = MEDIA_REACH_ALL;
    if (!filters->reference)
        return 0;
    int err = source_read(source, &reader, 1, why);
    if (!err)
        describe_media(source, video_reader_properties(&reader));
    if (!err && filters->reach == MEDIA_REACH_ALL)
        err = count_filtered(source, &reader, why);
    else if (!err)
        multiply_frames(source);
    source->seconds = frames_seconds(source->rate, (double)source->frames);
    video_reader_close(&reader);
    return err;
}

static double time_of(const TuneSource *source, size_t frame)
{
    return source->is_variable && source->times.n ? source_times_at(&source->times, frame)
                                                  : frames_seconds(source->rate, (double)frame);
}

/* Takes whole frames, by the times at which they are shown. */
static int take_part(TuneSource *source, double start, double length, Message *why)
{
    const double rounded = 0.0005, last = length > 0 ? start + length - rounded : INFINITY;
    size_t first = 0;
    if (!(start > 0) && !(length > 0))
        return 0;
    while (first < source->frames && time_of(source, first) < start - rounded)
        first++;
    size_t end = first;
    while (end < source->frames && time_of(source, end) < last)
        end++;
    if (end == first)
        return message_set(why, -EINVAL, "%s has %.3f s: --start and --length leave no frames",
                           source->path, source->seconds);
    source->frames = end - first;
    source->part = (SampleWindow){first, source->frames, source->frames};
    source->part_begin = source->first_frame_time + time_of(source, first);
    source->part_seconds = time_of(source, end) - time_of(source, first);
    source->seconds = frames_seconds(source->rate, (double)source->frames);
    return 0;
}

/* Times are no better than that, in seconds. */
#define ROUNDED 0.0015

/* Filters may make other frames of what is stored. */
double source_bytes(const TuneSource *source, size_t first, size_t frames)
{
    const bool is_filtered = source->filters.reference != NULL;
    const double begin = frames_seconds(source->rate, (double)first);
    const double end = frames_seconds(source->rate, (double)(first + frames));
    double bytes = 0;
    if (source->raw_bytes && !source->is_raw && !is_filtered) /* Y4M: one as the other */
        return (double)source->raw_bytes * (double)frames;
    if (source->raw_bytes)
        return (double)source->raw_bytes * (end - begin) / frames_seconds(source->stored_rate, 1);
    for (size_t i = 0; i < source->n_packets; i++) {
        const double time = source->stored_varies ? source->packets[i].time
                                                  : frames_seconds(source->stored_rate, (double)i);
        if (is_filtered ? time >= begin - ROUNDED && time < end - ROUNDED
                        : i >= first && i < first + frames)
            bytes += (double)source->packets[i].bytes;
    }
    return bytes > 0 ? bytes : NAN;
}

static bool has_extension(const char *path, const char *extension)
{
    const char *dot = strrchr(path, '.');
    return dot && vmaf_ascii_alike(dot + 1, extension);
}

int source_open(TuneSource *source, const SourceOptions *options, Message *why)
{
    VideoFilters filters;
    *source = (TuneSource){
        .path = strdup(options->path),
        .stream = options->stream,
        .first_picture = options->first_picture,
        .ignores_errors = options->ignores_errors,
        .raw_options = options->raw_options,
        .is_raw = options->force_raw || has_extension(options->path, "yuv") ||
                  has_extension(options->path, "raw"),
        .input_options = options->input_options,
        .n_input_options = options->n_input_options,
    };
    if (!source->path)
        return message_set(why, -ENOMEM, "out of memory");
    int err = video_filters_open(&filters, options->filter, options->reference_filter, why);
    if (!err && source->is_raw)
        err = prepare_raw(source, options, why);
    if (!err)
        err = examine(source, options, why);
    source->others.audio = options->audio;
    source->others.subs = options->subs;
    source->filters = filters;
    if (!err)
        err = examine_filtered(source, why);
    if (!err)
        err = take_part(source, options->start, options->length, why);
    if (options->no_hash)
        *source->sha256 = '\0';
    /* Files that name others have a hash already: that of the video that they make. */
    else if (!err && !*source->sha256 && (err = file_sha256(source->path, source->sha256)))
        message_set(why, err, "%s: %s", source->path, strerror(-err));
    return err;
}

void source_close(TuneSource *source)
{
    if (source->encoded_path && strcmp(source->encoded_path, source->path) != 0)
        remove(source->encoded_path);
    free((void *)source->encoded_path);
    free(source->path);
    free(source->packets);
    free(source->times.ticks);
    video_filters_close(&source->filters);
    free((void *)source->others.stream);
    *source = (TuneSource){0};
}
