/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_SUPPORT_FINISH_HARNESS_H
#define TESTS_SUPPORT_FINISH_HARNESS_H

/*
 * Runs one extractor by hand, frame by frame, and records what it writes and when. Unexpected
 * failures end the program with a message.
 */

#include "metrics/framework/extractor.h"

enum { HARNESS_MAX_SCORES = 512, HARNESS_MAX_AGGREGATES = 8 };

typedef struct HarnessScore {
    unsigned output, index;
    double value;
    unsigned n_frames; /* that were finished or being finished when it was written */
} HarnessScore;

typedef struct HarnessAggregate {
    const char *name;
    double value;
} HarnessAggregate;

typedef struct FinishHarness {
    FeatureSink sink;
    const FeatureExtractor *extractor;
    PictureFormat format;
    Dictionary *dict; /* holds the texts of string options */
    void *options;
    void *params, *scratch, *record, *state;
    unsigned n_frames;
    unsigned n_scores;
    HarnessScore scores[HARNESS_MAX_SCORES]; /* in the order of writing */
    unsigned n_aggregates;
    HarnessAggregate aggregates[HARNESS_MAX_AGGREGATES];
} FinishHarness;

/* Makes options from a text like "name=value:name=value"; to be freed. NULL if they are rejected.
 */
void *harness_options(const FeatureExtractor *extractor, const char *text);

void harness_start(FinishHarness *harness, const FeatureExtractor *extractor, const char *options,
                   const PictureFormat *format);
/* Accumulates a whole frame and finishes it. */
void harness_frame(FinishHarness *harness, const FrameInput *input, unsigned index);
/* Finishes a frame whose record is known. */
void harness_record(FinishHarness *harness, const void *record, unsigned index);
/* Ends the stream. */
void harness_flush(FinishHarness *harness);
void harness_stop(FinishHarness *harness);

/* A score that was written at most once; NULL if it was not written. */
const HarnessScore *harness_find(const FinishHarness *harness, unsigned output, unsigned index);
/* The same for a score that must have been written. */
double harness_score(const FinishHarness *harness, unsigned output, unsigned index);
double harness_aggregate(const FinishHarness *harness, const char *name);

/*
 * Accumulates a frame in bands between the given rows, each into a record of its own, and merges
 * them. `cuts` ascends; 0 and the height of luma are implied.
 */
void harness_accumulate_bands(const FinishHarness *harness, const FrameInput *input,
                              const unsigned *cuts, unsigned n_cuts, void *record);

typedef unsigned (*HarnessSample)(unsigned x, unsigned y, unsigned plane, unsigned frame,
                                  unsigned bpc);
unsigned sample_white(unsigned x, unsigned y, unsigned plane, unsigned frame, unsigned bpc);
unsigned sample_black(unsigned x, unsigned y, unsigned plane, unsigned frame, unsigned bpc);
unsigned sample_grey(unsigned x, unsigned y, unsigned plane, unsigned frame, unsigned bpc);
/* A picture from a formula; rows have a few samples of padding. */
VmafPicture harness_picture(const PictureFormat *format, HarnessSample sample, unsigned frame);
void harness_picture_free(VmafPicture *pic);
/* The format of pictures; plane sizes round down. */
PictureFormat harness_format(enum VmafPixelFormat pix_fmt, unsigned bpc, unsigned w, unsigned h);

#endif
