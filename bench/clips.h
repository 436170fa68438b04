/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef BENCH_CLIPS_H
#define BENCH_CLIPS_H

/* Pairs of frames in memory, handed to the library without copying or reading files. */

#include "libvmaf/libvmaf.h"
#include "support/synth.h"

enum { BENCH_DISTINCT_FRAMES = 8 };

typedef struct BenchClips {
    SynthClip synth; /* of the reference */
    void *planes[2][BENCH_DISTINCT_FRAMES][3];
    ptrdiff_t stride[3];
} BenchClips;

/*
 * Generate a moving texture, and the same after coarse transform coding. Returns 0 or a negative
 * errno value.
 */
int bench_clips_make(BenchClips *clips, unsigned width, unsigned height, unsigned depth);

void bench_clips_release(BenchClips *clips);

/* Index of the distinct frames that pair number `index` consists of. */
unsigned bench_clips_index(unsigned index);

/* Pair number `index`: the frames are played forwards and backwards, over and over. */
int bench_clips_pair(const BenchClips *clips, unsigned index, VmafPicture *ref, VmafPicture *dis);

/* Passes pairs `first` to `end` - 1 to the context. Returns 0 or a negative errno value. */
int bench_clips_feed(const BenchClips *clips, VmafContext *context, unsigned first, unsigned end);

#endif
