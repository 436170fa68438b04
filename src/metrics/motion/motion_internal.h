/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_MOTION_MOTION_INTERNAL_H
#define METRICS_MOTION_MOTION_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "metrics/framework/extractor.h"
#include "metrics/motion/motion.h"
#include "metrics/motion/motion_kernel.h"
#include "support/cpu.h"

/*
 * Motion: how much the reference changes from frame to frame, as the mean absolute value of the
 * low-pass filtered difference of luma. After Li, Aaron, Katsavounidis, Moorthy and Manohara,
 * "Toward a practical perceptual video quality metric", 2016.
 */
extern const FeatureExtractor motion_extractor;

enum MotionOutput {
    MOTION_OUTPUT_SAD,     /* difference from the earlier frame */
    MOTION_OUTPUT_MOTION,  /* the same, under the name for debugging */
    MOTION_OUTPUT_MOTION2, /* the smaller of the differences to both sides */
    MOTION_OUTPUT_MOTION3, /* motion2, flattened above an offset, perhaps averaged */
};

/*
 * The inner loops of motion, one row at a time.
 *
 * The filter has five taps that sum to 65536. Its results, and differences of deep samples, have
 * 17 bits with the sign. To multiply them 16 bits by 16 bits they are split in two:
 *
 *     value = 4 * high + low,   low in 0..3
 *
 * Splitting off two bits is just enough to let the sum of two `high` fit 16 bits, so that equal
 * taps share a multiplication, and little enough to let the filtered `low` fit 16 bits unsigned.
 */

enum {
    MOTION_TAPS = 2 * MOTION_RADIUS + 1,
    /* Up to this depth the sum of two differences fits 16 bits: no need to split them. */
    MOTION_MAX_UNSPLIT_BPC = 14,
    /* Rows may be read and written, with anything, from so many values before the first column to
     * as many after the last. Not so rows of pictures. */
    MOTION_ROW_MARGIN = 64,
};

typedef struct MotionRow {
    int16_t *high; /* the value itself where rows are not split */
    int16_t *low;  /* NULL in a filtered row that is not split */
} MotionRow;

typedef struct MotionFunctions {
    /* earlier - current for w samples of a row. Returns whether there is a difference. */
    bool (*difference)(MotionRow out, const void *earlier, const void *current, unsigned w);
    /* Filters five rows of differences vertically, to units of 1/256 of an 8-bit grey level.
     * Returns the row, which is that of the output, split or not. */
    MotionRow (*vertical)(MotionRow out, const MotionRow rows[MOTION_TAPS], unsigned w,
                          unsigned bpc);
    /* Filters a row horizontally and returns the sum of the absolute values. The row must be
     * filled in MOTION_RADIUS values to both sides. */
    uint64_t (*horizontal_sad)(MotionRow row, unsigned w);
} MotionFunctions;

/* Functions for a bit depth of 8 to 16. */
void motion_functions_init(MotionFunctions *functions, unsigned bpc, unsigned cpu_flags);
ISA_DECLARE_FUNCTION_PORTABLE(motion_functions_fill, (MotionFunctions *, unsigned bpc));

#endif
