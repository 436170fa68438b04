/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/measure/source_times.h"

#include "media/frame_rate.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* -- reading -- */

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

/* In their order; false: they cannot be used. */
static bool sort(SourceTimes *times)
{
    if (times->n)
        qsort(times->ticks, times->n, sizeof(*times->ticks), by_value);
    for (size_t i = 1; i < times->n; i++)
        if (times->ticks[i] == times->ticks[i - 1])
            return false;
    return times->n > 0;
}

static bool take(SourceTimes *times, const MediaPackets *packets)
{
    times->has_false_keys = packets->has_false_keys;
    for (size_t i = 0; i < packets->count; i++)
        if (!add(times, &packets->packet[i].shown))
            return false;
    return sort(times);
}

int source_times_read(SourceTimes *times, VideoReader *reader, char content[SHA256_TEXT_SIZE])
{
    MediaPackets packets;
    *times = (SourceTimes){0};
    if (!reader->media || reader->module->list_packets(reader->media, &packets, &reader->error))
        return 0;
    snprintf(content, SHA256_TEXT_SIZE, "%s", packets.content);
    times->ticks = malloc((packets.count + 1) * sizeof(*times->ticks));
    const int err = times->ticks ? 0 : -ENOMEM;
    if (!err && !take(times, &packets))
        source_times_free(times);
    reader->module->free_packets(&packets);
    return err;
}

int source_times_decode(SourceTimes *times, VideoReader *reader, size_t *frames)
{
    SourceTimes found = {.has_false_keys = times->has_false_keys};
    bool is_known = true;
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
        is_known &= add(&found, &reader->frame.shown);
        if ((more = video_reader_skip(reader)))
            break;
    }
    *frames = found.n;
    source_times_free(times);
    *times = found;
    if (!is_known || !sort(times))
        source_times_free(times);
    return more;
}

void source_times_free(SourceTimes *times)
{
    free(times->ticks);
    *times = (SourceTimes){0};
}

/* -- looking at them -- */

static double tick(const SourceTimes *times)
{
    return (double)times->num / times->den;
}

static double since_first(const SourceTimes *times, size_t frame)
{
    return (double)(times->ticks[frame] - times->ticks[0]) * tick(times);
}

double source_times_at(const SourceTimes *times, size_t frame)
{
    if (frame < times->n)
        return since_first(times, frame);
    const double last = since_first(times, times->n - 1);
    return times->n > 1 ? last * (double)times->n / (double)(times->n - 1) : 0;
}

bool source_times_follow(const SourceTimes *times, FrameRate rate, double part)
{
    const double frame = (double)rate.denominator / rate.numerator;
    for (size_t i = 0; i < times->n; i++)
        if (!(fabs(since_first(times, i) - (double)i * frame) <= part * frame))
            return false;
    return true;
}

bool source_times_rate(const SourceTimes *times, FrameRate told, FrameRate *rate)
{
    MediaRate judged;
    const FrameRateTimes shown = {times->ticks, times->n, times->num, times->den};
    const bool is_steady =
        frame_rate_judge(&shown, (MediaRate){told.numerator, told.denominator}, &judged);
    *rate = (FrameRate){judged.num, judged.den};
    return is_steady;
}
