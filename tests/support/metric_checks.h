/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_SUPPORT_METRIC_CHECKS_H
#define TESTS_SUPPORT_METRIC_CHECKS_H

/*
 * What tests of metrics do with one extractor, and what holds of all: run it on patterns, compare
 * scores to the last bit, merge bands, compute several requests in one pass, refuse options and
 * formats. What does not hold fails the case.
 */

#include "support/finish_harness.h"

/* The one that the functions below run and look at. */
extern FinishHarness harness;

typedef struct PicturePair {
    VmafPicture ref, dist;
    FrameInput input; /* of the two */
} PicturePair;

void pair_make(PicturePair *pair, const PictureFormat *format, HarnessSample ref_of,
               HarnessSample dist_of, unsigned frame);
void pair_free(PicturePair *pair);

/* A frame of the patterns alone, with index 0. */
void run_frame(const FeatureExtractor *extractor, const char *options, const PictureFormat *format,
               HarnessSample ref_of, HarnessSample dist_of, unsigned frame);
/* Frames 0, 1, ... with the two before each; their indices are the same unless others are given.
 * Extractors that look at the reference alone take NULL for the other pattern. */
void run_frames(const FeatureExtractor *extractor, const char *options, const PictureFormat *format,
                HarnessSample ref_of, HarnessSample dist_of, unsigned n_frames,
                const unsigned *indices);

void expect_bits(double value, double known, const char *what);
void expect_score(unsigned output, unsigned index, double known);
/* The scores of indices 0, 1, ... */
void expect_scores(unsigned output, const double known[], unsigned n_frames);

/* Of the frame that the harness has just finished: cut into bands, the record is the same. */
void expect_bands(const FrameInput *input, const unsigned *cuts, unsigned n_cuts);

/* Requests with different options that are computed in one pass get the records that they get
 * alone, whichever of them are wanted. The first two records differ. */
void expect_variants(const FeatureExtractor *extractor, const PictureFormat *format,
                     const FrameInput *input, const char *const options[], unsigned n);

/* What the public record of an extractor is; has the extractor's name. */
const FeatureRecord *record_of(const char *extractor);
/* Whether a record is within its bounds, for 4:2:0 pictures of 9x6 and 10 bits. */
bool record_within(const char *extractor, const void *record, const void *options);

typedef struct OptionRange {
    const char *name, *low, *high; /* the least and the greatest accepted value */
    const char *below, *above;     /* rejected, with the name and the range */
} OptionRange;

void expect_ranges(const FeatureExtractor *extractor, const OptionRange ranges[], size_t n);

/* Accepted if there is no limit; else rejected with a reason that states it. */
void expect_format(const FeatureExtractor *extractor, const char *options,
                   enum VmafPixelFormat pix_fmt, unsigned bpc, unsigned w, unsigned h,
                   const char *limit);
/* Of the depths from 8 to 16 bits, 8, 10, 12 and 16 are accepted. */
void expect_depths_8_10_12_16(const FeatureExtractor *extractor, enum VmafPixelFormat pix_fmt,
                              unsigned w, unsigned h);

#endif
