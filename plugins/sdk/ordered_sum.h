/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_SDK_ORDERED_SUM_H
#define VMAF_SDK_ORDERED_SUM_H

#include "program.h"

/*
 * Sums of floating-point numbers whose order, and so every rounding, is part of a metric: exactly
 * what a loop over the terms gives that starts at +0. The kernels are in kernels/reduce;
 * docs/kernels.md says why their results are exact.
 *
 * Functions add kernels to the stages of a program from *stage on, the first that may read the
 * terms, and set *stage to the first stage after.
 */

/* Binary32 or binary64 terms with signs, one after the other. */
typedef struct VmafOrderedSum {
    VmafBufferName terms;
    uint32_t count; /* at most VMAF_ORDERED_SUM_MAX */
    int is_f64;
    /* Terms are mostly below 2^magnitude. Guides how numbers are scaled when sums are estimated: a
     * wrong one costs time, results are the same. */
    int32_t magnitude;
} VmafOrderedSum;

enum { VMAF_ORDERED_SUM_MAX = 1 << 27 };

/* The bits of the sum, for vmaf_program_result; those of a binary32 number in the lower half. */
partial_sum vmaf_program_ordered_sum(VmafProgram *program, uint32_t *stage,
                                     const VmafOrderedSum *sum);

/* The same with terms in parts of `part`, a multiple of 2^18, since kernels bind only so much; for
 * tests. A stage more for each further part. */
partial_sum vmaf_program_ordered_sum_in_parts(VmafProgram *program, uint32_t *stage,
                                              const VmafOrderedSum *sum, uint32_t part);

/* Binary32 sums of rows, from left to right: sums[first + r] = terms[r * stride] + ... + terms[r *
 * stride + columns - 1]. */
typedef struct VmafRowSums {
    VmafBufferName terms;
    uint32_t rows, columns;
    uint32_t stride; /* from row to row, in terms */
    VmafBufferName sums;
    uint32_t first; /* where the sum of the first row goes, an element of `sums` */
} VmafRowSums;
void vmaf_program_row_sums(VmafProgram *program, uint32_t *stage, const VmafRowSums *rows);

/* The sum of few binary32 terms, those of rows, from `first` on; as vmaf_program_ordered_sum. */
partial_sum vmaf_program_total_in_order(VmafProgram *program, uint32_t *stage, VmafBufferName terms,
                                        uint32_t first, uint32_t count);

#endif
