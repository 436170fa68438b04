/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_SHARD_RANGE_H
#define CLI_SHARD_RANGE_H

/*
 * The pairs that a part of a run scores. Every shard of a run finds the same number of pairs by
 * itself, so it counts frames without decoding where that is certain, and else decodes them all.
 */

#include "media/video_reader.h"

#include <stdbool.h>

struct Run;

/* A video from where the run begins. */
typedef struct ShardVideo {
    unsigned long long base;   /* index in the file of the run's first frame */
    unsigned long long frames; /* from there on */
    bool is_plain;             /* see video_reader_plain_frames */
    bool is_broken;            /* behind these frames something is that cannot be read */
} ShardVideo;

typedef struct ShardRange {
    unsigned begin, end;     /* of all pairs, from 0 on */
    unsigned lead_in;        /* pairs before `begin` that are read as neighbours */
    unsigned pairs;          /* of the whole run */
    const char *ended_first; /* of the whole run, see Run */
    ShardVideo reference, distorted;
} ShardRange;

/* Counts, and takes the part that --shard names. The inputs are open. Returns the exit status. */
int shard_range_find(struct Run *run, ShardRange *range);
/* What is left behind `done` pairs, to the end of the videos: their number is not sought. */
int shard_range_rest(struct Run *run, unsigned done, ShardRange *range);

/*
 * Goes to the first frame that is read of a video. *skip receives frames that are to be passed
 * over, *limit how many are read; 0: all. Returns the exit status.
 */
int shard_range_go(const ShardRange *range, const ShardVideo *video, VideoReader *reader,
                   unsigned *skip, unsigned *limit);

/* Was everything read where it was expected? After the last pair. Returns the exit status. */
int shard_range_check_end(const ShardRange *range, const ShardVideo *video,
                          const VideoReader *reader);

/* The range of pairs of shard number `shard`. */
void shard_range_cut(unsigned pairs, unsigned shard, unsigned n_shards, unsigned *begin,
                     unsigned *end);

#endif
