/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The video stream of an encode: what it is, and whether it is what was to be made. */

#include "media/video_reader.h"
#include "tune/measure/measure_internal.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double frame_seconds(FrameRate rate)
{
    return (double)rate.denominator / rate.numerator;
}

static int by_time(const void *a, const void *b)
{
    const double first = ((const StreamPacket *)a)->time, second = ((const StreamPacket *)b)->time;
    return (first > second) - (first < second);
}

static int take_packets(StreamFacts *facts, const MediaPackets *packets, FrameRate rate)
{
    bool are_timed = true;
    facts->packets = malloc((packets->count + 1) * sizeof(*facts->packets));
    if (!facts->packets)
        return -ENOMEM;
    for (size_t i = 0; i < packets->count; i++)
        are_timed &= packets->packet[i].shown.den != 0;
    for (size_t i = 0; i < packets->count; i++) {
        const MediaTime *shown = &packets->packet[i].shown;
        facts->bytes += packets->packet[i].bytes;
        facts->packets[i].bytes = packets->packet[i].bytes;
        facts->packets[i].time = are_timed ? (double)shown->ticks * shown->num / shown->den
                                           : (double)i * frame_seconds(rate);
    }
    facts->n_packets = packets->count;
    qsort(facts->packets, facts->n_packets, sizeof(*facts->packets), by_time);
    for (size_t i = facts->n_packets; i-- > 0;)
        facts->packets[i].time -= facts->packets[0].time;
    return 0;
}

int stream_examine(const char *path, int stream, FrameRate rate, StreamFacts *facts, Message *why)
{
    const MediaSettings settings = {.stream = stream, .threads = 1};
    VideoReader reader;
    MediaPackets packets;
    *facts = (StreamFacts){0};
    int err = video_reader_open(&reader, path);
    if (!err)
        err = video_reader_start_media(&reader, &settings);
    if (!err)
        err = reader.module->list_packets(reader.media, &packets, &reader.error);
    if (!err) {
        const MediaProperties *properties = video_reader_properties(&reader);
        facts->format = properties->format;
        snprintf(facts->layout, sizeof facts->layout, "%s", properties->stored_layout);
        err = take_packets(facts, &packets, rate);
        reader.module->free_packets(&packets);
    }
    if (err)
        video_failed(&reader, path, err, why);
    video_reader_close(&reader);
    return err;
}

void stream_free(StreamFacts *facts)
{
    free(facts->packets);
    *facts = (StreamFacts){0};
}

double stream_kbps(const StreamFacts *facts, FrameRate rate)
{
    return (double)facts->bytes * 8 / 1000 / ((double)facts->n_packets * frame_seconds(rate));
}

/* -- is it what the source demands? -- */

/* Seconds from the first of so many frames to the last; negative: they are not known. */
static double demanded_seconds(const TuneSource *source, const MeasuredPart *part, size_t frames)
{
    const size_t first = part->n_windows ? part->windows->first : 0;
    if (!source->is_variable)
        return (double)(frames - 1) * frame_seconds(source->rate);
    return part->n_windows > 1 ? -1
                               : source_times_at(&source->times, first + frames - 1) -
                                     source_times_at(&source->times, first);
}

int measure_examine_encode(const TuneSource *source, const MeasuredPart *part, bool may_differ,
                           const char *path, StreamFacts *facts, Message *why)
{
    size_t frames = part->n_windows ? 0 : source->frames;
    Message unreadable;
    const int err = stream_examine(path, -1, source->rate, facts, &unreadable);
    if (err == -ENOMEM)
        return message_set(why, err, "out of memory");
    if (err || !facts->n_packets)
        return message_set(why, -EIO, "what ffmpeg has made cannot be read");
    if (may_differ)
        return 0;
    for (size_t i = 0; i < part->n_windows; i++)
        frames += part->windows[i].frames;
    if (facts->n_packets != frames)
        return message_set(why, -EIO,
                           "frame_count_mismatch: what ffmpeg has made has %zu frames, and the "
                           "source %zu",
                           facts->n_packets, frames);
    const double seconds = demanded_seconds(source, part, frames);
    const double end = facts->packets[frames - 1].time;
    if (seconds >= 0 && fabs(end - seconds) > fmax(0.002, frame_seconds(source->rate) / 2))
        return message_set(why, -EIO,
                           "what ffmpeg has made ends after %.3f s, and the source after %.3f s",
                           end, seconds);
    return 0;
}

/* ffmpeg chooses another format where the encoder does not take the one that it is told. */
int measure_check_format(const MeasureOptions *options, const StreamFacts *facts, Message *why)
{
    VideoFormat wanted = {.bit_depth = 0};
    if (!options->encode.pixel_format ||
        !pixel_format_parse(options->encode.pixel_format, &wanted) ||
        (wanted.pixel_format == facts->format.pixel_format &&
         wanted.bit_depth == facts->format.bit_depth))
        return 0;
    return message_set(why, -EINVAL,
                       "the encoder does not take --pix-format %s: ffmpeg has made it %s",
                       options->encode.pixel_format, facts->layout);
}

/* "yuva420p", "rgba", "gbrap", "ya8", and others that have an a; of palettes nobody knows. */
static bool has_alpha(const char *layout)
{
    return strchr(layout, 'a') && strncmp(layout, "gray", 4) && strncmp(layout, "bayer", 5) &&
           strcmp(layout, "pal8");
}

/* Samples of chroma: none, of 4:2:0, 4:2:2, 4:4:4. */
static int chroma_of(enum VmafPixelFormat format)
{
    return format == VMAF_PIX_FMT_YUV400P ? 0 : (int)format;
}

void measure_note_losses(const TuneSource *source, const StreamFacts *facts, Progress *progress)
{
    const bool loses_alpha = has_alpha(source->pixel_format) && !has_alpha(facts->layout);
    const bool loses_chroma =
        chroma_of(source->format.pixel_format) > chroma_of(facts->format.pixel_format);
    if (loses_alpha || loses_chroma)
        progress_warn(progress, "vmaf-tune: %s is %s, its encodes are %s: they lack %s%s%s",
                      source->path, source->pixel_format, facts->layout, loses_alpha ? "alpha" : "",
                      loses_alpha && loses_chroma ? " and " : "",
                      loses_chroma ? "part of the chroma" : "");
}
