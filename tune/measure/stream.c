/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The video stream of an encode: what it is, and whether it is what was to be made. */

#include "media/video_reader.h"
#include "tune/measure/measure_internal.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Packets without times are put at the rate. */
static void take_packets(StreamFacts *facts, const MediaPackets *packets, FrameRate rate)
{
    double first = INFINITY, last = 0;
    bool are_timed = true;
    for (size_t i = 0; i < packets->count; i++) {
        const MediaTime *shown = &packets->packet[i].shown;
        const double time = (double)shown->ticks * shown->num / shown->den;
        are_timed &= shown->den != 0;
        facts->bytes += packets->packet[i].bytes;
        first = fmin(first, time);
        last = i ? fmax(last, time) : time;
    }
    facts->frames = packets->count;
    facts->end = are_timed ? last - first : frames_seconds(rate, (double)(packets->count - 1));
}

/* Reads the whole file without decoding more than its first frame. */
static int examine(const char *path, FrameRate rate, StreamFacts *facts)
{
    const MediaSettings settings = {.stream = -1, .threads = 1};
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
        take_packets(facts, &packets, rate);
        reader.module->free_packets(&packets);
    }
    video_reader_close(&reader);
    return err;
}

double stream_kbps(const StreamFacts *facts, FrameRate rate)
{
    return (double)facts->bytes * 8 / 1000 / ((double)facts->frames * frames_seconds(rate, 1));
}

/* -- is it what the source demands? -- */

/* Seconds from the first of so many frames to the last; negative: they are not known. */
static double demanded_seconds(const TuneSource *source, const MeasuredPart *part, size_t frames)
{
    const size_t first = part->n_windows ? part->windows->first : 0;
    if (!source->is_variable)
        return (double)(frames - 1) * frames_seconds(source->rate, 1);
    return part->n_windows > 1 ? -1
                               : source_times_at(&source->times, first + frames - 1) -
                                     source_times_at(&source->times, first);
}

int measure_examine_encode(const TuneSource *source, const MeasuredPart *part, bool may_differ,
                           const char *path, StreamFacts *facts, Message *why)
{
    size_t frames = part->n_windows ? 0 : source->frames;
    const int err = examine(path, source->rate, facts);
    if (err == -ENOMEM)
        return message_set(why, err, "out of memory");
    if (err || !facts->frames)
        return message_set(why, -EIO, "what ffmpeg has made cannot be read");
    if (may_differ)
        return 0;
    for (size_t i = 0; i < part->n_windows; i++)
        frames += part->windows[i].frames;
    if (facts->frames != frames)
        return message_set(why, -EIO,
                           "frame_count_mismatch: what ffmpeg has made has %zu frames, and the "
                           "source %zu",
                           facts->frames, frames);
    const double seconds = demanded_seconds(source, part, frames);
    if (seconds >= 0 &&
        fabs(facts->end - seconds) > fmax(0.002, frames_seconds(source->rate, 1) / 2))
        return message_set(why, -EIO,
                           "what ffmpeg has made ends after %.3f s, and the source after %.3f s",
                           facts->end, seconds);
    return 0;
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

int measure_check_format(const TuneSource *source, const MeasureOptions *options,
                         const StreamFacts *facts, Message *why)
{
    const char *asked = options->encode.pixel_format;
    const VideoFormat *made = &facts->format;
    VideoFormat wanted;
    /* ffmpeg chooses another format where the encoder does not take the one that it is told. */
    if (asked && pixel_format_parse(asked, &wanted) &&
        (wanted.pixel_format != made->pixel_format || wanted.bit_depth != made->bit_depth))
        return message_set(why, -EINVAL,
                           "the encoder does not take --pix-format %s: ffmpeg has made it %s",
                           asked, facts->layout);
    const bool loses_alpha = has_alpha(source->pixel_format) && !has_alpha(facts->layout);
    const bool loses_chroma =
        chroma_of(source->format.pixel_format) > chroma_of(made->pixel_format);
    if (loses_alpha || loses_chroma)
        progress_warn(
            options->progress, "vmaf-tune: %s is %s, its encodes are %s: they lack %s%s%s",
            source->path, source->pixel_format, facts->layout, loses_alpha ? "alpha" : "",
            loses_alpha && loses_chroma ? " and " : "", loses_chroma ? "part of the chroma" : "");
    return 0;
}
