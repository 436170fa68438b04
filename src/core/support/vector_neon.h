/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_SUPPORT_VECTOR_NEON_H
#define CORE_SUPPORT_VECTOR_NEON_H

/*
 * Vectors of 128 bits, for 64-bit Arm. support/vector.h says what operations mean.
 *
 * Numbers that may wrap are added as unsigned ones: compilers write the intrinsics for signed ones
 * as additions in C.
 */

#include <arm_neon.h>
#include <stdbool.h>
#include <stdint.h>

typedef uint8x16_t Vec;
typedef float32x4_t VecF; /* binary32 */
typedef float64x2_t VecD; /* binary64 */

enum { VEC_BYTES = 16, VEC_16 = VEC_BYTES / 2, VEC_32 = VEC_BYTES / 4 }; /* elements */

/* -- memory -- */

static inline Vec vec_load(const void *from)
{
    return vld1q_u8(from);
}

static inline void vec_store(void *to, Vec v)
{
    vst1q_u8(to, v);
}

static inline Vec vec_load_u8(const void *from)
{
    return (Vec)vmovl_u8(vld1_u8(from));
}

static inline Vec vec_gather_32(const uint32_t *table, Vec index)
{
    const uint32x4_t i = (uint32x4_t)index;
    const uint32_t found[VEC_32] = {table[i[0]], table[i[1]], table[i[2]], table[i[3]]};
    return vec_load(found);
}

/* -- constants -- */

static inline Vec vec_zero(void)
{
    return vdupq_n_u8(0);
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
    return (Vec)(uint32x4_t){0, 1, 2, 3};
}

/* -- bits -- */

static inline Vec vec_and(Vec a, Vec b)
{
    return vandq_u8(a, b);
}

static inline Vec vec_or(Vec a, Vec b)
{
    return vorrq_u8(a, b);
}

static inline Vec vec_xor(Vec a, Vec b)
{
    return veorq_u8(a, b);
}

static inline Vec vec_and_not(Vec a, Vec b)
{
    return vbicq_u8(a, b);
}

static inline bool vec_is_zero(Vec v)
{
    return vmaxvq_u32((uint32x4_t)v) == 0;
}

static inline Vec vec_select(Vec mask, Vec yes, Vec no)
{
    return vbslq_u8(mask, yes, no);
}

static inline Vec vec_blend_16(Vec even, Vec odd)
{
    return vbslq_u8(vec_set_32(0xffff), even, odd);
}

static inline Vec vec_blend_32(Vec even, Vec odd)
{
    return vbslq_u8(vec_set_64(UINT32_MAX), even, odd);
}

static inline Vec vec_blend_odd_32(Vec a, Vec b)
{
    return (Vec)vtrn2q_u32((uint32x4_t)a, (uint32x4_t)b);
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
    return (Vec)vaddq_u32((uint32x4_t)sum, (uint32x4_t)vec_multiply_add(a, b));
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
    return (Vec)vaddq_u32((uint32x4_t)a, (uint32x4_t)b);
}

static inline Vec vec_sub_32(Vec a, Vec b)
{
    return (Vec)vsubq_u32((uint32x4_t)a, (uint32x4_t)b);
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
    return (Vec)vminq_u32((uint32x4_t)a, (uint32x4_t)b);
}

static inline Vec vec_mul_low_32(Vec a, Vec b)
{
    return (Vec)vmulq_u32((uint32x4_t)a, (uint32x4_t)b);
}

static inline Vec vec_greater_32s(Vec a, Vec b)
{
    return (Vec)vcgtq_s32((int32x4_t)a, (int32x4_t)b);
}

static inline Vec vec_keep_greater_32s(Vec v, Vec a, Vec b)
{
    return vandq_u8(v, vec_greater_32s(a, b));
}

static inline Vec vec_add_greater_32s(Vec sum, Vec v, Vec a, Vec b)
{
    return vec_add_32(sum, vec_keep_greater_32s(v, a, b));
}

#define vec_shift_left_32(v, bits)   ((Vec)vshlq_n_u32((uint32x4_t)(v), bits))
#define vec_shift_right_32u(v, bits) ((Vec)vshrq_n_u32((uint32x4_t)(v), bits))
#define vec_shift_right_32s(v, bits) ((Vec)vshrq_n_s32((int32x4_t)(v), bits))

/* Shifts to the right are negative ones to the left. */
static inline Vec vec_shift_left_all_32(Vec v, int bits)
{
    return (Vec)vshlq_u32((uint32x4_t)v, vdupq_n_s32(bits));
}

static inline Vec vec_shift_right_all_32u(Vec v, int bits)
{
    return (Vec)vshlq_u32((uint32x4_t)v, vdupq_n_s32(-bits));
}

static inline Vec vec_shift_right_all_32s(Vec v, int bits)
{
    return (Vec)vshlq_s32((int32x4_t)v, vdupq_n_s32(-bits));
}

static inline Vec vec_shift_left_each_32(Vec v, Vec bits)
{
    return (Vec)vshlq_u32((uint32x4_t)v, (int32x4_t)bits);
}

static inline Vec vec_shift_right_each_32u(Vec v, Vec bits)
{
    return (Vec)vshlq_u32((uint32x4_t)v, vnegq_s32((int32x4_t)bits));
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
    return vaddlvq_u32((uint32x4_t)v);
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
    return (Vec)vcgeq_f32(a, b);
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
