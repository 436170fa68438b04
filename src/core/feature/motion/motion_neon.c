/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <arm_neon.h>
#include <stddef.h>
#include <string.h>

#include "feature/motion/motion_kernels.h"

/*
 * Motion with NEON, which multiplies 16 by 16 bits and adds the products in 32 bits.
 *
 * Unless frames differ by more than 127 grey levels, a vertically filtered row fits 16 bits as it
 * is. Otherwise it is split, as the scalar kernels do always.
 */

enum {
    BLOCK = 8, /* columns of a vector */
    /* A filtered row sums up in 32 bits over this many columns, whatever the samples are. */
    COLUMNS_PER_SUM = 1 << 15,
};

/* -- differences -- */

/* The last n samples of a row, where the memory of a picture may end, and zeros. */
static inline uint8x8_t load_last_bytes(const uint8_t *samples, size_t n)
{
    uint8_t block[BLOCK] = {0};
    memcpy(block, samples, n);
    return vld1_u8(block);
}

static inline uint16x8_t load_last_words(const uint16_t *samples, size_t n)
{
    uint16_t block[BLOCK] = {0};
    memcpy(block, samples, n * sizeof(*samples));
    return vld1q_u16(block);
}

/* Stores a vector of differences, and adds their bits to those of the others. */
static inline uint16x8_t store_difference(int16_t *out, uint16x8_t d, uint16x8_t any)
{
    vst1q_s16(out, vreinterpretq_s16_u16(d));
    return vorrq_u16(any, d);
}

static bool difference8(MotionRow out, const void *earlier, const void *current, unsigned w)
{
    const uint8_t *a = earlier, *b = current;
    uint16x8_t any = vdupq_n_u16(0);
    size_t x = 0;
    for (; x + 2 * BLOCK <= w; x += 2 * BLOCK) {
        const uint8x16_t v = vld1q_u8(a + x), u = vld1q_u8(b + x);
        any = store_difference(out.high + x, vsubl_u8(vget_low_u8(v), vget_low_u8(u)), any);
        any = store_difference(out.high + x + BLOCK, vsubl_high_u8(v, u), any);
    }
    for (; x < w; x += BLOCK) {
        const size_t n = w - x < BLOCK ? w - x : BLOCK;
        const uint16x8_t d = vsubl_u8(load_last_bytes(a + x, n), load_last_bytes(b + x, n));
        any = store_difference(out.high + x, d, any);
    }
    return vmaxvq_u16(any) != 0;
}

static bool difference16(MotionRow out, const void *earlier, const void *current, unsigned w)
{
    const uint16_t *a = earlier, *b = current;
    uint16x8_t any = vdupq_n_u16(0);
    size_t x = 0;
    for (; x + BLOCK <= w; x += BLOCK)
        any = store_difference(out.high + x, vsubq_u16(vld1q_u16(a + x), vld1q_u16(b + x)), any);
    if (x < w) {
        const uint16x8_t d =
            vsubq_u16(load_last_words(a + x, w - x), load_last_words(b + x, w - x));
        any = store_difference(out.high + x, d, any);
    }
    return vmaxvq_u16(any) != 0;
}

/* Differences have 17 bits: a halving subtraction keeps the upper 16. */
static inline uint16x8_t store_split_difference(MotionRow out, size_t x, uint16x8_t earlier,
                                                uint16x8_t current)
{
    const uint16x8_t low = vandq_u16(vsubq_u16(earlier, current), vdupq_n_u16(3));
    const int16x8_t half = vreinterpretq_s16_u16(vhsubq_u16(earlier, current));
    vst1q_s16(out.high + x, vshrq_n_s16(half, 1));
    vst1q_s16(out.low + x, vreinterpretq_s16_u16(low));
    return veorq_u16(earlier, current);
}

static bool difference16_split(MotionRow out, const void *earlier, const void *current, unsigned w)
{
    const uint16_t *a = earlier, *b = current;
    uint16x8_t any = vdupq_n_u16(0);
    size_t x = 0;
    for (; x + BLOCK <= w; x += BLOCK)
        any = vorrq_u16(any, store_split_difference(out, x, vld1q_u16(a + x), vld1q_u16(b + x)));
    if (x < w)
        any = vorrq_u16(any, store_split_difference(out, x, load_last_words(a + x, w - x),
                                                    load_last_words(b + x, w - x)));
    return vmaxvq_u16(any) != 0;
}

/* -- the filter -- */

/* Values of 8 columns, the first four in `low`. */
typedef struct Filtered {
    int32x4_t low, high;
} Filtered;

static inline void multiply_add(Filtered *sum, int16x8_t values, int16_t tap)
{
    sum->low = vmlal_n_s16(sum->low, vget_low_s16(values), tap);
    sum->high = vmlal_high_n_s16(sum->high, values, tap);
}

/* From the centre and the sums at distance 1 and 2. */
static inline Filtered filter(Filtered sum, int16x8_t centre, int16x8_t near, int16x8_t far)
{
    multiply_add(&sum, centre, MOTION_TAP0);
    multiply_add(&sum, near, MOTION_TAP1);
    multiply_add(&sum, far, MOTION_TAP2);
    return sum;
}

static inline Filtered filtered_of(int32_t value)
{
    return (Filtered){vdupq_n_s32(value), vdupq_n_s32(value)};
}

static inline Filtered shift_right(Filtered v, unsigned shift)
{
    const int32x4_t right = vdupq_n_s32(-(int)shift);
    return (Filtered){vshlq_s32(v.low, right), vshlq_s32(v.high, right)};
}

/* Wraps for samples beyond the bit depth, which signed addition must not. */
static inline uint16x8_t unsigned_sum_of(const int16_t *a, const int16_t *b)
{
    return vaddq_u16(vreinterpretq_u16_s16(vld1q_s16(a)), vreinterpretq_u16_s16(vld1q_s16(b)));
}

static inline int16x8_t sum_of(const int16_t *a, const int16_t *b)
{
    return vreinterpretq_s16_u16(unsigned_sum_of(a, b));
}

/* Where the parts of split values are: centre, and both at distance 1 and 2. */
typedef struct SplitTaps {
    const int16_t *high[MOTION_TAPS], *low[MOTION_TAPS];
} SplitTaps;

/*
 * (filtered value + 2^(shift - 1)) >> shift, by way of the rest of at most 16 bits that the lower
 * parts contribute; see motion_scalar.c.
 */
static inline Filtered filter_split(const SplitTaps *taps, size_t x, unsigned shift)
{
    const uint16x8_t low0 = vreinterpretq_u16_s16(vld1q_s16(taps->low[2] + x));
    const uint16x8_t low1 = unsigned_sum_of(taps->low[1] + x, taps->low[3] + x);
    const uint16x8_t low2 = unsigned_sum_of(taps->low[0] + x, taps->low[4] + x);
    const uint16x8_t remainders = vmlaq_n_u16(vaddq_u16(low0, low0), low2, 3);
    uint16x8_t rest = vsraq_n_u16(vdupq_n_u16((uint16_t)(1u << (shift - 3))), remainders, 2);
    rest = vmlaq_n_u16(rest, low0, MOTION_TAP0 >> 2);
    rest = vmlaq_n_u16(rest, low1, MOTION_TAP1 >> 2);
    rest = vmlaq_n_u16(rest, low2, MOTION_TAP2 >> 2);
    const Filtered start = {vreinterpretq_s32_u32(vmovl_u16(vget_low_u16(rest))),
                            vreinterpretq_s32_u32(vmovl_high_u16(rest))};
    return shift_right(filter(start, vld1q_s16(taps->high[2] + x),
                              sum_of(taps->high[1] + x, taps->high[3] + x),
                              sum_of(taps->high[0] + x, taps->high[4] + x)),
                       shift - 2);
}

/* -- vertical -- */

static inline void store_split(MotionRow out, size_t x, Filtered v)
{
    const int16x8_t low = vcombine_s16(vmovn_s32(v.low), vmovn_s32(v.high));
    vst1q_s16(out.high + x, vshrn_high_n_s32(vshrn_n_s32(v.low, 2), v.high, 2));
    vst1q_s16(out.low + x, vandq_s16(low, vdupq_n_s16(3)));
}

static inline Filtered filter_rows(const int16_t *const rows[MOTION_TAPS], size_t x, unsigned bpc)
{
    return shift_right(filter(filtered_of(1 << (bpc - 1)), vld1q_s16(rows[2] + x),
                              sum_of(rows[1] + x, rows[3] + x), sum_of(rows[0] + x, rows[4] + x)),
                       bpc);
}

static MotionRow vertical(MotionRow out, const MotionRow rows[MOTION_TAPS], unsigned w,
                          unsigned bpc)
{
    const int16_t *const taps[MOTION_TAPS] = {rows[0].high, rows[1].high, rows[2].high,
                                              rows[3].high, rows[4].high};
    uint16x8_t largest = vdupq_n_u16(0);
    for (size_t x = 0; x < w; x += BLOCK) {
        const Filtered v = filter_rows(taps, x, bpc);
        const int16x8_t packed = vqmovn_high_s32(vqmovn_s32(v.low), v.high);
        vst1q_s16(out.high + x, packed);
        largest = vmaxq_u16(largest, vreinterpretq_u16_s16(vabsq_s16(packed)));
    }
    if (vmaxvq_u16(largest) < INT16_MAX)
        return (MotionRow){.high = out.high, .low = NULL};
    for (size_t x = 0; x < w; x += BLOCK)
        store_split(out, x, filter_rows(taps, x, bpc));
    return out;
}

static MotionRow vertical_split(MotionRow out, const MotionRow rows[MOTION_TAPS], unsigned w,
                                unsigned bpc)
{
    SplitTaps taps;
    for (int k = 0; k < MOTION_TAPS; k++) {
        taps.high[k] = rows[k].high;
        taps.low[k] = rows[k].low;
    }
    for (size_t x = 0; x < w; x += BLOCK)
        store_split(out, x, filter_split(&taps, x, bpc));
    return out;
}

/* -- horizontal -- */

/* All ones in the first n of 8 elements. */
static inline uint16x8_t first_columns(unsigned n)
{
    static const uint16_t index[BLOCK] = {0, 1, 2, 3, 4, 5, 6, 7};
    return vcltq_u16(vld1q_u16(index), vdupq_n_u16((uint16_t)n));
}

/* Absolute filtered values, of 16 bits because those of the row are. */
static inline uint16x8_t magnitudes(const int16_t *v)
{
    Filtered sum = filtered_of(1 << 15);
    multiply_add(&sum, vld1q_s16(v), MOTION_TAP0);
    multiply_add(&sum, vld1q_s16(v - 1), MOTION_TAP1);
    multiply_add(&sum, vld1q_s16(v + 1), MOTION_TAP1);
    multiply_add(&sum, vld1q_s16(v - 2), MOTION_TAP2);
    multiply_add(&sum, vld1q_s16(v + 2), MOTION_TAP2);
    const int16x8_t filtered =
        vuzp2q_s16(vreinterpretq_s16_s32(sum.low), vreinterpretq_s16_s32(sum.high));
    return vreinterpretq_u16_s16(vabsq_s16(filtered));
}

static uint64_t sad(const int16_t *v, unsigned w)
{
    uint32x4_t sum = vdupq_n_u32(0);
    size_t x = 0;
    for (; x + BLOCK <= w; x += BLOCK)
        sum = vpadalq_u16(sum, magnitudes(v + x));
    if (x < w)
        sum = vpadalq_u16(sum, vandq_u16(magnitudes(v + x), first_columns(w - (unsigned)x)));
    return vaddlvq_u32(sum);
}

static uint64_t sad_split(MotionRow row, unsigned w)
{
    SplitTaps taps;
    for (int k = 0; k < MOTION_TAPS; k++) {
        taps.high[k] = row.high + k - MOTION_RADIUS;
        taps.low[k] = row.low + k - MOTION_RADIUS;
    }
    int32x4_t low = vdupq_n_s32(0), high = low;
    size_t x = 0;
    for (; x + BLOCK <= w; x += BLOCK) {
        const Filtered v = filter_split(&taps, x, 16);
        low = vaddq_s32(low, vabsq_s32(v.low));
        high = vaddq_s32(high, vabsq_s32(v.high));
    }
    if (x < w) {
        const Filtered v = filter_split(&taps, x, 16);
        const int16x8_t inside = vreinterpretq_s16_u16(first_columns(w - (unsigned)x));
        low = vaddq_s32(low, vandq_s32(vabsq_s32(v.low), vmovl_s16(vget_low_s16(inside))));
        high = vaddq_s32(high, vandq_s32(vabsq_s32(v.high), vmovl_high_s16(inside)));
    }
    return vaddlvq_u32(vreinterpretq_u32_s32(vaddq_s32(low, high)));
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

void motion_kernels_init_neon(MotionKernels *kernels, unsigned bpc)
{
    const bool split = bpc > MOTION_MAX_UNSPLIT_BPC;
    kernels->difference = bpc == 8 ? difference8 : split ? difference16_split : difference16;
    kernels->vertical = split ? vertical_split : vertical;
    kernels->horizontal_sad = horizontal_sad;
}
