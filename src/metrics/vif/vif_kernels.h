/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_VIF_VIF_KERNELS_H
#define METRICS_VIF_VIF_KERNELS_H

/*
 * The inner loops of VIF, one row at a time. vif_scalar.c is the truth: the formulas, one pixel
 * after another. Every other set of kernels gives the same integers, and is what runs: vectors, or
 * `portable` C for processors that have none of them.
 *
 * A row of statistics takes four steps. `multiply` makes the products of a row of samples, once;
 * `filter_columns` filters samples and products of up to 17 rows vertically; `local_variances`
 * filters the result horizontally and subtracts the squared means; `gain` reduces variances to the
 * sums of the record. A row of the next scale takes two: `decimate_columns` and `decimate_row`.
 *
 * Rows that are filtered horizontally hold mirrored values for the radius of the filter on both
 * sides. What the values of rows between two steps mean is up to the kernels, but one column can
 * be copied to another. Rows other than those of pictures may be read, and output rows written, for
 * VIF_PADDING bytes beyond the last column. Inputs and outputs do not overlap. Samples beyond the
 * bit depth give results without meaning, but defined ones.
 */

#include <stddef.h>
#include <stdint.h>

#include "metrics/framework/extractor.h"
#include "metrics/vif/vif_filter.h"

/* The second moments, and the products of samples that they are means of. */
enum { VIF_REF_REF, VIF_DIST_DIST, VIF_REF_DIST, VIF_MOMENTS };

/* Types of samples, one for each kernel: bytes have 8 bits, words up to 14, deep words up to 16. */
enum { VIF_BYTES, VIF_WORDS, VIF_DEEP_WORDS, VIF_SAMPLE_TYPES };

static inline int vif_sample_type(unsigned depth)
{
    return depth == 8 ? VIF_BYTES : depth <= 14 ? VIF_WORDS : VIF_DEEP_WORDS;
}

enum { VIF_PADDING = 192 };

/* Rows under a vertical window, from top to bottom; 2 radius + 1 of each. */
typedef struct VifWindow {
    const void *sample[2][VIF_MAX_TAPS]; /* reference, distorted */
    const void *product[VIF_MOMENTS][VIF_MAX_TAPS];
} VifWindow;

/*
 * A vertically filtered row: means in 1/256 of an 8-bit grey level, second moments in 1/65536 of
 * its square. The latter have 32 bits, in two halves, so that they can be filtered by
 * multiplication of 16-bit integers.
 */
enum { VIF_LOW, VIF_HIGH, VIF_HALVES };

/*
 * What is kept of a row of the reference for further distorted pictures, besides its variances.
 * Kernels without gain_again ignore it. With REFERENCE_AGAIN the others leave products and moments
 * of the reference alone, and its means and variances.
 */
typedef struct VifReferenceRow {
    ReferenceUse use;
    uint32_t *sums;  /* vertically filtered samples, before they are rounded; of bytes alone */
    uint32_t *means; /* under the windows */
} VifReferenceRow;

typedef struct VifColumnMoments {
    uint16_t *mean[2];
    uint16_t *moment[VIF_MOMENTS][VIF_HALVES];
    VifReferenceRow reference;
} VifColumnMoments;

/*
 * Variances under the window at the pixels of a row, in 1/65536 of a squared grey level. Rounding
 * can make them negative; that of the distorted picture is clamped to 0.
 */
typedef struct VifVariances {
    int32_t *ref, *dist, *covariance;
} VifVariances;

/* Sums over pixels, as in VmafRecordVif. */
typedef struct VifSums {
    int64_t log_den, flat_variance, flat_count;
    int64_t *log_num; /* one for each gain limit */
} VifSums;

/* What `gain` has besides variances. */
typedef struct VifGain {
    const double *limits;
    unsigned n_limits;
    const uint32_t *log_bows; /* vif_log_table.h; for AVX2 and NEON */
} VifGain;

struct VifPairKernels;

typedef struct VifKernels {
    /* What to use instead for all but the smallest pictures; see vif_pairs.h. Can be NULL. */
    const struct VifPairKernels *pairs;
    /* Bytes per column of a row of products, whose format is up to the kernels. */
    size_t product_size[VIF_SAMPLE_TYPES];
    /* Where a product is NULL, it is not made, if there is gain_again. */
    void (*multiply[VIF_SAMPLE_TYPES])(void *const product[VIF_MOMENTS], const void *ref,
                                       const void *dist, unsigned w);
    /* Functions by scale; all but deep words occur at scale 0 only. */
    void (*filter_columns[VIF_SAMPLE_TYPES][VIF_SCALES])(const VifColumnMoments *out,
                                                         const VifWindow *window, unsigned w,
                                                         unsigned depth);
    void (*local_variances[VIF_SCALES])(const VifVariances *out, const VifColumnMoments *in,
                                        unsigned w);
    /* Adds a row to the sums. */
    void (*gain)(VifSums *sums, const VifVariances *in, unsigned w, const VifGain *gain);
    /* The same, which leaves log_den alone. NULL: nothing of the reference can be kept. */
    void (*gain_again)(VifSums *sums, const VifVariances *in, unsigned w, const VifGain *gain);
    /* Functions by destination scale, from 1; all but deep words are the source of scale 1 only. */
    void (*decimate_columns[VIF_SAMPLE_TYPES][VIF_SCALES])(uint16_t *out, const void *const rows[],
                                                           unsigned w, unsigned depth);
    /* Keeps the even columns: w counts columns of the output. */
    void (*decimate_row[VIF_SCALES])(uint16_t *out, const uint16_t *in, unsigned w);
} VifKernels;

/* The fastest kernels for a processor, from its CPU_* flags. */
void vif_kernels_init(VifKernels *kernels, unsigned cpu_flags);

/* The formulas. */
void vif_kernels_init_scalar(VifKernels *kernels);

#endif
