/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "feature/motion/motion_kernels.h"
#include "support/vector_samples.h"

/*
 * Motion with vectors. Multiplications add their products in pairs, so the five taps take three of
 * them. Vertically they are sums of two rows beside those of two others; horizontally neighbours
 * as they lie in memory, for even and for odd columns apart.
 *
 * Unless frames differ by more than 127 grey levels, a vertically filtered row fits 16 bits as it
 * is. Otherwise it is split, as the scalar kernels do always.
 */

/* A filtered row sums up in 32 bits over this many columns, whatever the samples are. */
enum { COLUMNS_PER_SUM = 1 << 15 };

/* -- differences -- */

static inline __attribute__((always_inline)) bool
difference_of(MotionRow out, const void *earlier, const void *current, unsigned w, bool deep)
{
    Vec any = vec_zero();
    for (unsigned x = 0; x < w; x += VEC_16) {
        const Vec d = vec_sub_16(vec_load_samples(earlier, x, w, deep),
                                 vec_load_samples(current, x, w, deep));
        vec_store(out.high + x, d);
        any = vec_or(any, d);
    }
    return !vec_is_zero(any);
}

static bool difference8(MotionRow out, const void *earlier, const void *current, unsigned w)
{
    return difference_of(out, earlier, current, w, false);
}

static bool difference16(MotionRow out, const void *earlier, const void *current, unsigned w)
{
    return difference_of(out, earlier, current, w, true);
}

/* a - b = 4 high + low has 17 bits: a / 4 - b / 4 has 15, less a borrow from the last two. */
static bool difference16_split(MotionRow out, const void *earlier, const void *current, unsigned w)
{
    const Vec three = vec_set_16(3);
    Vec any = vec_zero();
    for (unsigned x = 0; x < w; x += VEC_16) {
        const Vec a = vec_load_samples(earlier, x, w, true),
                  b = vec_load_samples(current, x, w, true);
        const Vec rest = vec_sub_16(vec_and(a, three), vec_and(b, three));
        const Vec high =
            vec_add_16(vec_sub_16(vec_shift_right_16u(a, 2), vec_shift_right_16u(b, 2)),
                       vec_shift_right_16s(rest, 2));
        vec_store(out.high + x, high);
        vec_store(out.low + x, vec_and(rest, three));
        any = vec_or(any, vec_xor(a, b));
    }
    return !vec_is_zero(any);
}

/* -- the filter -- */

/* Two vectors of 32-bit elements, from the lower and from the upper halves of 128 bits. */
typedef struct Filtered {
    Vec low, high;
} Filtered;

/* From the centre and the sums at distance 1 and 2: half is 2^(shift - 1), below 2^15. */
static inline Filtered filter(Vec centre, Vec near, Vec far, Vec half)
{
    const Vec outer = vec_set_pair_16(MOTION_TAP1, MOTION_TAP2);
    const Vec inner = vec_set_pair_16(MOTION_TAP0, 1);
    return (Filtered){
        vec_add_32(vec_multiply_add(vec_interleave_low_16(near, far), outer),
                   vec_multiply_add(vec_interleave_low_16(centre, half), inner)),
        vec_add_32(vec_multiply_add(vec_interleave_high_16(near, far), outer),
                   vec_multiply_add(vec_interleave_high_16(centre, half), inner)),
    };
}

static inline Filtered shift_right(Filtered v, int shift)
{
    return (Filtered){vec_shift_right_all_32s(v.low, shift),
                      vec_shift_right_all_32s(v.high, shift)};
}

/* Split values: centre and sums at distance 1 and 2, of each part. */
typedef struct SplitTaps {
    Vec high0, high1, high2, low0, low1, low2;
} SplitTaps;

/*
 * (filtered value + 2^(shift - 1)) >> shift, by way of the rest of at most 16 bits that the lower
 * parts contribute; see motion_scalar.c.
 */
static inline Filtered filter_split(SplitTaps taps, int shift)
{
    const Vec remainders =
        vec_add_16(vec_add_16(taps.low0, taps.low0), vec_mul_low_16(taps.low2, vec_set_16(3)));
    Vec rest = vec_add_16(vec_shift_right_16u(remainders, 2), vec_set_16(1 << (shift - 3)));
    rest = vec_add_16(rest, vec_mul_low_16(taps.low0, vec_set_16(MOTION_TAP0 >> 2)));
    rest = vec_add_16(rest, vec_mul_low_16(taps.low1, vec_set_16(MOTION_TAP1 >> 2)));
    rest = vec_add_16(rest, vec_mul_low_16(taps.low2, vec_set_16(MOTION_TAP2 >> 2)));
    /* As a signed factor it is less by 2^15. */
    const Vec offset = vec_set_32(1 << 15);
    Filtered sum = filter(taps.high0, taps.high1, taps.high2, vec_xor(rest, vec_set_16(-32768)));
    sum.low = vec_add_32(sum.low, offset);
    sum.high = vec_add_32(sum.high, offset);
    return shift_right(sum, shift - 2);
}

static inline Vec sum_of(const int16_t *a, const int16_t *b)
{
    return vec_add_16(vec_load(a), vec_load(b));
}

/* -- vertical -- */

static inline void store_split(MotionRow out, unsigned x, Filtered v)
{
    const Vec three = vec_set_32(3);
    /* Samples beyond the bit depth leave 18 bits: this drops the bits above. */
    vec_store(out.high + x, vec_pack_32s(vec_shift_right_32s(vec_shift_left_32(v.low, 14), 16),
                                         vec_shift_right_32s(vec_shift_left_32(v.high, 14), 16)));
    vec_store(out.low + x, vec_pack_32s(vec_and(v.low, three), vec_and(v.high, three)));
}

static inline Filtered filter_rows(const MotionRow rows[MOTION_TAPS], unsigned x, int bpc)
{
    return shift_right(
        filter(vec_load(rows[2].high + x), sum_of(rows[1].high + x, rows[3].high + x),
               sum_of(rows[0].high + x, rows[4].high + x), vec_set_16(1 << (bpc - 1))),
        bpc);
}

static MotionRow vertical(MotionRow out, const MotionRow rows[MOTION_TAPS], unsigned w,
                          unsigned bpc)
{
    const Vec limit = vec_set_16(INT16_MAX - 1);
    Vec largest = limit;
    for (unsigned x = 0; x < w; x += VEC_16) {
        const Filtered v = filter_rows(rows, x, (int)bpc);
        const Vec packed = vec_pack_32s(v.low, v.high);
        vec_store(out.high + x, packed);
        largest = vec_max_16u(largest, vec_abs_16(packed));
    }
    if (vec_is_zero(vec_xor(largest, limit)))
        return (MotionRow){.high = out.high, .low = NULL};
    for (unsigned x = 0; x < w; x += VEC_16)
        store_split(out, x, filter_rows(rows, x, (int)bpc));
    return out;
}

static MotionRow vertical_split(MotionRow out, const MotionRow rows[MOTION_TAPS], unsigned w,
                                unsigned bpc)
{
    for (unsigned x = 0; x < w; x += VEC_16) {
        const SplitTaps taps = {
            .high0 = vec_load(rows[2].high + x),
            .high1 = sum_of(rows[1].high + x, rows[3].high + x),
            .high2 = sum_of(rows[0].high + x, rows[4].high + x),
            .low0 = vec_load(rows[2].low + x),
            .low1 = sum_of(rows[1].low + x, rows[3].low + x),
            .low2 = sum_of(rows[0].low + x, rows[4].low + x),
        };
        store_split(out, x, filter_split(taps, (int)bpc));
    }
    return out;
}

/* -- horizontal -- */

/* Elements of which those from n on are cleared. */
static inline Vec first_columns(Vec v, unsigned n)
{
    return vec_and(v, vec_greater_16s(vec_set_16((int)n), vec_index_16()));
}

/* Three pairs of neighbours, from two columns to the left. */
static inline Vec filter_neighbours(const int16_t *v)
{
    const Vec left = vec_multiply_add(vec_load(v - 2), vec_set_pair_16(MOTION_TAP2, MOTION_TAP1));
    const Vec centre = vec_multiply_add(vec_load(v), vec_set_pair_16(MOTION_TAP0, MOTION_TAP1));
    const Vec right = vec_multiply_add(vec_load(v + 2), vec_set_pair_16(MOTION_TAP2, 0));
    return vec_add_32(vec_add_32(left, vec_set_32(1 << 15)), vec_add_32(centre, right));
}

/* Absolute filtered values, of 16 bits because those of the row are. */
static inline Vec magnitudes(const int16_t *v)
{
    const Vec even = filter_neighbours(v), odd = filter_neighbours(v + 1);
    return vec_abs_16(vec_blend_16(vec_shift_right_32u(even, 16), odd));
}

static uint64_t sad(const int16_t *v, unsigned w)
{
    const Vec ones = vec_set_16(1);
    Vec sum = vec_zero();
    unsigned x = 0;
    for (; x + VEC_16 <= w; x += VEC_16)
        sum = vec_add_32(sum, vec_multiply_add(magnitudes(v + x), ones));
    if (x < w)
        sum = vec_add_32(sum, vec_multiply_add(first_columns(magnitudes(v + x), w - x), ones));
    return vec_sum_32u(sum);
}

static uint64_t sad_split(MotionRow row, unsigned w)
{
    Vec sum = vec_zero();
    for (unsigned x = 0; x < w; x += VEC_16) {
        const int16_t *high = row.high + x, *low = row.low + x;
        const Filtered v = filter_split(
            (SplitTaps){
                .high0 = vec_load(high),
                .high1 = sum_of(high - 1, high + 1),
                .high2 = sum_of(high - 2, high + 2),
                .low0 = vec_load(low),
                .low1 = sum_of(low - 1, low + 1),
                .low2 = sum_of(low - 2, low + 2),
            },
            16);
        const Vec ones = vec_set_16(-1);
        const Vec inside = w - x < VEC_16 ? first_columns(ones, w - x) : ones;
        sum = vec_add_32(sum, vec_and(vec_abs_32(v.low), vec_interleave_low_16(inside, inside)));
        sum = vec_add_32(sum, vec_and(vec_abs_32(v.high), vec_interleave_high_16(inside, inside)));
    }
    return vec_sum_32u(sum);
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

void ISA_VARIANT(motion_kernels_init)(MotionKernels *kernels, unsigned bpc)
{
    const bool split = bpc > MOTION_MAX_UNSPLIT_BPC;
    kernels->difference = bpc == 8 ? difference8 : split ? difference16_split : difference16;
    kernels->vertical = split ? vertical_split : vertical;
    kernels->horizontal_sad = horizontal_sad;
}
