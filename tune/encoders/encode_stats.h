/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_ENCODERS_ENCODE_STATS_H
#define TUNE_ENCODERS_ENCODE_STATS_H

/* What x264 and x265 tell of each frame in the file of their first pass. */

#include <stddef.h>

/* Standard deviations are those of the population, 0 for fewer than two frames; all is 0 without
 * frames. */
typedef struct EncoderStats {
    size_t frames;
    double qp_mean, qp_std;
    double bits_mean, bits_std;     /* of texture, motion and the rest */
    double mv_mean, mv_std;         /* of motion */
    double itex_mean;               /* bits of texture in intra frames, */
    double ptex_mean;               /* in others */
    double intra_ratio, skip_ratio; /* of blocks */
    double total_bits;
} EncoderStats;

/* Lines that are not about a frame are skipped, numbers that cannot be read are 0. */
void encoder_stats_parse(const char *text, EncoderStats *stats);

/* 0; a negative errno of reading the file. */
int encoder_stats_load(const char *path, EncoderStats *stats);

#endif
