/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_VIF_VIF_LOG_PIECES_VECTOR_H
#define METRICS_VIF_VIF_LOG_PIECES_VECTOR_H

/* Sums of logarithms with AVX-512, computed from pieces of the curve: see vif_internal.h. */

#include "metrics/vif/vif_internal.h"
#include "metrics/vif/vif_simd.h"
#include "support/vector.h"

/* The pieces, in two vectors each. */
typedef struct VifLogs {
    VecF curvature[2], apex[2];
} VifLogs;

VIF_INLINE VifLogs logs_of(const VifGain *gain)
{
    (void)gain;
    VifLogs logs;
    for (int i = 0; i < 2; i++) {
        logs.curvature[i] = _mm512_loadu_ps(vif_log_curvatures + i * VEC_32);
        logs.apex[i] = _mm512_loadu_ps(vif_log_apexes + i * VEC_32);
    }
    return logs;
}

enum {
    /* The bits of binary32 for 2^17, the least of the integers, as a number of pieces. */
    VIF_LOG_FIRST_PIECE = (127 + 17) * VIF_LOG_PIECES,
    /* The number of bits of binary32 below those of the piece. */
    VIF_LOG_PLACE_BITS = 23 - 5,
    /* The bits of 512, the least value of a parabola, and the number of those below the integer. */
    VIF_LOG_PARABOLA = (127 + 9) << 23,
    VIF_LOG_PARABOLA_BITS = 23 - 9,
    VIF_LOG_PARABOLA_MASK = (1 << VIF_LOG_PARABOLA_BITS) - 1,
};

/* Logarithms that can be added to a sum: that many numbers of pieces, less that of the first, leave
 * the upper bits alone. */
enum { VIF_LOG_SUMMANDS = VIF_LOG_PARABOLA_MASK / ((31 - 17) * VIF_LOG_PIECES) };

/*
 * Adds the logarithms of integers from 2^17 to 2^31 - 1 to the sum: in the upper bits those in
 * their pieces, in the lower ones the numbers of the pieces, counted through all octaves.
 */
VIF_INLINE Vec add_logarithms(Vec sum, Vec v, const VifLogs *logs)
{
    enum { TRUNCATE = _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC, AND_XOR = (0xf0 & 0xcc) ^ 0xaa };
    const Vec bits = vec_float_bits(_mm512_cvt_roundepi32_ps(v, TRUNCATE));
    const Vec piece = vec_shift_right_32u(bits, VIF_LOG_PLACE_BITS);
    const VecF apex = _mm512_permutex2var_ps(logs->apex[0], piece, logs->apex[1]);
    const VecF curvature = _mm512_permutex2var_ps(logs->curvature[0], piece, logs->curvature[1]);
    /* From 1 on: keeps the bits of the piece, inverts those of the place, clears the rest. */
    const Vec distance_bits = _mm512_ternarylogic_epi32(bits, vec_set_32(0x7fff00),
                                                        vec_set_32(0x3f800000 | 0x3ff00), AND_XOR);
    const VecF distance = _mm512_castsi512_ps(distance_bits);
    const VecF parabola = _mm512_fnmadd_ps(vec_mul_float(distance, distance), curvature, apex);
    const Vec mask = vec_set_32(VIF_LOG_PARABOLA_MASK);
    return vec_add_32(sum, vec_select(mask, piece, vec_float_bits(parabola)));
}

/* The total of n logarithms, which were added to a sum of 0. */
VIF_INLINE int64_t log_total(Vec sum, unsigned n)
{
    const uint32_t bias = (n / VEC_32) * (uint32_t)(VIF_LOG_PARABOLA + VIF_LOG_FIRST_PIECE);
    const Vec unbiased = vec_sub_32(sum, vec_set_32((int32_t)bias));
    const Vec pieces = vec_and(unbiased, vec_set_32(VIF_LOG_PARABOLA_MASK));
    const Vec parabolas = vec_shift_right_32u(unbiased, VIF_LOG_PARABOLA_BITS);
    return (int64_t)(vec_sum_32u(parabolas) + VIF_LOG_PIECE_UNITS * vec_sum_32u(pieces)) +
           (int64_t)n * 17 * VIF_LOG_UNIT;
}

#endif
