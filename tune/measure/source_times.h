/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_MEASURE_SOURCE_TIMES_H
#define TUNE_MEASURE_SOURCE_TIMES_H

/* The times at which a container shows its frames, and the rate that they follow, whatever its
 * header states. */

#include "common/hash.h"
#include "media/video_reader.h"
#include "tune/engine/sampling.h"

typedef struct SourceTimes {
    int64_t *ticks; /* ascending, each once; NULL: not known */
    size_t n;
    int num, den;        /* a tick is num / den seconds */
    bool has_false_keys; /* see MediaPackets */
} SourceTimes;

/* Times that are unknown or shown twice are none at all. `content` receives that of MediaPackets,
 * if there is any. 0; -ENOMEM. */
int source_times_read(SourceTimes *times, VideoReader *reader, char content[SHA256_TEXT_SIZE]);
/*
 * Takes the times from the frames instead, by decoding the whole file; counts them, and finds what
 * is damaged. The reader is at its first frame. 0; negative errno, of which the reader may know
 * more.
 */
int source_times_decode(SourceTimes *times, VideoReader *reader, size_t *frames);
void source_times_free(SourceTimes *times);

/* Seconds from the first frame to another one; to the end, if there is no such frame. */
double source_times_at(const SourceTimes *times, size_t frame);

/* Every frame n is shown at n / rate after the first, but for a part of 1 / rate or a tick. */
bool source_times_follow(const SourceTimes *times, FrameRate rate, double part);

/*
 * The rate that the times follow but for rounding: `told`, the file's own (0/0: none), a usual one,
 * or the average. False: they follow none, and the rate is the average.
 */
bool source_times_rate(const SourceTimes *times, FrameRate told, FrameRate *rate);

#endif
