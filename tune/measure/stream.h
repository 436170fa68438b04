/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_MEASURE_STREAM_H
#define TUNE_MEASURE_STREAM_H

/* What the video stream of an encode is: sizes of packets, codec, level. */

#include "media/module_interface.h"
#include "tune/engine/sampling.h"

typedef struct StreamPacket {
    uint64_t bytes;
    double time; /* seconds since the first one shown */
} StreamPacket;

typedef struct StreamFacts {
    StreamPacket *packets; /* in the order in which they are shown */
    size_t n_packets;
    uint64_t bytes; /* of all */
    char codec[32], profile[64];
    int level; /* as FFmpeg tells it; -99: unknown */
    unsigned width, height, bit_depth;
    enum VmafPixelFormat pixel_format;
    char transfer[32];
} StreamFacts;

/* Reads the whole file without decoding more than its first frame. `stream`: of the video streams,
 * from 0; -1: as ffmpeg chooses. Packets without times are put
 * at `rate`. 0; negative errno and why. Free in either case. */
int stream_examine(const char *path, int stream, FrameRate rate, StreamFacts *facts, Message *why);
void stream_free(StreamFacts *facts);

/* Average, and the largest average of any window of that many seconds; kbit/s. */
double stream_kbps(const StreamFacts *facts, FrameRate rate);
double stream_peak_kbps(const StreamFacts *facts, FrameRate rate, double seconds);

#endif
