/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_SPEED_SPEED_H
#define METRICS_SPEED_SPEED_H

/*
 * Spatial efficient entropic differencing (SpEED): the difference between the local entropies of
 * two planes, both reduced by 16 and with the local mean removed. After C. G. Bampis, P. Gupta, R.
 * Soundararajan, A. C. Bovik, "SpEED-QA: Spatial Efficient Entropic Differencing for Image and
 * Video Quality", IEEE Signal Processing Letters 24(9), 2017.
 *
 * The record holds the reduced planes (backend_records.h), and is condensed to their scores. It
 * does not merge.
 */

#include "metrics/framework/extractor.h"

extern const FeatureExtractor speed_chroma_extractor;   /* Cb and Cr */
extern const FeatureExtractor speed_temporal_extractor; /* differences of successive luma planes */

enum { SPEED_MAX_PLANES = 2 };

/* What records are condensed to: one score for each plane. */
typedef struct SpeedScores {
    float score[SPEED_MAX_PLANES];
    /* The statistics of a plane were degenerate, in one of the pictures or in both. */
    bool degenerate[SPEED_MAX_PLANES];
} SpeedScores;

/* For formats that the options accept, of so many equal planes. */
size_t speed_record_size(const void *options, const PictureFormat *format, unsigned first_plane,
                         unsigned n_planes);
/* What records are condensed to. */
#define SPEED_CONDENSED                                                                            \
    {                                                                                              \
        sizeof(SpeedScores), speed_scores_are_possible,                                            \
        {                                                                                          \
            sizeof(float), sizeof(bool), offsetof(SpeedScores, degenerate)                         \
        }                                                                                          \
    }
bool speed_scores_are_possible(const void *condensed);
bool speed_record_is_possible(const void *record, size_t size, const PictureFormat *format);

/* The accumulate half; see FeatureExtractor. */
int speed_chroma_plan_create(void **plan, const PictureFormat *format, const void *const variants[],
                             unsigned n_variants, unsigned cpu_flags);
int speed_temporal_plan_create(void **plan, const PictureFormat *format,
                               const void *const variants[], unsigned n_variants,
                               unsigned cpu_flags);
void speed_plan_destroy(void *plan);
int speed_scratch_create(void **scratch, const void *plan);
void speed_scratch_destroy(void *scratch);
int speed_accumulate(const void *plan, void *scratch, const FrameInput *input, RowBand band,
                     void *const records[]);
void speed_condense(const void *plan, void *scratch, void *const records[]);

#endif
