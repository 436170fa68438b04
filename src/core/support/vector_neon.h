/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_SUPPORT_VECTOR_NEON_H
#define CORE_SUPPORT_VECTOR_NEON_H

/*
 * Vectors of 128 bits, for 64-bit Arm. support/vector.h says what operations mean.
 *
 * Vec has elements of 32 bits, as most sums have: where compilers see elements of another width in
 * a sum than its instructions add to, they copy it around.
 *
 * Numbers that may wrap are added as unsigned ones: compilers write the intrinsics for signed ones
 * as additions in C.
 */

#include <arm_neon.h>
#include <stdbool.h>
#include <stdint.h>

typedef uint32x4_t Vec;
typedef struct VecPair {
    Vec low, high;
} VecPair;
typedef float32x4_t VecF; /* binary32 */
typedef float64x2_t VecD; /* binary64 */

enum { VEC_BYTES = 16, VEC_16 = VEC_BYTES / 2, VEC_32 = VEC_BYTES / 4 }; /* elements */

/* -- memory -- */

static inline Vec vec_load(const void *from)
{
    return (Vec)vld1q_u8(from);
}

static inline void vec_store(void *to, Vec v)
{
    vst1q_u8(to, (uint8x16_t)v);
}

static inline Vec vec_load_u8(const void *from)
{
    return (Vec)vmovl_u8(vld1_u8(from));
}

/* From two indices each that leave the vector together. */
static inline uint32x2_t vec_gather_pair(const uint32_t *table, uint64_t indices)
{
    return vzip1_u32(vcreate_u32(table[(uint32_t)indices]), vcreate_u32(table[indices >> 32]));
}

static inline Vec vec_gather_32(const uint32_t *table, Vec index)
{
    const uint64x2_t i = (uint64x2_t)index;
    return (Vec)vcombine_u32(vec_gather_pair(table, i[0]), vec_gather_pair(table, i[1]));
}

/* -- constants -- */

static inline Vec vec_zero(void)
{
    return vdupq_n_u32(0);
}

static inline Vec vec_set_16(int x)
{
    return (Vec)vdupq_n_s16((int16_t)x);
}

static inline Vec vec_set_32(int32_t x)
{
    return (Vec)vdupq_n_s32(x);
}

static inline Vec vec_set_64(int64_t x)
{
    return (Vec)vdupq_n_s64(x);
}

static inline Vec vec_set_pair_16(int even, int odd)
{
    return vec_set_32((int32_t)((uint32_t)odd << 16 | (uint16_t)even));
}

static inline Vec vec_index_16(void)
{
    return (Vec)(uint16x8_t){0, 1, 2, 3, 4, 5, 6, 7};
}

static inline Vec vec_index_32(void)
{
    return (Vec){0, 1, 2, 3};
}

/* -- bits -- */

static inline Vec vec_and(Vec a, Vec b)
{
    return vandq_u32(a, b);
}

static inline Vec vec_or(Vec a, Vec b)
{
    return vorrq_u32(a, b);
}

static inline Vec vec_xor(Vec a, Vec b)
{
    return veorq_u32(a, b);
}

static inline Vec vec_and_not(Vec a, Vec b)
{
    return vbicq_u32(a, b);
}

static inline bool vec_is_zero(Vec v)
{
    return vmaxvq_u32(v) == 0;
}

static inline Vec vec_select(Vec mask, Vec yes, Vec no)
{
    return vbslq_u32(mask, yes, no);
}

static inline Vec vec_blend_16(Vec even, Vec odd)
{
    return vbslq_u32(vec_set_32(0xffff), even, odd);
}

static inline Vec vec_blend_32(Vec even, Vec odd)
{
    return vbslq_u32(vec_set_64(UINT32_MAX), even, odd);
}

static inline Vec vec_blend_odd_32(Vec a, Vec b)
{
    return vtrn2q_u32(a, b);
}

/* -- 16-bit elements -- */

static inline Vec vec_add_16(Vec a, Vec b)
{
    return (Vec)vaddq_u16((uint16x8_t)a, (uint16x8_t)b);
}

static inline Vec vec_sub_16(Vec a, Vec b)
{
    return (Vec)vsubq_u16((uint16x8_t)a, (uint16x8_t)b);
}

static inline Vec vec_abs_16(Vec v)
{
    return (Vec)vabsq_s16((int16x8_t)v);
}

static inline Vec vec_min_16s(Vec a, Vec b)
{
    return (Vec)vminq_s16((int16x8_t)a, (int16x8_t)b);
}

static inline Vec vec_max_16s(Vec a, Vec b)
{
    return (Vec)vmaxq_s16((int16x8_t)a, (int16x8_t)b);
}

static inline Vec vec_min_16u(Vec a, Vec b)
{
    return (Vec)vminq_u16((uint16x8_t)a, (uint16x8_t)b);
}

static inline Vec vec_max_16u(Vec a, Vec b)
{
    return (Vec)vmaxq_u16((uint16x8_t)a, (uint16x8_t)b);
}

static inline Vec vec_mul_low_16(Vec a, Vec b)
{
    return (Vec)vmulq_u16((uint16x8_t)a, (uint16x8_t)b);
}

static inline Vec vec_mul_high_16s(Vec a, Vec b)
{
    const int32x4_t low = vmull_s16(vget_low_s16((int16x8_t)a), vget_low_s16((int16x8_t)b));
    const int32x4_t high = vmull_high_s16((int16x8_t)a, (int16x8_t)b);
    return (Vec)vuzp2q_s16((int16x8_t)low, (int16x8_t)high);
}

static inline Vec vec_mul_round_16s(Vec a, Vec b)
{
    return (Vec)vqrdmulhq_s16((int16x8_t)a, (int16x8_t)b);
}

enum { VEC_DOT_PRODUCTS = 0 };

static inline Vec vec_multiply_add(Vec a, Vec b)
{
    const int32x4_t low = vmull_s16(vget_low_s16((int16x8_t)a), vget_low_s16((int16x8_t)b));
    const int32x4_t high = vmull_high_s16((int16x8_t)a, (int16x8_t)b);
    return (Vec)vpaddq_s32(low, high);
}

static inline Vec vec_add_products(Vec sum, Vec a, Vec b)
{
    return vaddq_u32(sum, vec_multiply_add(a, b));
}

static inline Vec vec_greater_16s(Vec a, Vec b)
{
    return (Vec)vcgtq_s16((int16x8_t)a, (int16x8_t)b);
}

#define vec_shift_right_16u(v, bits) ((Vec)vshrq_n_u16((uint16x8_t)(v), bits))
#define vec_shift_right_16s(v, bits) ((Vec)vshrq_n_s16((int16x8_t)(v), bits))

/* -- 32-bit elements -- */

static inline Vec vec_add_32(Vec a, Vec b)
{
    return vaddq_u32(a, b);
}

static inline Vec vec_sub_32(Vec a, Vec b)
{
    return vsubq_u32(a, b);
}

static inline Vec vec_abs_32(Vec v)
{
    return (Vec)vabsq_s32((int32x4_t)v);
}

static inline Vec vec_min_32s(Vec a, Vec b)
{
    return (Vec)vminq_s32((int32x4_t)a, (int32x4_t)b);
}

static inline Vec vec_max_32s(Vec a, Vec b)
{
    return (Vec)vmaxq_s32((int32x4_t)a, (int32x4_t)b);
}

static inline Vec vec_min_32u(Vec a, Vec b)
{
    return vminq_u32(a, b);
}

static inline Vec vec_mul_low_32(Vec a, Vec b)
{
    return vmulq_u32(a, b);
}

static inline Vec vec_greater_32s(Vec a, Vec b)
{
    return vcgtq_s32((int32x4_t)a, (int32x4_t)b);
}

static inline Vec vec_keep_greater_32s(Vec v, Vec a, Vec b)
{
    return vandq_u32(v, vec_greater_32s(a, b));
}

static inline Vec vec_add_greater_32s(Vec sum, Vec v, Vec a, Vec b)
{
    return vec_add_32(sum, vec_keep_greater_32s(v, a, b));
}

#define vec_shift_left_32(v, bits)   ((Vec)vshlq_n_u32((v), bits))
#define vec_shift_right_32u(v, bits) ((Vec)vshrq_n_u32((v), bits))
#define vec_shift_right_32s(v, bits) ((Vec)vshrq_n_s32((int32x4_t)(v), bits))

/* Shifts to the right are negative ones to the left. */
static inline Vec vec_shift_left_all_32(Vec v, int bits)
{
    return vshlq_u32(v, vdupq_n_s32(bits));
}

static inline Vec vec_shift_right_all_32u(Vec v, int bits)
{
    return vshlq_u32(v, vdupq_n_s32(-bits));
}

static inline Vec vec_shift_right_all_32s(Vec v, int bits)
{
    return (Vec)vshlq_s32((int32x4_t)v, vdupq_n_s32(-bits));
}

static inline Vec vec_shift_left_each_32(Vec v, Vec bits)
{
    return vshlq_u32(v, (int32x4_t)bits);
}

static inline Vec vec_shift_right_each_32u(Vec v, Vec bits)
{
    return vshlq_u32(v, vnegq_s32((int32x4_t)bits));
}

static inline Vec vec_excess_bits_32(Vec v, int n)
{
    return vqsubq_u32(vdupq_n_u32(32 - (unsigned)n), vclzq_u32(v));
}

/* -- 64-bit elements -- */

static inline Vec vec_add_64(Vec a, Vec b)
{
    return (Vec)vaddq_u64((uint64x2_t)a, (uint64x2_t)b);
}

static inline Vec vec_sub_64(Vec a, Vec b)
{
    return (Vec)vsubq_u64((uint64x2_t)a, (uint64x2_t)b);
}

static inline Vec vec_mul_32s(Vec a, Vec b)
{
    return (Vec)vmull_s32(vmovn_s64((int64x2_t)a), vmovn_s64((int64x2_t)b));
}

static inline Vec vec_mul_32u(Vec a, Vec b)
{
    return (Vec)vmull_u32(vmovn_u64((uint64x2_t)a), vmovn_u64((uint64x2_t)b));
}

#define vec_shift_left_64(v, bits)   ((Vec)vshlq_n_u64((uint64x2_t)(v), bits))
#define vec_shift_right_64u(v, bits) ((Vec)vshrq_n_u64((uint64x2_t)(v), bits))

static inline Vec vec_shift_right_each_64u(Vec v, Vec bits)
{
    return (Vec)vshlq_u64((uint64x2_t)v, vnegq_s64((int64x2_t)bits));
}

static inline uint64_t vec_sum_64(Vec v)
{
    return vaddvq_u64((uint64x2_t)v);
}

static inline uint64_t vec_sum_32u(Vec v)
{
    return vaddlvq_u32(v);
}

/* -- order -- */

static inline Vec vec_interleave_low_16(Vec a, Vec b)
{
    return (Vec)vzip1q_u16((uint16x8_t)a, (uint16x8_t)b);
}

static inline Vec vec_interleave_high_16(Vec a, Vec b)
{
    return (Vec)vzip2q_u16((uint16x8_t)a, (uint16x8_t)b);
}

static inline Vec vec_pack_32s(Vec a, Vec b)
{
    return (Vec)vqmovn_high_s32(vqmovn_s32((int32x4_t)a), (int32x4_t)b);
}

/* A vector of 128 bits is in the order of memory anyway. */
static inline Vec vec_natural_before_interleave(Vec v)
{
    return v;
}

static inline Vec vec_natural_after_pack(Vec v)
{
    return v;
}

static inline Vec vec_pack_natural_32s(Vec a, Vec b)
{
    return vec_pack_32s(a, b);
}

static inline Vec vec_add_product_16(Vec sum, Vec v, int factor)
{
    return (Vec)vmlaq_n_u16((uint16x8_t)sum, (uint16x8_t)v, (uint16_t)factor);
}

/* -- filters: sums of products of signed 16-bit elements, in 32 bits -- */

static inline VecPair vec_pair_of(int32x4_t low, int32x4_t high)
{
    return (VecPair){(Vec)low, (Vec)high};
}

static inline VecPair vec_add_weighted(VecPair sum, Vec v, int weight)
{
    const int16x8_t x = (int16x8_t)v;
    return vec_pair_of(vmlal_n_s16((int32x4_t)sum.low, vget_low_s16(x), (int16_t)weight),
                       vmlal_high_n_s16((int32x4_t)sum.high, x, (int16_t)weight));
}

static inline VecPair vec_weighted_2(Vec a, int a_weight, Vec b, int b_weight)
{
    const int16x8_t x = (int16x8_t)a;
    const VecPair product = vec_pair_of(vmull_n_s16(vget_low_s16(x), (int16_t)a_weight),
                                        vmull_high_n_s16(x, (int16_t)a_weight));
    return vec_add_weighted(product, b, b_weight);
}

static inline VecPair vec_weighted_3_from(VecPair start, Vec a, int a_weight, Vec b, int b_weight,
                                          Vec c, int c_weight)
{
    start = vec_add_weighted(start, a, a_weight);
    start = vec_add_weighted(start, b, b_weight);
    return vec_add_weighted(start, c, c_weight);
}

static inline VecPair vec_weighted_3(Vec a, int a_weight, Vec b, int b_weight, Vec c, int c_weight,
                                     Vec start)
{
    const int16x8_t s = (int16x8_t)start;
    return vec_weighted_3_from(vec_pair_of(vmovl_s16(vget_low_s16(s)), vmovl_high_s16(s)), a,
                               a_weight, b, b_weight, c, c_weight);
}

static inline VecPair vec_weighted_3u(Vec a, int a_weight, Vec b, int b_weight, Vec c, int c_weight,
                                      Vec start)
{
    const uint16x8_t s = (uint16x8_t)start;
    const VecPair wide = {(Vec)vmovl_u16(vget_low_u16(s)), (Vec)vmovl_high_u16(s)};
    return vec_weighted_3_from(wide, a, a_weight, b, b_weight, c, c_weight);
}

#define vec_narrow_shifted(pair, bits)                                                             \
    ((Vec)vshrn_high_n_s32(vshrn_n_s32((int32x4_t)(pair).low, bits), (int32x4_t)(pair).high, bits))

static inline Vec vec_filter_5(const int16_t *in, int centre, int near, int far)
{
    const Vec half = vec_set_32(1 << 15);
    VecPair sum = vec_add_weighted((VecPair){half, half}, vec_load(in), centre);
    sum = vec_add_weighted(sum, vec_load(in - 1), near);
    sum = vec_add_weighted(sum, vec_load(in + 1), near);
    sum = vec_add_weighted(sum, vec_load(in - 2), far);
    sum = vec_add_weighted(sum, vec_load(in + 2), far);
    return (Vec)vuzp2q_u16((uint16x8_t)sum.low, (uint16x8_t)sum.high);
}

/* a b + c d of elements */
static inline VecPair vec_sum_of_products(Vec a, Vec b, Vec c, Vec d)
{
    const int16x8_t w = (int16x8_t)a, x = (int16x8_t)b, y = (int16x8_t)c, z = (int16x8_t)d;
    return vec_pair_of(
        vmlal_s16(vmull_s16(vget_low_s16(w), vget_low_s16(x)), vget_low_s16(y), vget_low_s16(z)),
        vmlal_high_s16(vmull_high_s16(w, x), y, z));
}

static inline VecPair vec_add_weighted_2(VecPair sum, Vec a, int a_weight, Vec b, int b_weight)
{
    return vec_add_weighted(vec_add_weighted(sum, a, a_weight), b, b_weight);
}

#define vec_pack_shifted(pair, bits) vec_narrow_shifted(pair, bits)

#define vec_pack_rounded(pair, bits)                                                               \
    ((Vec)vrshrn_high_n_s32(vrshrn_n_s32((int32x4_t)(pair).low, bits), (int32x4_t)(pair).high,     \
                            bits))

static inline Vec vec_narrow_rounded_all(VecPair v, int bits)
{
    const int32x4_t right = vdupq_n_s32(-bits);
    return (Vec)vuzp1q_u16((uint16x8_t)vrshlq_s32((int32x4_t)v.low, right),
                           (uint16x8_t)vrshlq_s32((int32x4_t)v.high, right));
}

static inline Vec vec_decimate_4(const int16_t *in, const int16_t taps[4])
{
    const int16x8x2_t left = vld2q_s16(in - 1), right = vld2q_s16(in + 1);
    VecPair sum = vec_weighted_2((Vec)left.val[0], taps[0], (Vec)left.val[1], taps[1]);
    sum = vec_add_weighted_2(sum, (Vec)right.val[0], taps[2], (Vec)right.val[1], taps[3]);
    return (Vec)vrshrn_high_n_s32(vrshrn_n_s32((int32x4_t)sum.low, 16), (int32x4_t)sum.high, 16);
}

/* -- 16-bit elements to twice the width -- */

static inline VecPair vec_widen_16u(Vec v)
{
    const uint16x8_t x = (uint16x8_t)v;
    return (VecPair){vmovl_u16(vget_low_u16(x)), vmovl_high_u16(x)};
}

static inline VecPair vec_widened_sum_16s(Vec a, Vec b)
{
    const int16x8_t x = (int16x8_t)a, y = (int16x8_t)b;
    return vec_pair_of(vaddl_s16(vget_low_s16(x), vget_low_s16(y)), vaddl_high_s16(x, y));
}

static inline void vec_widen_both_16s(Vec a, Vec b, VecPair *wide_a, VecPair *wide_b)
{
    const int16x8_t x = (int16x8_t)a, y = (int16x8_t)b;
    *wide_a = vec_pair_of(vmovl_s16(vget_low_s16(x)), vmovl_high_s16(x));
    *wide_b = vec_pair_of(vmovl_s16(vget_low_s16(y)), vmovl_high_s16(y));
}

static inline Vec vec_mul_high_up_16s(Vec a, Vec b)
{
    const int16x8_t x = (int16x8_t)a, y = (int16x8_t)b;
    const int32x4_t most = vdupq_n_s32(UINT16_MAX);
    const int16x4_t low = vaddhn_s32(vmull_s16(vget_low_s16(x), vget_low_s16(y)), most);
    return (Vec)vaddhn_high_s32(low, vmull_high_s16(x, y), most);
}

static inline Vec vec_square_small_32(Vec v)
{
    return vmulq_u32(v, v);
}

/* -- 32-bit elements to twice the width, and back -- */

static inline VecPair vec_products_32s(Vec a, Vec b)
{
    const int32x4_t x = (int32x4_t)a, y = (int32x4_t)b;
    return (VecPair){(Vec)vmull_s32(vget_low_s32(x), vget_low_s32(y)), (Vec)vmull_high_s32(x, y)};
}

static inline VecPair vec_products_32u(Vec a, Vec b)
{
    return (VecPair){(Vec)vmull_u32(vget_low_u32(a), vget_low_u32(b)), (Vec)vmull_high_u32(a, b)};
}

static inline VecPair vec_products_lower_32u(VecPair a, Vec b)
{
    return (VecPair){(Vec)vmull_u32(vmovn_u64((uint64x2_t)a.low), vget_low_u32(b)),
                     (Vec)vmull_u32(vmovn_u64((uint64x2_t)a.high), vget_high_u32(b))};
}

static inline Vec vec_add_products_32u(Vec sum, Vec a, Vec b)
{
    const uint64x2_t low = vmlal_u32((uint64x2_t)sum, vget_low_u32(a), vget_low_u32(b));
    return (Vec)vmlal_high_u32(low, a, b);
}

static inline Vec vec_narrow_64(VecPair v)
{
    return vuzp1q_u32(v.low, v.high);
}

#define vec_narrow_rounded_64(pair, bits)                                                          \
    ((Vec)vrshrn_high_n_s64(vrshrn_n_s64((int64x2_t)(pair).low, bits), (int64x2_t)(pair).high,     \
                            bits))

static inline Vec vec_high_of_difference_64(VecPair a, Vec b)
{
    return vsubhn_high_u64(vsubhn_u64((uint64x2_t)a.low, (uint64x2_t)b), (uint64x2_t)a.high,
                           (uint64x2_t)b);
}

typedef struct VecRoundShift {
    int64x2_t left;
} VecRoundShift;

static inline VecRoundShift vec_round_shift(int bits)
{
    return (VecRoundShift){vdupq_n_s64(-bits)};
}

static inline Vec vec_round_shift_right_64u(Vec v, VecRoundShift shift)
{
    return (Vec)vrshlq_u64((uint64x2_t)v, shift.left);
}

static inline Vec vec_narrow_rounded_each_64(VecPair v, Vec bits)
{
    const int32x4_t left = vnegq_s32((int32x4_t)bits);
    const uint64x2_t low = vrshlq_u64((uint64x2_t)v.low, vmovl_s32(vget_low_s32(left)));
    return vuzp1q_u32((Vec)low, (Vec)vrshlq_u64((uint64x2_t)v.high, vmovl_high_s32(left)));
}

static inline Vec vec_round_shift_right_each_32u(Vec v, Vec bits)
{
    return vrshlq_u32(v, vnegq_s32((int32x4_t)bits));
}

/* -- differences and squares of samples -- */

static inline VecPair vec_difference_u8(const void *a, const void *b)
{
    const uint8x16_t x = vld1q_u8(a), y = vld1q_u8(b);
    return (VecPair){(Vec)vsubl_u8(vget_low_u8(x), vget_low_u8(y)), (Vec)vsubl_high_u8(x, y)};
}

static inline Vec vec_magnitude_of_difference_16u(Vec a, Vec b)
{
    return (Vec)vabdq_u16((uint16x8_t)a, (uint16x8_t)b);
}

static inline Vec vec_quarter_of_difference_16u(Vec a, Vec b)
{
    return (Vec)vshrq_n_s16((int16x8_t)vhsubq_u16((uint16x8_t)a, (uint16x8_t)b), 1);
}

static inline Vec vec_add_elements_16(Vec sum, Vec v)
{
    return vpadalq_u16(sum, (uint16x8_t)v);
}

static inline VecPair vec_add_squares_16s(VecPair sums, Vec v)
{
    const int16x8_t x = (int16x8_t)v;
    return vec_pair_of(vmlal_s16((int32x4_t)sums.low, vget_low_s16(x), vget_low_s16(x)),
                       vmlal_high_s16((int32x4_t)sums.high, x, x));
}

static inline VecPair vec_add_squared_differences_u8(VecPair sums, const void *a, const void *b)
{
    const uint8x16_t d = vabdq_u8(vld1q_u8(a), vld1q_u8(b));
    const uint16x8_t low = vmull_u8(vget_low_u8(d), vget_low_u8(d)), high = vmull_high_u8(d, d);
    return (VecPair){vpadalq_u16(sums.low, low), vpadalq_u16(sums.high, high)};
}

static inline Vec vec_add_squares_16u(Vec sum, Vec v)
{
    const uint16x8_t x = (uint16x8_t)v;
    const uint32x4_t low = vmull_u16(vget_low_u16(x), vget_low_u16(x)), high = vmull_high_u16(x, x);
    return (Vec)vpadalq_u32(vpadalq_u32((uint64x2_t)sum, low), high);
}

/* -- binary32 -- */

static inline VecF vec_float(Vec v)
{
    return vcvtq_f32_s32((int32x4_t)v);
}

static inline VecF vec_set_float(float x)
{
    return vdupq_n_f32(x);
}

static inline Vec vec_integer(VecF v)
{
    return (Vec)vcvtq_s32_f32(v);
}

static inline Vec vec_float_bits(VecF v)
{
    return (Vec)v;
}

static inline VecF vec_add_float(VecF a, VecF b)
{
    return vaddq_f32(a, b);
}

static inline VecF vec_mul_float(VecF a, VecF b)
{
    return vmulq_f32(a, b);
}

static inline VecF vec_div_float(VecF a, VecF b)
{
    return vdivq_f32(a, b);
}

static inline Vec vec_at_least_float(VecF a, VecF b)
{
    return vcgeq_f32(a, b);
}

/* -- binary64 -- */

static inline VecD vec_load_double(const int32_t *from)
{
    return vcvtq_f64_s64(vmovl_s32(vld1_s32(from)));
}

static inline Vec vec_integer_double(VecD lower, VecD upper)
{
    return (Vec)vmovn_high_s64(vmovn_s64(vcvtq_s64_f64(lower)), vcvtq_s64_f64(upper));
}

static inline VecD vec_set_double(double x)
{
    return vdupq_n_f64(x);
}

static inline VecD vec_add_double(VecD a, VecD b)
{
    return vaddq_f64(a, b);
}

static inline VecD vec_sub_double(VecD a, VecD b)
{
    return vsubq_f64(a, b);
}

static inline VecD vec_mul_double(VecD a, VecD b)
{
    return vmulq_f64(a, b);
}

static inline VecD vec_div_double(VecD a, VecD b)
{
    return vdivq_f64(a, b);
}

static inline VecD vec_min_double(VecD a, VecD b)
{
    return vminq_f64(a, b);
}

#endif
