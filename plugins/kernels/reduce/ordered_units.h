/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef KERNELS_REDUCE_ORDERED_UNITS_H
#define KERNELS_REDUCE_ORDERED_UNITS_H

/*
 * Counting the units that terms add to a rounded sum (metrics/common/
 * ordered_sum_kernel.h). Terms have BITS bits, 32 or 64, and are read as a WORD, u32 or u64.
 * docs/kernels.md, "Ordered sums", proves that what is counted here is what additions one after the
 * other give.
 */

#include "metrics/common/ordered_sum_kernel.h"
#include "reduce/reduce_args.h"

#if BITS == 64
#define FRACTION      ORDERED_SUM_FRACTION_F64
#define TO_WORD(x)    U64(x)
#define UNITS         i64
#define TO_UNITS(x)   I64(x)
#define MOST_EXPONENT 2047
#else
#define FRACTION      ORDERED_SUM_FRACTION_F32
#define TO_WORD(x)    U32(x)
#define UNITS         i32
#define TO_UNITS(x)   I32(x)
#define MOST_EXPONENT 255
#endif
#define BIAS     (MOST_EXPONENT / 2)
#define LAST_BIT (BITS - 1)
#define NO_POWER (-1)

/* -- parts of a number -- */

FN i32 sign_of(WORD x)
{
    return I32(x >> LAST_BIT);
}

FN i32 exponent_of(WORD x)
{
    return I32(x >> FRACTION) & MOST_EXPONENT;
}

/* The exponent of the unit: numbers below the smallest normal one have the same. */
FN i32 unit_of(i32 exponent)
{
    return exponent > 1 ? exponent : 1;
}

/* The mantissa, in units of the number. */
FN WORD mantissa_of(WORD x)
{
    WORD fraction = x & ((TO_WORD(1) << FRACTION) - TO_WORD(1));
    return exponent_of(x) != 0 ? fraction | (TO_WORD(1) << FRACTION) : fraction;
}

/* -- estimates -- */

/* The term in units of 2^-scale, rounded, modulo 2^64. Terms that are too large count as less. */
FN u64 estimate_of(WORD x, i32 scale)
{
    i32 shift = min_i32(unit_of(exponent_of(x)) - BIAS - FRACTION + scale, 62 - FRACTION);
    u64 mantissa = U64(mantissa_of(x));
    u64 size = shift >= 0    ? mantissa << shift
               : shift < -63 ? U64(0)
                             : round_shift_u64(mantissa, -shift);
    return sign_of(x) != 0 ? U64(0) - size : size;
}

/* The power of a number that is about `estimate` units of 2^-scale. */
FN i32 estimated_power(u64 estimate, i32 scale)
{
    u64 size = U64(abs_i64(I64(estimate)));
    i32 exponent = size != U64(0) ? msb_u64(size) - scale + BIAS : 1;
    return clamp_i32(exponent, 1, MOST_EXPONENT - 1) |
           (I64(estimate) < I64(0) ? (MOST_EXPONENT + 1) : 0);
}

/* -- units -- */

/* What a segment adds to even and odd numbers of units; UNITS are wide enough for its sums. */
struct segment_run {
    UNITS even, odd, low, high;
    i32 power;
};
KERNEL_STRUCT(segment_run)

FN segment_run segment_begin(i32 power)
{
    segment_run run;
    run.even = TO_UNITS(0);
    run.odd = TO_UNITS(0);
    run.low = TO_UNITS(0);
    run.high = TO_UNITS(0);
    run.power = (power & MOST_EXPONENT) < MOST_EXPONENT ? power : NO_POWER;
    return run;
}

FN UNITS min_units(UNITS a, UNITS b)
{
    return a < b ? a : b;
}

FN UNITS max_units(UNITS a, UNITS b)
{
    return a > b ? a : b;
}

FN segment_run segment_add(segment_run run, WORD x)
{
    i32 exponent = exponent_of(x);
    i32 shift = unit_of(run.power & MOST_EXPONENT) - unit_of(exponent);
    WORD mantissa = mantissa_of(x);
    if (shift < 0) {
        run.power = NO_POWER; /* so large that no sum stays between two powers of two */
        return run;
    }
    /* Whole units, rounded down, and what is left: less than half a unit, half of one, or more. */
    UNITS whole = TO_UNITS(0);
    WORD rest = mantissa;
    WORD half_unit = TO_WORD(1) << (FRACTION + 1); /* more than any mantissa */
    if (shift <= FRACTION + 1) {
        whole = TO_UNITS(mantissa >> shift);
        rest = mantissa & ((TO_WORD(1) << shift) - TO_WORD(1));
        half_unit = (TO_WORD(1) << shift) >> 1;
    }
    UNITS up = TO_UNITS(rest > half_unit ? 1 : 0);
    UNITS tie = TO_UNITS(rest == half_unit && shift != 0 ? 1 : 0);
    if (sign_of(x) != run.power >> (LAST_BIT - FRACTION)) {
        UNITS some = TO_UNITS(rest != TO_WORD(0) ? 1 : 0);
        whole = -whole - some;
        up = some - up - tie;
    }
    run.even += whole;
    run.odd += whole;
    run.low = min_units(run.low, min_units(run.even, run.odd));
    run.even += up + (tie & run.even);
    run.odd += up + (tie & (run.odd ^ TO_UNITS(1)));
    run.high = max_units(run.high, max_units(run.even, run.odd));
    return run;
}

/* -- runs of segments that follow one another -- */

FN ordered_run run_of(i64 units, i64 low, i64 high, i32 odd, i32 power)
{
    ordered_run run;
    run.units = units;
    run.low = low;
    run.high = high;
    run.odd = odd;
    run.power = power;
    return run;
}

/* An element of a buffer. */
#define LOAD_RUN(runs, i)                                                                          \
    run_of(AT(runs, i).units, AT(runs, i).low, AT(runs, i).high, AT(runs, i).odd, AT(runs, i).power)
#define STORE_RUN(runs, i, run)                                                                    \
    AT(runs, i).units = (run).units;                                                               \
    AT(runs, i).low = (run).low;                                                                   \
    AT(runs, i).high = (run).high;                                                                 \
    AT(runs, i).odd = (run).odd;                                                                   \
    AT(runs, i).power = (run).power;
/* One of group memory, which has an array for each member. */
#define GET_RUN(runs, i)                                                                           \
    run_of(AT(runs##_units, i), AT(runs##_low, i), AT(runs##_high, i), AT(runs##_odd, i),          \
           AT(runs##_power, i))
#define PUT_RUN(runs, i, run)                                                                      \
    AT(runs##_units, i) = (run).units;                                                             \
    AT(runs##_low, i) = (run).low;                                                                 \
    AT(runs##_high, i) = (run).high;                                                               \
    AT(runs##_odd, i) = (run).odd;                                                                 \
    AT(runs##_power, i) = (run).power;

FN ordered_run run_of_segment(segment_run segment)
{
    return run_of(I64(segment.even), I64(segment.low), I64(segment.high),
                  I32(segment.odd - segment.even), segment.power);
}

FN i64 units_added(ordered_run run, i64 parity)
{
    return run.units + (parity != I64(0) ? I64(run.odd) : I64(0));
}

/* One run, then another. Sums that go further than numbers of one power are apart have none, so
 * that nothing overflows. */
FN ordered_run run_append(ordered_run run, ordered_run next)
{
    i64 limit = I64(1) << (FRACTION + 2);
    i64 odd_units = run.units + I64(run.odd);
    i64 least = run.units < odd_units ? run.units : odd_units;
    i64 most = run.units < odd_units ? odd_units : run.units;
    i64 low = least + next.low;
    i64 high = most + next.high;
    i64 odd_total = odd_units + units_added(next, (odd_units & I64(1)) ^ I64(1));
    run.units += units_added(next, run.units & I64(1));
    run.odd = I32(odd_total - run.units);
    run.low = low < run.low ? low : run.low;
    run.high = high > run.high ? high : run.high;
    if (next.power != run.power || run.low < -limit || run.high > limit) {
        return run_of(I64(0), I64(0), I64(0), 0, NO_POWER);
    }
    return run;
}

/* -- the sum itself -- */

/* A sum in units. Those of the smallest unit may be negative. */
struct running_sum {
    i64 units;
    i32 power;
    i32 fits; /* whether the last run could be added to it */
};
KERNEL_STRUCT(running_sum)

FN running_sum running_sum_of(WORD x)
{
    running_sum sum;
    sum.units = I64(mantissa_of(x));
    sum.power = sign_of(x) << (LAST_BIT - FRACTION) | unit_of(exponent_of(x));
    sum.fits = 1;
    return sum;
}

FN WORD word_of_sum(running_sum sum)
{
    i32 sign = (sum.power >> (LAST_BIT - FRACTION)) ^ (sum.units < I64(0) ? 1 : 0);
    WORD size = TO_WORD(abs_i64(sum.units));
    WORD below = TO_WORD((sum.power & MOST_EXPONENT) - 1) << FRACTION;
    WORD word = (TO_WORD(sign) << LAST_BIT) | (below + size); /* the mantissa's first bit carries */
    /* A sum that begins at +0 is never -0. If this were a return of its own, LLVM's instcombine
     * would need two rounds for ordered_walk: pocl 6 has it abort then. */
    return size != TO_WORD(0) ? word : size;
}

/* Adds a run if it is one for sums of this power, and leaves them between two powers of two. */
FN running_sum running_sum_append(running_sum sum, ordered_run run)
{
    i32 exponent = sum.power & MOST_EXPONENT;
    i32 difference = sum.power ^ run.power;
    if (exponent == 1 && difference == MOST_EXPONENT + 1) {
        sum.units = -sum.units;
        sum.power = run.power;
        difference = 0;
    }
    i64 end = I64(1) << (FRACTION + 1);
    i64 least = exponent == 1 ? I64(1) - end : end >> 1;
    sum.fits =
        difference == 0 && sum.units + run.low >= least && sum.units + run.high < end ? 1 : 0;
    if (sum.fits != 0) {
        sum.units += units_added(run, sum.units & I64(1));
    }
    return sum;
}

/*
 * A tile of terms: the segments of the lanes one after the other, each followed by an element that
 * is not used, so that lanes which walk their segments side by side use different banks. LOAD_TILE
 * is what a block does that loads the tile at term `first`; after the last term it is +0, which
 * changes no sum.
 */
#define TILE_TERMS            (ORDERED_SUM_LANES * (ORDERED_SUM_SEGMENT + 1))
#define TILE_TERM(segment, i) ((segment) * (ORDERED_SUM_SEGMENT + 1) + (i))
#define LOAD_TILE(first)                                                                           \
    UNROLL                                                                                         \
    for (i32 k = 0; k < ORDERED_SUM_SEGMENT; ++k) {                                                \
        i32 i = k * LANES + LANE;                                                                  \
        AT(tile, TILE_TERM(i / ORDERED_SUM_SEGMENT, i % ORDERED_SUM_SEGMENT)) =                    \
            (first) + U32(i) < p.count ? AT(terms, (first) + U32(i)) : TO_WORD(0);                 \
    }

#endif
