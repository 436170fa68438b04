/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef KERNELS_REDUCE_REDUCE_ARGS_H
#define KERNELS_REDUCE_REDUCE_ARGS_H

#include "dialect/types.h"

#define ROW_SUMS_ROWS    32 /* that a group adds up, one for each lane */
#define ROW_SUMS_COLUMNS 32 /* that it loads at a time */

/* Positions and strides count terms. */
struct row_sums_args {
    u32 rows, columns, stride;
    u32 first; /* where the first row's sum goes */
};
KERNEL_STRUCT(row_sums_args)

/*
 * One sum of sum_partials: of `rows` rows, each of them the sum of `columns` partial sums, divided
 * by 2^shift and rounded to nearest (halves up) before it is added. Positions and strides count
 * elements of the buffer of partial sums. Everything is modulo 2^64.
 */
struct partial_sum {
    u32 first;
    u32 rows, row_stride;
    u32 columns, column_stride;
    u32 shift;
    u32 is_unsigned; /* whether the division by 2^shift is unsigned */
    u32 result;      /* where the sum goes, in elements of the results */
};
KERNEL_STRUCT(partial_sum)

struct sum_partials_args {
    u32 first_sum; /* of this dispatch; group GX does sum first_sum + GX */
};
KERNEL_STRUCT(sum_partials_args)

struct total_in_order_args {
    u32 first, count; /* terms */
};
KERNEL_STRUCT(total_in_order_args)

/*
 * How the terms of an ordered sum are cut: a lane counts the units of a segment, a chunk is
 * what has units of its own in memory, and a group does a block.
 */
#define ORDERED_SUM_LANES   128
#define ORDERED_SUM_SEGMENT 16
#define ORDERED_SUM_CHUNK   64
#define ORDERED_SUM_TILE    (ORDERED_SUM_LANES * ORDERED_SUM_SEGMENT)
#define ORDERED_SUM_BLOCK   8192
#define ORDERED_SUM_CHUNKS                                                                         \
    (ORDERED_SUM_BLOCK / ORDERED_SUM_CHUNK) /* of a block: as many as lanes */

/*
 * What the terms of a chunk or of a block do to a sum that has a certain power: units that they
 * add, and the range that the sum goes through, relative to where it begins (kernels/reduce/
 * ordered_units.h). Units count away from zero if they are positive.
 */
struct ordered_run {
    i64 units;     /* added to an even number of units */
    i64 low, high; /* of the sums, not less and not more than */
    i32 odd;       /* what is added to an odd number, less what is added to an even one */
    i32 power;     /* the sign and the exponent, as in the bits of a number; -1: none */
};
KERNEL_STRUCT(ordered_run)

struct ordered_sum_args {
    u32 count;       /* terms of this part of the sum */
    u32 first_block; /* of this part, in blocks of the whole sum */
    i32 scale;       /* estimates are in units of 2^-scale */
};
KERNEL_STRUCT(ordered_sum_args)

/* What ordered_walk leaves: the bits of the sum, and for tests how many segments were added term by
 * term, and how often units were counted again. */
#define ORDERED_SUM_RESULTS 3

#endif
