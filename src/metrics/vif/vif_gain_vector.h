/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_VIF_VIF_GAIN_VECTOR_H
#define METRICS_VIF_VIF_GAIN_VECTOR_H

/* The information in a chunk of variances, with vectors; vif_portable.c is the model. */

#include "metrics/vif/vif_internal.h"
#include "support/vector.h"

#ifdef __AVX512F__

/* -- sums of logarithms, computed from pieces of the curve: see vif_internal.h -- */

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

#else

/* -- sums of logarithms, looked up in memory: see vif_log_bows() -- */

/* Logarithms that can be added to a sum, at least. */
enum { VIF_LOG_SUMMANDS = 1 << 12 };

typedef const uint32_t *VifLogs;

VIF_INLINE VifLogs logs_of(const VifGain *gain)
{
    return gain->log_bows;
}

/* The bits of the integer as a binary32 number, of which the 16 leading ones count. */
VIF_INLINE Vec leading_bits(Vec v)
{
    /* Without the first of the other bits, these cannot round up. */
    return vec_float_bits(vec_float(vec_and_not(v, vec_shift_right_32u(v, 16))));
}

/* Adds the logarithms of positive integers to the sum, each with the exponent bias of binary32. */
VIF_INLINE Vec add_logarithms(Vec sum, Vec v, const VifLogs *logs)
{
    const Vec bits = leading_bits(v);
    const Vec index = vec_and(vec_shift_right_32u(bits, 23 - 12), vec_set_32(VIF_LOG_STEPS - 1));
    const Vec curved = vec_add_32(bits, vec_gather_32(*logs, index));
    return vec_add_32(sum, vec_shift_right_32u(curved, 12));
}

/* The total of n logarithms, which were added to a sum of 0. */
VIF_INLINE int64_t log_total(Vec sum, unsigned n)
{
    return (int64_t)vec_sum_32u(sum) - VIF_LOG_UNIT * 127 * (int64_t)n;
}

#endif

enum {
    /* columns at a time that pass through buffers on the stack */
    VIF_CHUNK = VEC_BYTES == 16 ? 128 : 8 * VEC_16,
    VIF_DOUBLES = VEC_32 / 2,
};
_Static_assert(VIF_CHUNK / VEC_32 <= VIF_LOG_SUMMANDS, "sums of logarithms overflow");

/* -- flat pixels, of which the reference has less variance than noise would give them -- */

typedef struct VifFlats {
    Vec count, variance, high; /* variances, modulo 2^32, and their upper halves */
} VifFlats;

VIF_INLINE bool is_flat(Vec ref)
{
    return vec_is_zero(vec_greater_32s(ref, vec_set_32(VIF_NOISE_VARIANCE - 1)));
}

VIF_INLINE bool has_flat_pixels(Vec ref)
{
    return !vec_is_zero(vec_greater_32s(vec_set_32(VIF_NOISE_VARIANCE), ref));
}

VIF_INLINE void add_flat(VifFlats *flats, Vec ref, Vec dist)
{
    const Vec limit = vec_set_32(VIF_NOISE_VARIANCE);
    flats->count = vec_add_greater_32s(flats->count, vec_set_32(1), limit, ref);
    flats->variance = vec_add_greater_32s(flats->variance, dist, limit, ref);
    flats->high = vec_add_greater_32s(flats->high, vec_shift_right_32u(dist, 16), limit, ref);
}

/* Variances of pixels that are not flat, and 0 for others, which gives them no information. */
VIF_INLINE Vec keep_rough(Vec variance, Vec ref)
{
    return vec_keep_greater_32s(variance, ref, vec_set_32(VIF_NOISE_VARIANCE - 1));
}

VIF_INLINE void add_flats(VifSums *sums, const VifFlats *flats)
{
    sums->flat_count += (int64_t)vec_sum_32u(flats->count);
    /* The lower halves, whose sums do not wrap around. */
    const Vec low = vec_sub_32(flats->variance, vec_shift_left_32(flats->high, 16));
    sums->flat_variance += (int64_t)(vec_sum_32u(low) + (vec_sum_32u(flats->high) << 16));
}

/* -- signal and noise -- */

/* Columns, in any order, with variances of 0 at flat pixels. Those without correlation have no
 * covariance, and so no gain, as in the scalar kernel. */
typedef struct VifChunk {
    int32_t ref[VIF_CHUNK + VEC_32], dist[VIF_CHUNK], covariance[VIF_CHUNK + VEC_32];
    /* For further gain limits. */
    int32_t noise[VIF_CHUNK];
    VecD gain[VIF_CHUNK / VIF_DOUBLES];
} VifChunk;

/* The covariance that leads to a gain: a positive one with a picture that has a variance. */
VIF_INLINE Vec gaining(Vec covariance, Vec dist)
{
    return vec_keep_greater_32s(covariance, vec_min_32s(covariance, dist), vec_zero());
}

/* A vector of columns, in two halves. */
typedef struct VifGains {
    VecD variance[2], covariance[2], gain[2];
} VifGains;

VIF_INLINE VifGains gains_at(const VifChunk *chunk, unsigned x)
{
    VifGains gains;
#pragma GCC unroll 2
    for (unsigned i = 0; i < 2; i++) {
        const VecD v = vec_load_double(chunk->ref + x + i * VIF_DOUBLES);
        const VecD c = vec_load_double(chunk->covariance + x + i * VIF_DOUBLES);
        gains.variance[i] = v;
        gains.covariance[i] = c;
        /* Keeps the gain finite where the reference has no variance. */
        gains.gain[i] = vec_div_double(c, vec_add_double(v, vec_set_double(65536 * 1e-10)));
    }
    return gains;
}

/* Integers next below values from -2^31 on, with `plus` added. */
VIF_INLINE Vec floors_plus(const VecD v[2], int plus)
{
#ifdef __AVX512F__
    /* The lower half of a double of this size is an integer. */
    enum { DOWN = _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC };
    const VecD size = vec_set_double(0x1.8p52 + plus);
    const Vec low = _mm512_castpd_si512(_mm512_add_round_pd(v[0], size, DOWN));
    const Vec high = _mm512_castpd_si512(_mm512_add_round_pd(v[1], size, DOWN));
    const Vec even = vec_shift_left_32(vec_index_32(), 1);
    return _mm512_permutex2var_epi32(low, even, high);
#else
    /* Truncates negative values; they count as zero anyway. */
    return vec_add_32(vec_integer_double(v[0], v[1]), vec_set_32(plus));
#endif
}

/* Signal that arrives under a gain limit. */
VIF_INLINE Vec arrived(const VecD gain[2], const VecD variance[2], VecD limit)
{
    VecD energy[2];
#pragma GCC unroll 2
    for (unsigned i = 0; i < 2; i++) {
        const VecD g = vec_min_double(gain[i], limit);
        energy[i] = vec_mul_double(vec_mul_double(g, g), variance[i]);
    }
    return floors_plus(energy, 0);
}

/* -- sums -- */

typedef struct VifVectorSums {
    Vec log_den, log_noise;
    Vec log_arrived; /* signal and noise, under the first gain limit */
} VifVectorSums;

/* What is made of a chunk. */
typedef struct VifParts {
    bool den;     /* also log_den */
    bool further; /* also log_num of further gain limits */
} VifParts;

/* Adds the columns at place x. */
VIF_INLINE void add_columns(VifVectorSums *sums, VifChunk *chunk, unsigned x, const VifGains *gains,
                            VecD limit, const VifLogs *logs, VifParts parts)
{
    const Vec noise_variance = vec_set_32(VIF_NOISE_VARIANCE);
    if (parts.den) {
        const Vec den = vec_add_32(noise_variance, vec_load(chunk->ref + x));
        sums->log_den = add_logarithms(sums->log_den, den, logs);
    }
    VecD residual[2];
#pragma GCC unroll 2
    for (unsigned i = 0; i < 2; i++) {
        const VecD explained = vec_mul_double(gains->gain[i], gains->covariance[i]);
        const unsigned at = x + i * VIF_DOUBLES;
        residual[i] = vec_sub_double(vec_load_double(chunk->dist + at), explained);
        if (parts.further)
            chunk->gain[at / VIF_DOUBLES] = gains->gain[i];
    }
    const Vec noise = vec_max_32s(floors_plus(residual, VIF_NOISE_VARIANCE), noise_variance);
    if (parts.further)
        vec_store(chunk->noise + x, noise);
    sums->log_noise = add_logarithms(sums->log_noise, noise, logs);
    const Vec signal = arrived(gains->gain, gains->variance, limit);
    sums->log_arrived = add_logarithms(sums->log_arrived, vec_add_32(noise, signal), logs);
}

/* Sum of the logarithms of what arrives under another limit, in the first n places. */
VIF_INLINE int64_t log_arrived(const VifChunk *chunk, unsigned n, double limit, const VifLogs *logs)
{
    Vec sum = vec_zero();
    for (unsigned x = 0; x < n; x += VEC_32) {
        const VecD variance[2] = {vec_load_double(chunk->ref + x),
                                  vec_load_double(chunk->ref + x + VIF_DOUBLES)};
        const Vec signal = arrived(chunk->gain + x / VIF_DOUBLES, variance, vec_set_double(limit));
        sum = add_logarithms(sum, vec_add_32(vec_load(chunk->noise + x), signal), logs);
    }
    return log_total(sum, n);
}

/* Adds the first n places of a chunk. */
VIF_INLINE void add_places(VifSums *sums, VifChunk *chunk, unsigned n, const VifGain *gain,
                           VifParts parts)
{
    const VifLogs logs = logs_of(gain);
    const VecD limit = vec_set_double(gain->limits[0]);
    const Vec zero = vec_zero();
    VifVectorSums vectors = {zero, zero, zero};
    /* The divisions for the next columns take place during the rest for these. */
    vec_store(chunk->ref + n, zero);
    vec_store(chunk->covariance + n, zero);
    VifGains gains = gains_at(chunk, 0);
    for (unsigned x = 0; x < n; x += VEC_32) {
        const VifGains next = gains_at(chunk, x + VEC_32);
        add_columns(&vectors, chunk, x, &gains, limit, &logs, parts);
        gains = next;
    }
    if (parts.den)
        sums->log_den += log_total(vectors.log_den, n) - (int64_t)n * 17 * VIF_LOG_UNIT;
    const int64_t log_noise = log_total(vectors.log_noise, n);
    sums->log_num[0] += log_total(vectors.log_arrived, n) - log_noise;
    for (unsigned i = 1; parts.further && i < gain->n_limits; i++)
        sums->log_num[i] += log_arrived(chunk, n, gain->limits[i], &logs) - log_noise;
}

/* Functions of their own, so that what their callers keep in registers leaves them to the loop. */
static __attribute__((noinline, unused)) void add_chunk(VifSums *sums, VifChunk *chunk, unsigned n,
                                                        const VifGain *gain)
{
    if (gain->n_limits > 1)
        add_places(sums, chunk, n, gain, (VifParts){true, true});
    else
        add_places(sums, chunk, n, gain, (VifParts){true, false});
}

static __attribute__((noinline, unused)) void add_chunk_without_den(VifSums *sums, VifChunk *chunk,
                                                                    unsigned n, const VifGain *gain)
{
    if (gain->n_limits > 1)
        add_places(sums, chunk, n, gain, (VifParts){false, true});
    else
        add_places(sums, chunk, n, gain, (VifParts){false, false});
}

#endif
