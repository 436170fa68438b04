/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_CUDA_PTX_OPS_H
#define TESTS_EMULATION_CUDA_PTX_OPS_H

#include <math.h>
#include <stdint.h>
#include <string.h>

/*
 * The instructions that compute a register from registers: X(id, name, sources, D, A, B, C, value).
 * The value is an expression of the sources a, b, c, which are words of the types A, B, C; it is
 * stored in one of type D. Registers of 64 bits are PtxWide, all others PtxWord: what reads one
 * takes as many bits as its type has, so that the rest does not matter.
 */
typedef uint32_t PtxWord;
typedef uint64_t PtxWide;
__extension__ typedef __int128 PtxS128;
__extension__ typedef unsigned __int128 PtxU128;

/* M(X, type, C type, the unsigned one, one twice as wide, bits, register) */
#define PTX_UNSIGNED(M, X)                                                                         \
    M(X, u16, uint16_t, uint16_t, uint32_t, 16, PtxWord)                                           \
    M(X, u32, uint32_t, uint32_t, uint64_t, 32, PtxWord)                                           \
    M(X, u64, uint64_t, uint64_t, PtxU128, 64, PtxWide)
#define PTX_SIGNED(M, X)                                                                           \
    M(X, s16, int16_t, uint16_t, int32_t, 16, PtxWord)                                             \
    M(X, s32, int32_t, uint32_t, int64_t, 32, PtxWord)                                             \
    M(X, s64, int64_t, uint64_t, PtxS128, 64, PtxWide)
#define PTX_BITS(M, X)                                                                             \
    M(X, b16, uint16_t, uint16_t, uint32_t, 16, PtxWord)                                           \
    M(X, b32, uint32_t, uint32_t, uint64_t, 32, PtxWord)                                           \
    M(X, b64, uint64_t, uint64_t, PtxU128, 64, PtxWide)

#define PTX_ARITHMETIC(X, t, T, U, W, bits, R)                                                     \
    X(add_##t, "add." #t, 2, R, R, R, R, (U)(a + b))                                               \
    X(sub_##t, "sub." #t, 2, R, R, R, R, (U)(a - b))                                               \
    X(mul_lo_##t, "mul.lo." #t, 2, R, R, R, R, (U)(a * b))                                         \
    X(mul_hi_##t, "mul.hi." #t, 2, R, R, R, R, (U)(((W)(T)a * (W)(T)b) >> bits))                   \
    X(mad_lo_##t, "mad.lo." #t, 3, R, R, R, R, (U)(a * b + c))                                     \
    X(mad_hi_##t, "mad.hi." #t, 3, R, R, R, R, (U)((R)(((W)(T)a * (W)(T)b) >> bits) + c))          \
    X(min_##t, "min." #t, 2, R, R, R, R, (U)((T)a < (T)b ? a : b))                                 \
    X(max_##t, "max." #t, 2, R, R, R, R, (U)((T)a > (T)b ? a : b))                                 \
    X(setp_lt_##t, "setp.lt." #t, 2, PtxWord, R, R, R, (T)a < (T)b)                                \
    X(setp_le_##t, "setp.le." #t, 2, PtxWord, R, R, R, (T)a <= (T)b)                               \
    X(setp_gt_##t, "setp.gt." #t, 2, PtxWord, R, R, R, (T)a > (T)b)                                \
    X(setp_ge_##t, "setp.ge." #t, 2, PtxWord, R, R, R, (T)a >= (T)b)

/* The carry of a sum, and what is borrowed by a difference; c is what came in. */
#define PTX_CARRY(X, t, T, U, W, bits, R)                                                          \
    X(addc_##t, "addc." #t, 3, R, R, R, PtxWord, (U)(a + b + c))                                   \
    X(subc_##t, "subc." #t, 3, R, R, R, PtxWord, (U)(a - b - c))                                   \
    X(carry_##t, "(carry)." #t, 3, PtxWord, R, R, PtxWord, (W)(U)a + (U)b + c > (W)(U) ~(U)0)      \
    X(borrow_##t, "(borrow)." #t, 3, PtxWord, R, R, PtxWord, (W)(U)a < (W)(U)b + c)

#define PTX_SIGNED_ONLY(X, t, T, U, W, bits, R)                                                    \
    X(neg_##t, "neg." #t, 1, R, R, R, R, (U)(0 - a))                                               \
    X(abs_##t, "abs." #t, 1, R, R, R, R, (U)((T)a < 0 ? 0 - a : a))                                \
    X(shr_##t, "shr." #t, 2, R, R, PtxWord, R, (U)((T)a >> (b >= bits ? bits - 1 : b)))

#define PTX_SHIFT_RIGHT(X, t, T, U, W, bits, R)                                                    \
    X(shr_##t, "shr." #t, 2, R, R, PtxWord, R, b >= bits ? 0 : (U)((U)a >> (b & (bits - 1))))

#define PTX_SHIFT_LEFT(X, t, T, U, W, bits, R)                                                     \
    X(shl_##t, "shl." #t, 2, R, R, PtxWord, R, b >= bits ? 0 : (U)((R)a << (b & (bits - 1))))

#define PTX_LOGIC(X, t, T, U, W, bits, R)                                                          \
    X(and_##t, "and." #t, 2, R, R, R, R, (U)(a & b))                                               \
    X(or_##t, "or." #t, 2, R, R, R, R, (U)(a | b))                                                 \
    X(xor_##t, "xor." #t, 2, R, R, R, R, (U)(a ^ b))                                               \
    X(not_##t, "not." #t, 1, R, R, R, R, (U)~a)

#define PTX_ANY(X, t, T, U, W, bits, R)                                                            \
    X(mov_##t, "mov." #t, 1, R, R, R, R, (U)a)                                                     \
    X(selp_##t, "selp." #t, 3, R, R, R, PtxWord, c ? (U)a : (U)b)                                  \
    X(setp_eq_##t, "setp.eq." #t, 2, PtxWord, R, R, R, (U)a == (U)b)                               \
    X(setp_ne_##t, "setp.ne." #t, 2, PtxWord, R, R, R, (U)a != (U)b)

#define PTX_WIDE(X, t, T, W, UW, R)                                                                \
    X(mul_wide_##t, "mul.wide." #t, 2, R, PtxWord, PtxWord, R, (UW)((W)(T)a * (W)(T)b))            \
    X(mad_wide_##t, "mad.wide." #t, 3, R, PtxWord, PtxWord, R, (UW)((UW)((W)(T)a * (W)(T)b) + c))

/* To the type D from each other: what is narrower than its register is extended. */
#define PTX_CVT(X, d, D, R)                                                                        \
    X(cvt_##d##_u8, "cvt." #d ".u8", 1, R, PtxWord, R, R, (R)(D)(uint8_t)a)                        \
    X(cvt_##d##_s8, "cvt." #d ".s8", 1, R, PtxWord, R, R, (R)(D)(int8_t)a)                         \
    X(cvt_##d##_u16, "cvt." #d ".u16", 1, R, PtxWord, R, R, (R)(D)(uint16_t)a)                     \
    X(cvt_##d##_s16, "cvt." #d ".s16", 1, R, PtxWord, R, R, (R)(D)(int16_t)a)                      \
    X(cvt_##d##_u32, "cvt." #d ".u32", 1, R, PtxWord, R, R, (R)(D)(uint32_t)a)                     \
    X(cvt_##d##_s32, "cvt." #d ".s32", 1, R, PtxWord, R, R, (R)(D)(int32_t)a)                      \
    X(cvt_##d##_u64, "cvt." #d ".u64", 1, R, PtxWide, R, R, (R)(D)a)                               \
    X(cvt_##d##_s64, "cvt." #d ".s64", 1, R, PtxWide, R, R, (R)(D)(int64_t)a)

/*
 * Single precision: each operation is rounded to the nearest, ties to even, and denormals are kept,
 * which is what the host's operations do too.
 */
#define PTX_FLOAT_BINARY(X, id, name, value)                                                       \
    X(id, name, 2, PtxWord, PtxWord, PtxWord, PtxWord, value)
#define PTX_FLOAT_UNARY(X, id, name, value)                                                        \
    X(id, name, 1, PtxWord, PtxWord, PtxWord, PtxWord, value)
#define PTX_FLOAT_COMPARE(X, c, operation)                                                         \
    PTX_FLOAT_BINARY(X, setp_##c##_f32, "setp." #c ".f32", ptx_float(a) operation ptx_float(b))    \
    PTX_FLOAT_BINARY(X, setp_##c##u_f32, "setp." #c "u.f32",                                       \
                     ptx_float(a) operation ptx_float(b) || ptx_is_nan(a) || ptx_is_nan(b))
#define PTX_FLOAT_TO(X, t, T, R, low, high)                                                        \
    X(cvt_rzi_##t, "cvt.rzi." #t ".f32", 1, R, PtxWord, R, R,                                      \
      (R)ptx_to_##T(truncf(ptx_float(a)), low, high))                                              \
    X(cvt_rni_##t, "cvt.rni." #t ".f32", 1, R, PtxWord, R, R,                                      \
      (R)ptx_to_##T(rintf(ptx_float(a)), low, high))                                               \
    X(cvt_rmi_##t, "cvt.rmi." #t ".f32", 1, R, PtxWord, R, R,                                      \
      (R)ptx_to_##T(floorf(ptx_float(a)), low, high))                                              \
    X(cvt_rpi_##t, "cvt.rpi." #t ".f32", 1, R, PtxWord, R, R,                                      \
      (R)ptx_to_##T(ceilf(ptx_float(a)), low, high))
#define PTX_FLOATS(X)                                                                              \
    PTX_FLOAT_BINARY(X, add_f32, "add.f32", ptx_bits(ptx_float(a) + ptx_float(b)))                 \
    PTX_FLOAT_BINARY(X, add_rn_f32, "add.rn.f32", ptx_bits(ptx_float(a) + ptx_float(b)))           \
    PTX_FLOAT_BINARY(X, sub_f32, "sub.f32", ptx_bits(ptx_float(a) - ptx_float(b)))                 \
    PTX_FLOAT_BINARY(X, sub_rn_f32, "sub.rn.f32", ptx_bits(ptx_float(a) - ptx_float(b)))           \
    PTX_FLOAT_BINARY(X, mul_f32, "mul.f32", ptx_bits(ptx_float(a) * ptx_float(b)))                 \
    PTX_FLOAT_BINARY(X, mul_rn_f32, "mul.rn.f32", ptx_bits(ptx_float(a) * ptx_float(b)))           \
    PTX_FLOAT_BINARY(X, div_rn_f32, "div.rn.f32", ptx_bits(ptx_float(a) / ptx_float(b)))           \
    PTX_FLOAT_BINARY(X, min_f32, "min.f32", ptx_min(a, b))                                         \
    PTX_FLOAT_BINARY(X, max_f32, "max.f32", ptx_max(a, b))                                         \
    PTX_FLOAT_BINARY(X, setp_num_f32, "setp.num.f32", !ptx_is_nan(a) && !ptx_is_nan(b))            \
    PTX_FLOAT_BINARY(X, setp_nan_f32, "setp.nan.f32", ptx_is_nan(a) || ptx_is_nan(b))              \
    PTX_FLOAT_BINARY(X, setp_ne_f32, "setp.ne.f32",                                                \
                     ptx_float(a) != ptx_float(b) && !ptx_is_nan(a) && !ptx_is_nan(b))             \
    PTX_FLOAT_BINARY(X, setp_neu_f32, "setp.neu.f32", ptx_float(a) != ptx_float(b))                \
    PTX_FLOAT_COMPARE(X, eq, ==)                                                                   \
    PTX_FLOAT_COMPARE(X, lt, <)                                                                    \
    PTX_FLOAT_COMPARE(X, le, <=)                                                                   \
    PTX_FLOAT_COMPARE(X, gt, >)                                                                    \
    PTX_FLOAT_COMPARE(X, ge, >=)                                                                   \
    PTX_FLOAT_UNARY(X, mov_f32, "mov.f32", a)                                                      \
    PTX_FLOAT_UNARY(X, neg_f32, "neg.f32", a ^ 0x80000000u)                                        \
    PTX_FLOAT_UNARY(X, abs_f32, "abs.f32", a & 0x7fffffffu)                                        \
    PTX_FLOAT_UNARY(X, sqrt_rn_f32, "sqrt.rn.f32", ptx_bits(sqrtf(ptx_float(a))))                  \
    PTX_FLOAT_UNARY(X, rcp_rn_f32, "rcp.rn.f32", ptx_bits(1.0f / ptx_float(a)))                    \
    X(fma_rn_f32, "fma.rn.f32", 3, PtxWord, PtxWord, PtxWord, PtxWord,                             \
      ptx_bits(fmaf(ptx_float(a), ptx_float(b), ptx_float(c))))                                    \
    X(selp_f32, "selp.f32", 3, PtxWord, PtxWord, PtxWord, PtxWord, c ? a : b)                      \
    PTX_FLOAT_UNARY(X, cvt_rn_f32_u32, "cvt.rn.f32.u32", ptx_bits((float)a))                       \
    PTX_FLOAT_UNARY(X, cvt_rn_f32_s32, "cvt.rn.f32.s32", ptx_bits((float)(int32_t)a))              \
    PTX_FLOAT_UNARY(X, cvt_rn_f32_u16, "cvt.rn.f32.u16", ptx_bits((float)(uint16_t)a))             \
    PTX_FLOAT_UNARY(X, cvt_rn_f32_s16, "cvt.rn.f32.s16", ptx_bits((float)(int16_t)a))              \
    PTX_FLOAT_UNARY(X, cvt_rn_f32_u8, "cvt.rn.f32.u8", ptx_bits((float)(uint8_t)a))                \
    X(cvt_rn_f32_u64, "cvt.rn.f32.u64", 1, PtxWord, PtxWide, PtxWord, PtxWord, ptx_bits((float)a)) \
    X(cvt_rn_f32_s64, "cvt.rn.f32.s64", 1, PtxWord, PtxWide, PtxWord, PtxWord,                     \
      ptx_bits((float)(int64_t)a))                                                                 \
    PTX_FLOAT_TO(X, s32, int64_t, PtxWord, INT32_MIN, INT32_MAX)                                   \
    PTX_FLOAT_TO(X, u32, int64_t, PtxWord, 0, UINT32_MAX)                                          \
    PTX_FLOAT_TO(X, s64, int64_t, PtxWide, INT64_MIN, INT64_MAX)                                   \
    PTX_FLOAT_TO(X, u64, uint64_t, PtxWide, 0, UINT64_MAX)

#define PTX_WORDS1(X, id, name, value) X(id, name, 1, PtxWord, PtxWord, PtxWord, PtxWord, value)
#define PTX_WORDS2(X, id, name, value) X(id, name, 2, PtxWord, PtxWord, PtxWord, PtxWord, value)
#define PTX_WORDS3(X, id, name, value) X(id, name, 3, PtxWord, PtxWord, PtxWord, PtxWord, value)
#define PTX_WIDE1(X, id, name, value)  X(id, name, 1, PtxWide, PtxWide, PtxWide, PtxWide, value)

#define PTX_SINGLE(X)                                                                              \
    PTX_WORDS2(X, and_pred, "and.pred", a &b)                                                      \
    PTX_WORDS2(X, or_pred, "or.pred", a | b)                                                       \
    PTX_WORDS2(X, xor_pred, "xor.pred", a ^ b)                                                     \
    PTX_WORDS1(X, not_pred, "not.pred", !a)                                                        \
    PTX_WORDS1(X, mov_pred, "mov.pred", a != 0)                                                    \
    PTX_WORDS1(X, clz_b32, "clz.b32", a ? (unsigned)__builtin_clz(a) : 32u)                        \
    X(clz_b64, "clz.b64", 1, PtxWord, PtxWide, PtxWord, PtxWord,                                   \
      a ? (unsigned)__builtin_clzll(a) : 64u)                                                      \
    PTX_WORDS1(X, popc_b32, "popc.b32", (unsigned)__builtin_popcount(a))                           \
    X(popc_b64, "popc.b64", 1, PtxWord, PtxWide, PtxWord, PtxWord,                                 \
      (unsigned)__builtin_popcountll(a))                                                           \
    PTX_WORDS3(X, bfe_u32, "bfe.u32", (uint32_t)ptx_extract(a, (uint8_t)b, (uint8_t)c))            \
    PTX_WORDS3(X, bfe_s32, "bfe.s32",                                                              \
               (uint32_t)ptx_extract_signed((int32_t)a, (uint8_t)b, (uint8_t)c, 32))               \
    X(bfe_u64, "bfe.u64", 3, PtxWide, PtxWide, PtxWord, PtxWord,                                   \
      ptx_extract(a, (uint8_t)b, (uint8_t)c))                                                      \
    X(bfe_s64, "bfe.s64", 3, PtxWide, PtxWide, PtxWord, PtxWord,                                   \
      (uint64_t)ptx_extract_signed((int64_t)a, (uint8_t)b, (uint8_t)c, 64))                        \
    PTX_WORDS3(X, prmt_b32, "prmt.b32", ptx_permute(a, b, c))                                      \
    PTX_WORDS3(X, shf_l_wrap, "shf.l.wrap.b32", ptx_funnel_left(a, b, c & 31))                     \
    PTX_WORDS3(X, shf_l_clamp, "shf.l.clamp.b32", ptx_funnel_left(a, b, c > 32 ? 32 : c))          \
    PTX_WORDS3(X, shf_r_wrap, "shf.r.wrap.b32", ptx_funnel_right(a, b, c & 31))                    \
    PTX_WORDS3(X, shf_r_clamp, "shf.r.clamp.b32", ptx_funnel_right(a, b, c > 32 ? 32 : c))         \
    PTX_WORDS3(X, dp2a_lo_u32_u32, "dp2a.lo.u32.u32",                                              \
               c + (a & 0xffff) * (b & 255) + (a >> 16) * (b >> 8 & 255))                          \
    PTX_WORDS2(X, pack_b32, "(pack).b32", (uint16_t)a | b << 16)                                   \
    X(pack_b64, "(pack).b64", 2, PtxWide, PtxWord, PtxWord, PtxWord, a | (uint64_t)b << 32)        \
    PTX_WIDE1(X, cvta_to_global, "cvta.to.global.u64", a)

#define PTX_VALUES(X)                                                                              \
    PTX_UNSIGNED(PTX_ARITHMETIC, X)                                                                \
    PTX_SIGNED(PTX_ARITHMETIC, X)                                                                  \
    PTX_UNSIGNED(PTX_CARRY, X)                                                                     \
    PTX_SIGNED(PTX_SIGNED_ONLY, X)                                                                 \
    PTX_UNSIGNED(PTX_SHIFT_RIGHT, X)                                                               \
    PTX_BITS(PTX_SHIFT_RIGHT, X)                                                                   \
    PTX_BITS(PTX_SHIFT_LEFT, X)                                                                    \
    PTX_BITS(PTX_LOGIC, X)                                                                         \
    PTX_UNSIGNED(PTX_ANY, X)                                                                       \
    PTX_SIGNED(PTX_ANY, X)                                                                         \
    PTX_BITS(PTX_ANY, X)                                                                           \
    PTX_WIDE(X, u16, uint16_t, uint32_t, uint32_t, PtxWord)                                        \
    PTX_WIDE(X, s16, int16_t, int32_t, uint32_t, PtxWord)                                          \
    PTX_WIDE(X, u32, uint32_t, uint64_t, uint64_t, PtxWide)                                        \
    PTX_WIDE(X, s32, int32_t, int64_t, uint64_t, PtxWide)                                          \
    PTX_CVT(X, u8, uint8_t, PtxWord)                                                               \
    PTX_CVT(X, s8, int8_t, PtxWord)                                                                \
    PTX_CVT(X, u16, uint16_t, PtxWord)                                                             \
    PTX_CVT(X, s16, int16_t, PtxWord)                                                              \
    PTX_CVT(X, u32, uint32_t, PtxWord)                                                             \
    PTX_CVT(X, s32, int32_t, PtxWord)                                                              \
    PTX_CVT(X, u64, uint64_t, PtxWide)                                                             \
    PTX_CVT(X, s64, int64_t, PtxWide)                                                              \
    PTX_FLOATS(X)                                                                                  \
    PTX_SINGLE(X)

/* Quotients and remainders: X(id, name, register, type, value), and b is not 0. */
#define PTX_DIVIDE(X, t, T, U, W, bits, R)                                                         \
    X(div_##t, "div." #t, R, T, (U)((W)(T)a / (W)(T)b))                                            \
    X(rem_##t, "rem." #t, R, T, (U)((W)(T)a % (W)(T)b))
#define PTX_DIVISIONS(X) PTX_UNSIGNED(PTX_DIVIDE, X) PTX_SIGNED(PTX_DIVIDE, X)

/* Of four sources, a, b, c, d. */
#define PTX_FOURS(X)                                                                               \
    X(bfi_b32, "bfi.b32", PtxWord, (uint32_t)ptx_insert(a, b, (uint8_t)c, (uint8_t)d, 32))         \
    X(bfi_b64, "bfi.b64", PtxWide, ptx_insert(a, b, (uint8_t)c, (uint8_t)d, 64))                   \
    X(lop3_b32, "lop3.b32", PtxWord, ptx_logic(a, b, (uint32_t)c, d))

static inline float ptx_float(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

static inline uint32_t ptx_is_nan(uint32_t bits)
{
    return (bits & 0x7fffffffu) > 0x7f800000u;
}

/* NaN has one form, as results of GPUs do. */
static inline uint32_t ptx_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return ptx_is_nan(bits) ? 0x7fffffffu : bits;
}

/* The other one if one is no number; -0 is below 0. */
static inline uint32_t ptx_min(uint32_t a, uint32_t b)
{
    const uint32_t less = ptx_float(a) == ptx_float(b)  ? a | b
                          : ptx_float(a) < ptx_float(b) ? a
                                                        : b;
    return ptx_is_nan(a) ? (ptx_is_nan(b) ? 0x7fffffffu : b) : ptx_is_nan(b) ? a : less;
}

static inline uint32_t ptx_max(uint32_t a, uint32_t b)
{
    const uint32_t more = ptx_float(a) == ptx_float(b)  ? a & b
                          : ptx_float(a) > ptx_float(b) ? a
                                                        : b;
    return ptx_is_nan(a) ? (ptx_is_nan(b) ? 0x7fffffffu : b) : ptx_is_nan(b) ? a : more;
}

/* Within the bounds of the type; 0 for what is no number. */
static inline int64_t ptx_to_int64_t(float value, int64_t low, int64_t high)
{
    return !(value == value)      ? 0
           : value <= (float)low  ? low
           : value >= (float)high ? high
                                  : (int64_t)value;
}

static inline uint64_t ptx_to_uint64_t(float value, uint64_t low, uint64_t high)
{
    return !(value > 0) ? low : value >= (float)high ? high : (uint64_t)value;
}

/* `length` bits from bit `at` on. */
static inline uint64_t ptx_extract(uint64_t value, unsigned at, unsigned length)
{
    const uint64_t shifted = at >= 64 ? 0 : value >> at;
    return length >= 64 ? shifted : shifted & ((UINT64_C(1) << length) - 1);
}

/* ... with their sign; behind the last bit come more of it. */
static inline int64_t ptx_extract_signed(int64_t value, unsigned at, unsigned length, unsigned bits)
{
    const int64_t shifted = value >> (at >= bits ? bits - 1 : at);
    if (length == 0)
        return 0;
    return length >= 64 ? shifted : (int64_t)((uint64_t)shifted << (64 - length)) >> (64 - length);
}

/* b with `length` bits of a from bit `at` on. */
static inline uint64_t ptx_insert(uint64_t a, uint64_t b, unsigned at, unsigned length,
                                  unsigned bits)
{
    if (at >= bits || length == 0)
        return b;
    const uint64_t mask = (length >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << length) - 1) << at;
    return (b & ~mask) | ((a << at) & mask);
}

/* Four bytes of eight; with bit 3 of the choice, eight times the sign of that byte. */
static inline uint32_t ptx_permute(uint32_t a, uint32_t b, uint32_t choice)
{
    const uint64_t bytes = (uint64_t)b << 32 | a;
    uint32_t result = 0;
    for (unsigned i = 0; i < 4; i++) {
        const unsigned which = choice >> (4 * i) & 15;
        uint32_t byte = bytes >> (8 * (which & 7)) & 255;
        if (which & 8)
            byte = byte & 128 ? 255 : 0;
        result |= byte << (8 * i);
    }
    return result;
}

/* Shifts of 64 bits, of which b are the upper ones. */
static inline uint32_t ptx_funnel_left(uint32_t a, uint32_t b, unsigned by)
{
    return by >= 32 ? a : (uint32_t)(((uint64_t)b << 32 | a) << by >> 32);
}

static inline uint32_t ptx_funnel_right(uint32_t a, uint32_t b, unsigned by)
{
    return by >= 32 ? b : (uint32_t)(((uint64_t)b << 32 | a) >> by);
}

/* The truth table d for each bit. */
static inline uint32_t ptx_logic(uint32_t a, uint32_t b, uint32_t c, uint32_t table)
{
    uint32_t result = 0;
    for (unsigned i = 0; i < 8; i++) {
        if (table >> i & 1)
            result |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
    }
    return result;
}

#endif
