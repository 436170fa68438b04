/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_SDK_ORDERED_SUM_H
#define VMAF_SDK_ORDERED_SUM_H

#include "program.h"

/*
 * Sums of floating-point numbers whose order, and so every rounding, is part of a metric. The
 * result is exactly that of a loop over the terms that starts at +0. The kernels are in
 * kernels/reduce; docs/kernels.md says why their results are exact.
 *
 * The functions add kernels to the stages of a program from *stage on, the first that may read the
 * terms, and set *stage to the first stage after them.
 */

/* Binary32 or binary64 terms with signs, one after the other. */
typedef struct VmafOrderedSum {
    VmafBufferName terms;
    uint32_t count; /* at most VMAF_ORDERED_SUM_MAX */
    int is_f64;     /* 1: the terms are binary64 numbers */
    /* Most terms are below 2^magnitude. It guides the scaling of numbers when sums are estimated: a
     * wrong value costs time, but results are the same. */
    int32_t magnitude;
} VmafOrderedSum;

enum { VMAF_ORDERED_SUM_MAX = 1 << 27 };

/* Returns the bits of the sum, for vmaf_program_result. Those of a binary32 number are in the lower
 * half. */
partial_sum vmaf_program_ordered_sum(VmafProgram *program, uint32_t *stage,
                                     const VmafOrderedSum *sum);

/* The same with terms in parts of `part`, a multiple of 2^18, as are needed where kernels can bind
 * no more. Each further part takes another stage. Only tests call it directly. */
partial_sum vmaf_program_ordered_sum_in_parts(VmafProgram *program, uint32_t *stage,
                                              const VmafOrderedSum *sum, uint32_t part);

/* Binary32 sums of rows, from left to right: sums[first + r] = terms[r * stride] + ... + terms[r *
 * stride + columns - 1]. */
typedef struct VmafRowSums {
    VmafBufferName terms;
    uint32_t rows, columns;
    uint32_t stride; /* terms from row to row */
    VmafBufferName sums;
    uint32_t first; /* element of `sums` for the sum of the first row */
} VmafRowSums;
void vmaf_program_row_sums(VmafProgram *program, uint32_t *stage, const VmafRowSums *rows);

/* As vmaf_program_ordered_sum, for few binary32 terms from `first` on, such as the sums of rows. */
partial_sum vmaf_program_total_in_order(VmafProgram *program, uint32_t *stage, VmafBufferName terms,
                                        uint32_t first, uint32_t count);

#endif
