/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/motion/motion_internal.h"
#include "support/vector.h"

/*
 * Motion with vectors.
 *
 * Unless frames differ by more than 127 grey levels, a vertically filtered row fits 16 bits as it
 * is. Otherwise it is split, as the portable kernels do always.
 */

/* A filtered row sums up in 32 bits over this many columns, whatever the samples are. */
enum { COLUMNS_PER_SUM = 1 << 15 };

/* -- differences -- */

/* Stores differences, and adds their bits to those of others. */
static inline Vec store_difference(int16_t *out, Vec d, Vec any)
{
    vec_store(out, d);
    return vec_or(any, d);
}

/* What is read a row or two later, if rows follow each other; beyond the plane it does nothing. */
static inline void prefetch_ahead(const void *at)
{
    enum { DISTANCE = 3072 };
    __builtin_prefetch((const void *)((uintptr_t)at + DISTANCE));
}

static bool difference8(MotionRow out, const void *earlier, const void *current, unsigned w)
{
    const uint8_t *a = earlier, *b = current;
    Vec any = vec_zero();
    size_t x = 0;
    for (; x + VEC_BYTES <= w; x += VEC_BYTES) {
        prefetch_ahead(a + x);
        prefetch_ahead(b + x);
        const VecPair d = vec_difference_u8(a + x, b + x);
        any = store_difference(out.high + x, d.low, any);
        any = store_difference(out.high + x + VEC_16, d.high, any);
    }
    for (; x < w; x += VEC_16)
        any = store_difference(
            out.high + x,
            vec_sub_16(vec_load_samples(a, x, w, false), vec_load_samples(b, x, w, false)), any);
    return !vec_is_zero(any);
}

static bool difference16(MotionRow out, const void *earlier, const void *current, unsigned w)
{
    const uint16_t *a = earlier, *b = current;
    Vec any = vec_zero();
    size_t x = 0;
    for (; x + VEC_16 <= w; x += VEC_16) {
        prefetch_ahead(a + x);
        prefetch_ahead(b + x);
        any = store_difference(out.high + x, vec_sub_16(vec_load(a + x), vec_load(b + x)), any);
    }
    if (x < w)
        any = store_difference(
            out.high + x,
            vec_sub_16(vec_load_samples(a, x, w, true), vec_load_samples(b, x, w, true)), any);
    return !vec_is_zero(any);
}

/* a - b = 4 high + low */
static inline Vec store_split_difference(MotionRow out, size_t x, Vec a, Vec b, Vec any)
{
    vec_store(out.high + x, vec_quarter_of_difference_16u(a, b));
    vec_store(out.low + x, vec_and(vec_sub_16(a, b), vec_set_16(3)));
    return vec_or(any, vec_xor(a, b));
}

static bool difference16_split(MotionRow out, const void *earlier, const void *current, unsigned w)
{
    const uint16_t *a = earlier, *b = current;
    Vec any = vec_zero();
    size_t x = 0;
    for (; x + VEC_16 <= w; x += VEC_16)
        any = store_split_difference(out, x, vec_load(a + x), vec_load(b + x), any);
    if (x < w)
        any = store_split_difference(out, x, vec_load_samples(a, x, w, true),
                                     vec_load_samples(b, x, w, true), any);
    return !vec_is_zero(any);
}

/* -- the filter -- */

static inline VecPair shift_right(VecPair v, int shift)
{
    return (VecPair){vec_shift_right_all_32s(v.low, shift), vec_shift_right_all_32s(v.high, shift)};
}

/* Where the parts of five values are of which the third is the centre. */
typedef struct Taps {
    const int16_t *high[MOTION_TAPS], *low[MOTION_TAPS];
} Taps;

static inline Vec sum_of(const int16_t *a, const int16_t *b)
{
    return vec_add_16(vec_load(a), vec_load(b));
}

/*
 * (filtered value + 2^(shift - 1)) >> shift, by way of the rest of at most 16 bits that the lower
 * parts contribute; see motion_portable.c.
 */
static inline VecPair filter_split(const Taps *taps, size_t x, int shift)
{
    const Vec low0 = vec_load(taps->low[2] + x);
    const Vec low1 = sum_of(taps->low[1] + x, taps->low[3] + x);
    const Vec low2 = sum_of(taps->low[0] + x, taps->low[4] + x);
    const Vec remainders = vec_add_product_16(vec_add_16(low0, low0), low2, 3);
    Vec rest = vec_add_16(vec_shift_right_16u(remainders, 2), vec_set_16(1 << (shift - 3)));
    rest = vec_add_product_16(rest, low0, MOTION_TAP0 >> 2);
    rest = vec_add_product_16(rest, low1, MOTION_TAP1 >> 2);
    rest = vec_add_product_16(rest, low2, MOTION_TAP2 >> 2);
    return shift_right(vec_weighted_3u(vec_load(taps->high[2] + x), MOTION_TAP0,
                                       sum_of(taps->high[1] + x, taps->high[3] + x), MOTION_TAP1,
                                       sum_of(taps->high[0] + x, taps->high[4] + x), MOTION_TAP2,
                                       rest),
                       shift - 2);
}

/* The same of values that are not split. */
static inline VecPair filter(const Taps *taps, size_t x, int shift)
{
    return shift_right(vec_weighted_3(vec_load(taps->high[2] + x), MOTION_TAP0,
                                      sum_of(taps->high[1] + x, taps->high[3] + x), MOTION_TAP1,
                                      sum_of(taps->high[0] + x, taps->high[4] + x), MOTION_TAP2,
                                      vec_set_16(1 << (shift - 1))),
                       shift);
}

/* -- vertical -- */

static inline Taps taps_of_rows(const MotionRow rows[MOTION_TAPS])
{
    Taps taps;
    for (int k = 0; k < MOTION_TAPS; k++) {
        taps.high[k] = rows[k].high;
        taps.low[k] = rows[k].low;
    }
    return taps;
}

static inline void store_split(MotionRow out, size_t x, VecPair v)
{
    const Vec three = vec_set_32(3);
    /* Samples beyond the bit depth leave 18 bits: this drops the bits above. */
    vec_store(out.high + x, vec_narrow_shifted(v, 2));
    vec_store(out.low + x, vec_pack_32s(vec_and(v.low, three), vec_and(v.high, three)));
}

static MotionRow vertical(MotionRow out, const MotionRow rows[MOTION_TAPS], unsigned w,
                          unsigned bpc)
{
    const Taps taps = taps_of_rows(rows);
    const Vec limit = vec_set_16(INT16_MAX - 1);
    Vec largest = limit;
    for (size_t x = 0; x < w; x += VEC_16) {
        const VecPair v = filter(&taps, x, (int)bpc);
        const Vec packed = vec_pack_32s(v.low, v.high);
        vec_store(out.high + x, packed);
        largest = vec_max_16u(largest, vec_abs_16(packed));
    }
    if (vec_is_zero(vec_xor(largest, limit)))
        return (MotionRow){.high = out.high, .low = NULL};
    for (size_t x = 0; x < w; x += VEC_16)
        store_split(out, x, filter(&taps, x, (int)bpc));
    return out;
}

static MotionRow vertical_split(MotionRow out, const MotionRow rows[MOTION_TAPS], unsigned w,
                                unsigned bpc)
{
    const Taps taps = taps_of_rows(rows);
    for (size_t x = 0; x < w; x += VEC_16)
        store_split(out, x, filter_split(&taps, x, (int)bpc));
    return out;
}

/* -- horizontal -- */

/* Elements of which those from n on are cleared. */
static inline Vec first_columns(Vec v, unsigned n)
{
    return vec_and(v, vec_greater_16s(vec_set_16((int)n), vec_index_16()));
}

/* Absolute filtered values, of 16 bits because those of the row are. */
static inline Vec magnitudes(const int16_t *v)
{
    return vec_abs_16(vec_filter_5(v, MOTION_TAP0, MOTION_TAP1, MOTION_TAP2));
}

static uint64_t sad(const int16_t *v, unsigned w)
{
    Vec sum = vec_zero();
    size_t x = 0;
    for (; x + VEC_16 <= w; x += VEC_16)
        sum = vec_add_elements_16(sum, magnitudes(v + x));
    if (x < w)
        sum = vec_add_elements_16(sum, first_columns(magnitudes(v + x), w - (unsigned)x));
    return vec_sum_32u(sum);
}

static uint64_t sad_split(MotionRow row, unsigned w)
{
    Taps taps;
    for (int k = 0; k < MOTION_TAPS; k++) {
        taps.high[k] = row.high + k - MOTION_RADIUS;
        taps.low[k] = row.low + k - MOTION_RADIUS;
    }
    Vec low = vec_zero(), high = vec_zero();
    size_t x = 0;
    for (; x + VEC_16 <= w; x += VEC_16) {
        const VecPair v = filter_split(&taps, x, 16);
        low = vec_add_32(low, vec_abs_32(v.low));
        high = vec_add_32(high, vec_abs_32(v.high));
    }
    if (x < w) {
        const VecPair v = filter_split(&taps, x, 16);
        const Vec inside = first_columns(vec_set_16(-1), w - (unsigned)x);
        low = vec_add_32(low, vec_and(vec_abs_32(v.low), vec_interleave_low_16(inside, inside)));
        high =
            vec_add_32(high, vec_and(vec_abs_32(v.high), vec_interleave_high_16(inside, inside)));
    }
    return vec_sum_32u(vec_add_32(low, high));
}

static uint64_t horizontal_sad(MotionRow row, unsigned w)
{
    uint64_t total = 0;
    for (unsigned begin = 0; begin < w; begin += COLUMNS_PER_SUM) {
        const unsigned n = w - begin < COLUMNS_PER_SUM ? w - begin : COLUMNS_PER_SUM;
        total += row.low ? sad_split((MotionRow){row.high + begin, row.low + begin}, n)
                         : sad(row.high + begin, n);
    }
    return total;
}

void ISA_VARIANT(motion_functions_fill)(MotionFunctions *functions, unsigned bpc)
{
    const bool split = bpc > MOTION_MAX_UNSPLIT_BPC;
    functions->difference = bpc == 8 ? difference8 : split ? difference16_split : difference16;
    functions->vertical = split ? vertical_split : vertical;
    functions->horizontal_sad = horizontal_sad;
}
