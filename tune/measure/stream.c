/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/measure/stream.h"

#include "media/video_reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int by_time(const void *a, const void *b)
{
    const double first = ((const StreamPacket *)a)->time, second = ((const StreamPacket *)b)->time;
    return (first > second) - (first < second);
}

static bool have_times(const MediaPackets *packets)
{
    for (size_t i = 0; i < packets->count; i++)
        if (!packets->packet[i].shown.den)
            return false;
    return true;
}

static int take_packets(StreamFacts *facts, const MediaPackets *packets, FrameRate rate)
{
    const bool are_timed = have_times(packets);
    facts->packets = malloc((packets->count + 1) * sizeof(*facts->packets));
    if (!facts->packets)
        return -ENOMEM;
    for (size_t i = 0; i < packets->count; i++) {
        const MediaTime *shown = &packets->packet[i].shown;
        facts->bytes += packets->packet[i].bytes;
        facts->packets[i].bytes = packets->packet[i].bytes;
        facts->packets[i].time = are_timed ? (double)shown->ticks * shown->num / shown->den
                                           : (double)i * rate.denominator / rate.numerator;
    }
    facts->n_packets = packets->count;
    qsort(facts->packets, facts->n_packets, sizeof(*facts->packets), by_time);
    for (size_t i = facts->n_packets; i-- > 0;)
        facts->packets[i].time -= facts->packets[0].time;
    return 0;
}

static void describe(StreamFacts *facts, const MediaProperties *told)
{
    snprintf(facts->codec, sizeof facts->codec, "%s", told->codec);
    snprintf(facts->profile, sizeof facts->profile, "%s", told->profile);
    snprintf(facts->transfer, sizeof facts->transfer, "%s", told->transfer);
    facts->level = told->level;
    facts->width = told->format.width;
    facts->height = told->format.height;
    facts->bit_depth = told->format.bit_depth;
    facts->pixel_format = told->format.pixel_format;
}

static int examine(VideoReader *reader, int stream, FrameRate rate, StreamFacts *facts)
{
    const MediaSettings settings = {.stream = stream, .threads = 1};
    MediaPackets packets;
    int err = video_reader_start_media(reader, &settings);
    if (!err)
        err = reader->module->list_packets(reader->media, &packets, &reader->error);
    if (err)
        return err;
    describe(facts, video_reader_properties(reader));
    err = take_packets(facts, &packets, rate);
    reader->module->free_packets(&packets);
    return err;
}

int stream_examine(const char *path, int stream, FrameRate rate, StreamFacts *facts, Message *why)
{
    VideoReader reader;
    *facts = (StreamFacts){0};
    int err = video_reader_open(&reader, path);
    if (!err)
        err = examine(&reader, stream, rate, facts);
    if (err)
        message_set(why, 0, "%s: %s", path,
                    *reader.error.text ? reader.error.text : strerror(-err));
    video_reader_close(&reader);
    return err;
}

void stream_free(StreamFacts *facts)
{
    free(facts->packets);
    *facts = (StreamFacts){0};
}

static double kbps(uint64_t bytes, double seconds)
{
    return (double)bytes * 8 / 1000 / seconds;
}

static double frame_seconds(FrameRate rate)
{
    return (double)rate.denominator / rate.numerator;
}

double stream_kbps(const StreamFacts *facts, FrameRate rate)
{
    return kbps(facts->bytes, (double)facts->n_packets * frame_seconds(rate));
}

double stream_peak_kbps(const StreamFacts *facts, FrameRate rate, double seconds)
{
    const StreamPacket *packets = facts->packets;
    const double half_frame = frame_seconds(rate) / 2;
    uint64_t bytes = 0, most = 0;
    size_t first = 0;
    if (!facts->n_packets ||
        packets[facts->n_packets - 1].time + frame_seconds(rate) <= seconds + half_frame)
        return stream_kbps(facts, rate);
    for (size_t i = 0; i < facts->n_packets; i++) {
        bytes += packets[i].bytes;
        while (packets[i].time - packets[first].time >= seconds - half_frame)
            bytes -= packets[first++].bytes;
        most = bytes > most ? bytes : most;
    }
    return kbps(most, seconds);
}
