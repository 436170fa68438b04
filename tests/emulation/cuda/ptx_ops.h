/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_CUDA_PTX_OPS_H
#define TESTS_EMULATION_CUDA_PTX_OPS_H

#include <stdint.h>

/*
 * The instructions that compute a register from registers: X(id, name, sources, value), where the
 * value is an expression of the sources a, b, c as 64 bits. A register holds 64 bits too; what
 * reads it takes as many as its type has, so that the rest does not matter.
 */
__extension__ typedef __int128 PtxS128;
__extension__ typedef unsigned __int128 PtxU128;

/* M(X, type, C type, the unsigned one, one twice as wide, bits) */
#define PTX_UNSIGNED(M, X)                                                                         \
    M(X, u16, uint16_t, uint16_t, uint32_t, 16)                                                    \
    M(X, u32, uint32_t, uint32_t, uint64_t, 32)                                                    \
    M(X, u64, uint64_t, uint64_t, PtxU128, 64)
#define PTX_SIGNED(M, X)                                                                           \
    M(X, s16, int16_t, uint16_t, int32_t, 16)                                                      \
    M(X, s32, int32_t, uint32_t, int64_t, 32)                                                      \
    M(X, s64, int64_t, uint64_t, PtxS128, 64)
#define PTX_BITS(M, X)                                                                             \
    M(X, b16, uint16_t, uint16_t, uint32_t, 16)                                                    \
    M(X, b32, uint32_t, uint32_t, uint64_t, 32)                                                    \
    M(X, b64, uint64_t, uint64_t, PtxU128, 64)

#define PTX_ARITHMETIC(X, t, T, U, W, bits)                                                        \
    X(add_##t, "add." #t, 2, (U)(a + b))                                                           \
    X(sub_##t, "sub." #t, 2, (U)(a - b))                                                           \
    X(mul_lo_##t, "mul.lo." #t, 2, (U)(a * b))                                                     \
    X(mul_hi_##t, "mul.hi." #t, 2, (U)(((W)(T)a * (W)(T)b) >> bits))                               \
    X(mad_lo_##t, "mad.lo." #t, 3, (U)(a * b + c))                                                 \
    X(mad_hi_##t, "mad.hi." #t, 3, (U)((uint64_t)(((W)(T)a * (W)(T)b) >> bits) + c))               \
    X(min_##t, "min." #t, 2, (U)((T)a < (T)b ? a : b))                                             \
    X(max_##t, "max." #t, 2, (U)((T)a > (T)b ? a : b))                                             \
    X(setp_lt_##t, "setp.lt." #t, 2, (T)a < (T)b)                                                  \
    X(setp_le_##t, "setp.le." #t, 2, (T)a <= (T)b)                                                 \
    X(setp_gt_##t, "setp.gt." #t, 2, (T)a > (T)b)                                                  \
    X(setp_ge_##t, "setp.ge." #t, 2, (T)a >= (T)b)

#define PTX_SIGNED_ONLY(X, t, T, U, W, bits)                                                       \
    X(neg_##t, "neg." #t, 1, (U)(0 - a))                                                           \
    X(abs_##t, "abs." #t, 1, (U)((T)a < 0 ? 0 - a : a))                                            \
    X(shr_##t, "shr." #t, 2, (U)((T)a >> ((uint32_t)b >= bits ? bits - 1 : (uint32_t)b)))

#define PTX_SHIFT_RIGHT(X, t, T, U, W, bits)                                                       \
    X(shr_##t, "shr." #t, 2, (uint32_t)b >= bits ? 0 : (U)a >> (uint32_t)b)

#define PTX_SHIFT_LEFT(X, t, T, U, W, bits)                                                        \
    X(shl_##t, "shl." #t, 2, (uint32_t)b >= bits ? 0 : (U)((uint64_t)(U)a << (uint32_t)b))

#define PTX_LOGIC(X, t, T, U, W, bits)                                                             \
    X(and_##t, "and." #t, 2, (U)(a & b))                                                           \
    X(or_##t, "or." #t, 2, (U)(a | b))                                                             \
    X(xor_##t, "xor." #t, 2, (U)(a ^ b))                                                           \
    X(not_##t, "not." #t, 1, (U)~a)

#define PTX_ANY(X, t, T, U, W, bits)                                                               \
    X(mov_##t, "mov." #t, 1, (U)a)                                                                 \
    X(selp_##t, "selp." #t, 3, c ? (U)a : (U)b)                                                    \
    X(setp_eq_##t, "setp.eq." #t, 2, (U)a == (U)b)                                                 \
    X(setp_ne_##t, "setp.ne." #t, 2, (U)a != (U)b)

#define PTX_WIDE(X, t, T, W, UW)                                                                   \
    X(mul_wide_##t, "mul.wide." #t, 2, (UW)((W)(T)a * (W)(T)b))                                    \
    X(mad_wide_##t, "mad.wide." #t, 3, (UW)((uint64_t)((W)(T)a * (W)(T)b) + c))

/* To the type D from each other: what is narrower than its register is extended. */
#define PTX_CVT(X, d, D)                                                                           \
    X(cvt_##d##_u8, "cvt." #d ".u8", 1, (uint64_t)(D)(uint8_t)a)                                   \
    X(cvt_##d##_s8, "cvt." #d ".s8", 1, (uint64_t)(D)(int8_t)a)                                    \
    X(cvt_##d##_u16, "cvt." #d ".u16", 1, (uint64_t)(D)(uint16_t)a)                                \
    X(cvt_##d##_s16, "cvt." #d ".s16", 1, (uint64_t)(D)(int16_t)a)                                 \
    X(cvt_##d##_u32, "cvt." #d ".u32", 1, (uint64_t)(D)(uint32_t)a)                                \
    X(cvt_##d##_s32, "cvt." #d ".s32", 1, (uint64_t)(D)(int32_t)a)                                 \
    X(cvt_##d##_u64, "cvt." #d ".u64", 1, (uint64_t)(D)a)                                          \
    X(cvt_##d##_s64, "cvt." #d ".s64", 1, (uint64_t)(D)(int64_t)a)

/* Addresses of group and lane memory are small numbers; as generic addresses they have a bit set,
 * which no address of the process has. */
#define PTX_GENERIC_SHARED (UINT64_C(1) << 60)
#define PTX_GENERIC_LOCAL  (UINT64_C(1) << 61)

#define PTX_SINGLE(X)                                                                              \
    X(and_pred, "and.pred", 2, a &b)                                                               \
    X(or_pred, "or.pred", 2, a | b)                                                                \
    X(xor_pred, "xor.pred", 2, a ^ b)                                                              \
    X(not_pred, "not.pred", 1, !a)                                                                 \
    X(mov_pred, "mov.pred", 1, a != 0)                                                             \
    X(clz_b32, "clz.b32", 1, (uint32_t)a ? (unsigned)__builtin_clz((uint32_t)a) : 32u)             \
    X(clz_b64, "clz.b64", 1, a ? (unsigned)__builtin_clzll(a) : 64u)                               \
    X(popc_b32, "popc.b32", 1, (unsigned)__builtin_popcount((uint32_t)a))                          \
    X(popc_b64, "popc.b64", 1, (unsigned)__builtin_popcountll(a))                                  \
    X(bfe_u32, "bfe.u32", 3, ptx_extract((uint32_t)a, (uint8_t)b, (uint8_t)c))                     \
    X(bfe_u64, "bfe.u64", 3, ptx_extract(a, (uint8_t)b, (uint8_t)c))                               \
    X(cvta_to_global, "cvta.to.global.u64", 1, a)                                                  \
    X(cvta_to_shared, "cvta.to.shared.u64", 1, a & ~PTX_GENERIC_SHARED)                            \
    X(cvta_to_local, "cvta.to.local.u64", 1, a & ~PTX_GENERIC_LOCAL)                               \
    X(cvta_global, "cvta.global.u64", 1, a)                                                        \
    X(cvta_shared, "cvta.shared.u64", 1, a | PTX_GENERIC_SHARED)                                   \
    X(cvta_local, "cvta.local.u64", 1, a | PTX_GENERIC_LOCAL)

#define PTX_VALUES(X)                                                                              \
    PTX_UNSIGNED(PTX_ARITHMETIC, X)                                                                \
    PTX_SIGNED(PTX_ARITHMETIC, X)                                                                  \
    PTX_SIGNED(PTX_SIGNED_ONLY, X)                                                                 \
    PTX_UNSIGNED(PTX_SHIFT_RIGHT, X)                                                               \
    PTX_BITS(PTX_SHIFT_RIGHT, X)                                                                   \
    PTX_BITS(PTX_SHIFT_LEFT, X)                                                                    \
    PTX_BITS(PTX_LOGIC, X)                                                                         \
    PTX_UNSIGNED(PTX_ANY, X)                                                                       \
    PTX_SIGNED(PTX_ANY, X)                                                                         \
    PTX_BITS(PTX_ANY, X)                                                                           \
    PTX_WIDE(X, u16, uint16_t, uint32_t, uint32_t)                                                 \
    PTX_WIDE(X, s16, int16_t, int32_t, uint32_t)                                                   \
    PTX_WIDE(X, u32, uint32_t, uint64_t, uint64_t)                                                 \
    PTX_WIDE(X, s32, int32_t, int64_t, uint64_t)                                                   \
    PTX_CVT(X, u8, uint8_t)                                                                        \
    PTX_CVT(X, s8, int8_t)                                                                         \
    PTX_CVT(X, u16, uint16_t)                                                                      \
    PTX_CVT(X, s16, int16_t)                                                                       \
    PTX_CVT(X, u32, uint32_t)                                                                      \
    PTX_CVT(X, s32, int32_t)                                                                       \
    PTX_CVT(X, u64, uint64_t)                                                                      \
    PTX_CVT(X, s64, int64_t)                                                                       \
    PTX_SINGLE(X)

/* Quotients and remainders: X as above, but of a type T, and b is not 0. */
#define PTX_DIVIDE(X, t, T, U, W, bits)                                                            \
    X(div_##t, "div." #t, T, (U)((W)(T)a / (W)(T)b))                                               \
    X(rem_##t, "rem." #t, T, (U)((W)(T)a % (W)(T)b))
#define PTX_DIVISIONS(X) PTX_UNSIGNED(PTX_DIVIDE, X) PTX_SIGNED(PTX_DIVIDE, X)

/* Atomic operations: X(id, name, value to store); the old value is a, the operands b and c. */
#define PTX_ATOMICS(X)                                                                             \
    X(atom_add_u32, "add.u32", a + b)                                                              \
    X(atom_add_s32, "add.s32", a + b)                                                              \
    X(atom_min_u32, "min.u32", (uint32_t)a < (uint32_t)b ? a : b)                                  \
    X(atom_max_u32, "max.u32", (uint32_t)a > (uint32_t)b ? a : b)                                  \
    X(atom_min_s32, "min.s32", (int32_t)a < (int32_t)b ? a : b)                                    \
    X(atom_max_s32, "max.s32", (int32_t)a > (int32_t)b ? a : b)                                    \
    X(atom_and_b32, "and.b32", a &b)                                                               \
    X(atom_or_b32, "or.b32", a | b)                                                                \
    X(atom_xor_b32, "xor.b32", a ^ b)                                                              \
    X(atom_exch_b32, "exch.b32", b)                                                                \
    X(atom_cas_b32, "cas.b32", (uint32_t)a == (uint32_t)b ? c : a)

/* `length` bits from bit `at` on. */
static inline uint64_t ptx_extract(uint64_t value, unsigned at, unsigned length)
{
    const uint64_t shifted = at >= 64 ? 0 : value >> at;
    return length >= 64 ? shifted : shifted & ((UINT64_C(1) << length) - 1);
}

#endif
