/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "media/frame_times.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

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

void frame_times_destroy(FrameTimes *times, const MediaModule *module)
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

int frame_times_next(FrameTimes *times, const MediaModule *module, MediaVideo *video,
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
