/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_FEATURE_VIF_PAIRS_VECTOR_H
#define CORE_FEATURE_VIF_PAIRS_VECTOR_H

/*
 * The functions of VifPairKernels, for a file that defines a table of them. What vectors are wide
 * and which instructions there are depends on the options that file is compiled with.
 *
 * All filters are sums of products of 16-bit integers. Three things make the data signed, and as
 * small as that, without a loss:
 *
 *  - The taps sum to 65536, so sum f a = sum f (a - g) + 65536 g for any g. Joined rows hold
 *    samples less a medium grey g, vertically filtered rows values less 32768. Sums of 32 bits may
 *    overflow on the way: they are taken modulo 2^32, and so are correct where the result fits.
 *  - a b = (a - g) (b - g) + g (a + b) - g^2, so the means of products follow from those of
 *    products of what joined rows hold.
 *  - Integers of 32 bits are filtered in halves: with a = 2^16 high + low,
 *    (sum f a + 2^15) >> 16 = sum f high + ((sum f low + 2^15) >> 16).
 *
 * The centre of the smallest window, 43728, is 65536 too much for a signed tap; that part is added
 * as a shift.
 *
 * Vectors of 32-bit integers come in two, of the even and the odd columns of a block. That order
 * comes from and goes to rows of 16-bit integers without permutations.
 */

#include "feature/vif/vif_gain_vector.h"
#include "feature/vif/vif_pairs.h"
#include "feature/vif/vif_simd.h"
#include "support/vector_samples.h"

/* Columns of a block. */
enum { VIF_BLOCK = VEC_16 };

/* 32-bit integers of a block. */
typedef struct VifBlock {
    Vec even, odd;
} VifBlock;

/* -- blocks -- */

VIF_INLINE VifBlock block_of(uint32_t value)
{
    const Vec v = vec_set_32((int32_t)value);
    return (VifBlock){v, v};
}

VIF_INLINE VifBlock block_add(VifBlock a, VifBlock b)
{
    return (VifBlock){vec_add_32(a.even, b.even), vec_add_32(a.odd, b.odd)};
}

VIF_INLINE VifBlock block_sub(VifBlock a, VifBlock b)
{
    return (VifBlock){vec_sub_32(a.even, b.even), vec_sub_32(a.odd, b.odd)};
}

VIF_INLINE VifBlock block_and(VifBlock a, VifBlock b)
{
    return (VifBlock){vec_and(a.even, b.even), vec_and(a.odd, b.odd)};
}

VIF_INLINE VifBlock block_xor(VifBlock a, VifBlock b)
{
    return (VifBlock){vec_xor(a.even, b.even), vec_xor(a.odd, b.odd)};
}

VIF_INLINE VifBlock block_shift_left(VifBlock a, int bits)
{
    return (VifBlock){vec_shift_left_all_32(a.even, bits), vec_shift_left_all_32(a.odd, bits)};
}

VIF_INLINE VifBlock block_shift_right_signed(VifBlock a, int bits)
{
    return (VifBlock){vec_shift_right_all_32s(a.even, bits), vec_shift_right_all_32s(a.odd, bits)};
}

VIF_INLINE VifBlock block_shift_right(VifBlock a, int bits)
{
    return (VifBlock){vec_shift_right_all_32u(a.even, bits), vec_shift_right_all_32u(a.odd, bits)};
}

/* The lower halves, as a block of words in the order of columns. */
VIF_INLINE Vec low_words(VifBlock a)
{
    return vec_blend_16(a.even, vec_shift_left_32(a.odd, 16));
}

VIF_INLINE Vec high_words(VifBlock a)
{
    return vec_blend_16(vec_shift_right_32u(a.even, 16), a.odd);
}

/* -- taps -- */

/* The tap at distance k; 0 beyond the window. */
VIF_INLINE int vif_tap(unsigned scale, int k)
{
    const unsigned distance = (unsigned)(k < 0 ? -k : k);
    if (distance > vif_filters[scale].radius)
        return 0;
    const int tap = vif_filters[scale].taps[distance];
    return tap > INT16_MAX ? tap - 65536 : tap;
}

VIF_INLINE bool vif_centre_is_shifted(unsigned scale)
{
    return vif_filters[scale].taps[0] > INT16_MAX;
}

/* Keeps the compiler from rearranging sums so that it runs out of registers. */
#define IN_REGISTER(v) __asm__("" : "+v"(v))

/* Pairs of neighbouring taps: of distances k and k + 1 at index k + radius + 1. */
typedef struct VifTaps {
    Vec pairs[2 * VIF_MAX_RADIUS + 2];
} VifTaps;

/* To memory, where they are read from at each use: there are more than registers. */
VIF_INLINE void set_taps(VifTaps *taps, unsigned scale)
{
    const int radius = (int)vif_filters[scale].radius;
    for (int k = -radius - 1; k <= radius; k++)
        taps->pairs[k + radius + 1] = vec_set_pair_16(vif_tap(scale, k), vif_tap(scale, k + 1));
    __asm__ volatile("" : : "r"(taps) : "memory");
}

/* Adds the products of pairs of values with the taps at distances k and k + 1. */
VIF_INLINE Vec add_tap_pair(Vec sum, Vec values, const VifTaps *taps, unsigned scale, int k)
{
    const int radius = (int)vif_filters[scale].radius;
    if (k < -radius - 1 || k > radius)
        return sum;
    sum = vec_add_products(sum, values, taps->pairs[k + radius + 1]);
    IN_REGISTER(sum);
    return sum;
}

/* -- joined rows -- */

VIF_INLINE void join(int16_t *out, const void *upper, const void *lower, unsigned w, bool deep)
{
    const Vec grey = vec_set_16(deep ? INT16_MIN : VIF_GREY);
    for (unsigned x = 0; x < w; x += VIF_BLOCK, out += 2 * VIF_BLOCK) {
        const Vec a = vec_sub_16(vec_load_samples(upper, x, w, deep), grey);
        const Vec b = vec_sub_16(vec_load_samples(lower, x, w, deep), grey);
        vec_store(out, vec_blend_16(a, vec_shift_left_32(b, 16)));
        vec_store(out + VIF_BLOCK, vec_blend_16(vec_shift_right_32u(a, 16), b));
    }
}

static void join_bytes(int16_t *out, const void *upper, const void *lower, unsigned w)
{
    join(out, upper, lower, w, false);
}

static void join_words(int16_t *out, const void *upper, const void *lower, unsigned w)
{
    join(out, upper, lower, w, true);
}

/* -- vertical filters -- */

/*
 * Sums of what is filtered: samples less grey, and products of these; products of words have two
 * halves. A loop over rows makes several, or multiplications would wait for each other, but not
 * more than fit registers.
 */
enum {
    VIF_SUM_REF,
    VIF_SUM_DIST,
    VIF_SUM_PRODUCT,                             /* of bytes, by moment */
    VIF_SUM_LOW = VIF_SUM_PRODUCT + VIF_MOMENTS, /* of words, by moment; less 32768 */
    VIF_SUM_HIGH = VIF_SUM_LOW + VIF_MOMENTS,
    VIF_SUMS = VIF_SUM_HIGH + VIF_MOMENTS,
};

#define VIF_BIT(sum) (1u << (sum))

/* What sums begin with: constants that are to be added to them anyway. */
typedef struct VifStarts {
    uint32_t of[VIF_SUMS];
} VifStarts;

/* Of the blocks in a pair of rows. */
typedef struct VifPairSums {
    VifBlock sums[VIF_SUMS][2]; /* around the upper and the lower row */
} VifPairSums;

/* What is to be filtered for a sum. */
VIF_INLINE Vec value_of(int sum, Vec ref, Vec dist)
{
    if (sum == VIF_SUM_REF)
        return ref;
    if (sum == VIF_SUM_DIST)
        return dist;
    const int moment = (sum - VIF_SUM_PRODUCT) % VIF_MOMENTS;
    const Vec a = moment == VIF_DIST_DIST ? dist : ref, b = moment == VIF_REF_REF ? ref : dist;
    if (sum >= VIF_SUM_HIGH)
        return vec_mul_high_16s(a, b);
    const Vec low = vec_mul_low_16(a, b);
    return sum >= VIF_SUM_LOW ? vec_xor(low, vec_set_16(INT16_MIN)) : low;
}

/* Adds what the shift for a large centre lacks. */
VIF_INLINE Vec add_shifted_centre(Vec sum, Vec values, int row)
{
    return vec_add_32(sum, row == 0 ? vec_shift_left_32(values, 16)
                                    : vec_and(values, vec_set_32(~0xffff)));
}

/* Sums around the even or the odd columns of the block at column x. */
VIF_INLINE void filter_columns(Vec sums[VIF_SUMS][2], const VifPairWindow *window, unsigned x,
                               bool odd, unsigned which, const VifStarts *starts,
                               const VifTaps *taps, unsigned scale)
{
    const int reach = (int)vif_pair_reach(scale);
    const size_t at = 2 * (size_t)x + (odd ? VIF_BLOCK : 0);
#pragma GCC unroll 11
    for (int sum = 0; sum < VIF_SUMS; sum++)
        sums[sum][0] = sums[sum][1] = vec_set_32((int32_t)starts->of[sum]);
#pragma GCC unroll 9
    for (int i = 0; i <= 2 * reach; i++) {
        const Vec ref = vec_load(window->pairs[0][i] + at);
        const Vec dist = vec_load(window->pairs[1][i] + at);
#pragma GCC unroll 11
        for (int sum = 0; sum < VIF_SUMS; sum++) {
            if (!(which & VIF_BIT(sum)))
                continue;
            const Vec value = value_of(sum, ref, dist);
#pragma GCC unroll 2
            for (int row = 0; row < 2; row++) {
                const int k = 2 * (i - reach) - row;
                sums[sum][row] = add_tap_pair(sums[sum][row], value, taps, scale, k);
                if (i == reach && vif_centre_is_shifted(scale))
                    sums[sum][row] = add_shifted_centre(sums[sum][row], value, row);
            }
        }
    }
}

VIF_INLINE void filter_pairs(VifPairSums *out, const VifPairWindow *window, unsigned x,
                             unsigned which, const VifStarts *starts, const VifTaps *taps,
                             unsigned scale)
{
    Vec even[VIF_SUMS][2], odd[VIF_SUMS][2];
    filter_columns(even, window, x, false, which, starts, taps, scale);
    filter_columns(odd, window, x, true, which, starts, taps, scale);
#pragma GCC unroll 11
    for (int sum = 0; sum < VIF_SUMS; sum++)
        for (int row = 0; row < 2; row++)
            if (which & VIF_BIT(sum))
                out->sums[sum][row] = (VifBlock){even[sum][row], odd[sum][row]};
}

/* Of second moments, whose upper halves have been made signed already. */
VIF_INLINE void store_halves(uint16_t *const out[VIF_HALVES], unsigned x, VifBlock moment)
{
    vec_store(out[VIF_LOW] + x, vec_xor(low_words(moment), vec_set_16(INT16_MIN)));
    vec_store(out[VIF_HIGH] + x, high_words(moment));
}

/* What a sum begins with so that, shifted by the depth, it is the rounded mean less 32768: `grey`
 * is what a sum of samples lacks. */
VIF_INLINE uint32_t start_of_mean(uint32_t grey, unsigned depth)
{
    return grey + (32768u << depth) + (1u << (depth - 1));
}

VIF_INLINE void store_means(uint16_t *out, unsigned x, VifBlock sums, unsigned depth)
{
    vec_store(out + x, low_words(block_shift_right(sums, (int)depth)));
}

/* Second moments fit 32 bits without a shift. */
VIF_INLINE void filter_columns_of_bytes(const VifPairTask *task, unsigned x, const VifTaps *taps)
{
    const uint32_t grey = VIF_GREY, sample = start_of_mean(grey << 16, 8);
    /* 2^31 makes the upper half signed; the rest undoes what samples begin with. */
    const uint32_t product = (1u << 31) + (grey * grey << 16) - 2 * grey * sample;
    const VifStarts starts = {{sample, sample, product, product, product}};
    const unsigned all = VIF_BIT(VIF_SUM_LOW) - 1;
    VifPairSums filtered;
    filter_pairs(&filtered, &task->window, x, all, &starts, taps, 0);
#pragma GCC unroll 2
    for (int row = 0; row < 2; row++) {
        const VifColumnMoments *out = &task->columns[row];
        const VifBlock ref = filtered.sums[VIF_SUM_REF][row];
        const VifBlock dist = filtered.sums[VIF_SUM_DIST][row];
        const VifBlock rr = filtered.sums[VIF_SUM_PRODUCT + VIF_REF_REF][row];
        const VifBlock dd = filtered.sums[VIF_SUM_PRODUCT + VIF_DIST_DIST][row];
        const VifBlock rd = filtered.sums[VIF_SUM_PRODUCT + VIF_REF_DIST][row];
        store_means(out->mean[0], x, ref, 8);
        store_means(out->mean[1], x, dist, 8);
        store_halves(out->moment[VIF_REF_REF], x, block_add(rr, block_shift_left(ref, 8)));
        store_halves(out->moment[VIF_DIST_DIST], x, block_add(dd, block_shift_left(dist, 8)));
        store_halves(out->moment[VIF_REF_DIST], x,
                     block_add(rd, block_shift_left(block_add(ref, dist), 7)));
    }
}

/*
 * With sums S and T of samples less 32768, and those H and L of the halves of their products, the
 * sum of products of samples is 2^16 (H + 2^30 + (S + T) / 2) + L, where L gets back the 2^31 that
 * made its terms signed. The half that (S + T) / 2 may leave goes to L, which is halved first so
 * that this cannot overflow.
 */
VIF_INLINE VifBlock moment_of_words(VifBlock high, VifBlock low, VifBlock s, VifBlock t,
                                    bool square, int shift)
{
    low = block_shift_right(low, 1);
    if (square) {
        high = block_add(high, s);
    } else {
        const VifBlock unequal = block_xor(s, t);
        high = block_add(high, block_add(block_and(s, t), block_shift_right_signed(unequal, 1)));
        low = block_add(low, block_shift_left(block_and(unequal, block_of(1)), 14));
    }
    return block_add(block_shift_left(high, 16 - shift), block_shift_right(low, shift - 1));
}

VIF_INLINE void filter_columns_of_words(const VifPairTask *task, unsigned x, const VifTaps *taps,
                                        unsigned scale)
{
    /* At scale 0 to the unit of 8-bit samples, above it from 1/65536 of tap and level. */
    const unsigned depth = scale == 0 ? task->depth : 16;
    const unsigned shift = scale == 0 ? 2 * (depth - 8) : 16;
    const uint32_t low = (1u << 31) + (1u << (shift - 1)), high = 1u << 30;
    const VifStarts starts = {{0, 0, 0, 0, 0, low, low, low, high, high, high}};
    const unsigned first = VIF_BIT(VIF_SUM_REF) | VIF_BIT(VIF_SUM_DIST) |
                           VIF_BIT(VIF_SUM_LOW + VIF_REF_REF) | VIF_BIT(VIF_SUM_HIGH + VIF_REF_REF);
    const unsigned second =
        VIF_BIT(VIF_SUM_LOW + VIF_DIST_DIST) | VIF_BIT(VIF_SUM_HIGH + VIF_DIST_DIST) |
        VIF_BIT(VIF_SUM_LOW + VIF_REF_DIST) | VIF_BIT(VIF_SUM_HIGH + VIF_REF_DIST);
    VifPairSums filtered;
    /* There are twice as many registers with AVX-512. */
    if (VEC_BYTES == 64) {
        filter_pairs(&filtered, &task->window, x, first | second, &starts, taps, scale);
    } else {
        filter_pairs(&filtered, &task->window, x, first, &starts, taps, scale);
        filter_pairs(&filtered, &task->window, x, second, &starts, taps, scale);
    }
#pragma GCC unroll 2
    for (int row = 0; row < 2; row++) {
        const VifBlock samples[2] = {filtered.sums[VIF_SUM_REF][row],
                                     filtered.sums[VIF_SUM_DIST][row]};
        const VifBlock rounded = block_of(start_of_mean(1u << 31, depth));
        for (int i = 0; i < 2; i++)
            store_means(task->columns[row].mean[i], x, block_add(samples[i], rounded), depth);
#pragma GCC unroll 3
        for (int i = 0; i < VIF_MOMENTS; i++) {
            const VifBlock moment =
                moment_of_words(filtered.sums[VIF_SUM_HIGH + i][row],
                                filtered.sums[VIF_SUM_LOW + i][row], samples[i == VIF_DIST_DIST],
                                samples[i != VIF_REF_REF], i != VIF_REF_DIST, (int)shift);
            store_halves(task->columns[row].moment[i], x, block_xor(moment, block_of(1u << 31)));
        }
    }
}

/* -- horizontal filters -- */

VIF_INLINE void mirror_row(uint16_t *row, unsigned w, unsigned radius)
{
    for (unsigned k = 1; k <= radius; k++) {
        *(row - k) = row[k];
        row[w - 1 + k] = row[w - 1 - k];
    }
}

/* Sums around the block at `row`, of values less 32768, and `start`. */
VIF_INLINE VifBlock filter_block(const uint16_t *row, uint32_t start, const VifTaps *taps,
                                 unsigned scale)
{
    const int radius = (int)vif_filters[scale].radius;
    VifBlock sums = block_of((1u << 31) + start);
#pragma GCC unroll 9
    for (int k = -radius; k <= radius; k += 2) {
        const Vec pairs = vec_load(row + k);
        sums.even = add_tap_pair(sums.even, pairs, taps, scale, k);
        /* With AVX-512, loads cost more than twice the taps: most cross cache lines. */
        if (VEC_BYTES == 64)
            sums.odd = add_tap_pair(sums.odd, pairs, taps, scale, k - 1);
        else
            sums.odd = add_tap_pair(sums.odd, vec_load(row + k + 1), taps, scale, k);
    }
    if (vif_centre_is_shifted(scale)) {
        const Vec upper = vec_set_32(~0xffff);
        sums.even = vec_add_32(sums.even, vec_and(vec_load(row - 1), upper));
        sums.odd = vec_add_32(sums.odd, vec_and(vec_load(row), upper));
    }
    return sums;
}

/* Of second moments. */
VIF_INLINE VifBlock filter_halves(uint16_t *const moment[VIF_HALVES], unsigned x,
                                  const VifTaps *taps, unsigned scale)
{
    const VifBlock low = filter_block(moment[VIF_LOW] + x, 1 << 15, taps, scale);
    const VifBlock high = filter_block(moment[VIF_HIGH] + x, 0, taps, scale);
    return block_add(
        high, (VifBlock){vec_shift_right_32u(low.even, 16), vec_shift_right_32u(low.odd, 16)});
}

/* Products of 32-bit integers in units of 2^32, rounded. */
VIF_INLINE Vec multiply_high(Vec a, Vec b)
{
    const Vec half = vec_set_64(INT64_C(1) << 31);
    const Vec even = vec_add_64(vec_mul_32u(a, b), half);
    const Vec odd =
        vec_add_64(vec_mul_32u(vec_shift_right_64u(a, 32), vec_shift_right_64u(b, 32)), half);
    return vec_blend_32(vec_shift_right_64u(even, 32), odd);
}

VIF_INLINE VifBlock product_of_means(VifBlock a, VifBlock b)
{
    return (VifBlock){multiply_high(a.even, b.even), multiply_high(a.odd, b.odd)};
}

typedef struct VifBlockVariances {
    VifBlock ref, dist, covariance;
} VifBlockVariances;

VIF_INLINE VifBlockVariances local_variances(const VifColumnMoments *in, unsigned x,
                                             const VifTaps *taps, unsigned scale)
{
    const VifBlock ref = filter_block(in->mean[0] + x, 0, taps, scale);
    const VifBlock dist = filter_block(in->mean[1] + x, 0, taps, scale);
    const VifBlock rr = filter_halves(in->moment[VIF_REF_REF], x, taps, scale);
    const VifBlock dd = filter_halves(in->moment[VIF_DIST_DIST], x, taps, scale);
    const VifBlock rd = filter_halves(in->moment[VIF_REF_DIST], x, taps, scale);
    VifBlockVariances v = {block_sub(rr, product_of_means(ref, ref)),
                           block_sub(dd, product_of_means(dist, dist)),
                           block_sub(rd, product_of_means(ref, dist))};
    v.dist.even = vec_max_32s(v.dist.even, vec_zero());
    v.dist.odd = vec_max_32s(v.dist.odd, vec_zero());
    return v;
}

/* All ones in the first n columns of a block. */
VIF_INLINE VifBlock first_columns(unsigned n)
{
    const Vec even = vec_shift_left_32(vec_index_32(), 1);
    return (VifBlock){vec_greater_32s(vec_set_32((int32_t)n), even),
                      vec_greater_32s(vec_set_32((int32_t)n - 1), even)};
}

/* -- rows -- */

/*
 * Of the columns from `begin` on. Each block goes through all steps at once: while its divisions
 * and its table lookups take time, the processor multiplies for the next one.
 */
VIF_INLINE void measure_chunk(VifSums *sums, const VifPairTask *task, const VifColumnMoments *in,
                              unsigned begin, const VifTaps *taps, unsigned scale)
{
    const unsigned end = task->w - begin < VIF_CHUNK ? task->w : begin + VIF_CHUNK;
    const VecD limit = vec_set_double(task->limits[0]);
    VifSignal signal;
    VifVectorSums vectors = vif_sums_of_none();
    unsigned n = 0;
    for (unsigned x = begin; x < end; x += VIF_BLOCK) {
        VifBlockVariances v = local_variances(in, x, taps, scale);
        if (end - x < VIF_BLOCK) {
            /* Other columns count as flat pixels without variance. */
            const VifBlock columns = first_columns(end - x);
            v.ref = block_and(v.ref, columns);
            v.dist = block_and(v.dist, columns);
        }
        add_signal(&vectors, &signal, n, v.ref.even, v.dist.even, v.covariance.even, limit);
        add_signal(&vectors, &signal, n + VEC_32, v.ref.odd, v.dist.odd, v.covariance.odd, limit);
        n += VIF_BLOCK;
    }
    sums->flat_count += (int64_t)vec_sum_32u(vectors.flat_count) - (n - (end - begin));
    sums->flat_variance +=
        (int64_t)(vec_sum_32u(vectors.flat_low) + (vec_sum_32u(vectors.flat_high) << 16));
    sums->log_den += vif_log_total(vectors.log_den, n) - (int64_t)n * 17 * VIF_LOG_UNIT;
    const int64_t log_noise = vif_log_total(vectors.log_noise, n);
    sums->log_num[0] += vif_log_total(vectors.log_arrived, n) - log_noise;
    for (unsigned i = 1; i < task->n_limits; i++)
        sums->log_num[i] += log_arrived(&signal, n, task->limits[i]) - log_noise;
}

VIF_INLINE void mirror_columns(const VifColumnMoments *columns, unsigned w, unsigned scale)
{
    const unsigned radius = vif_filters[scale].radius;
    for (int i = 0; i < 2; i++)
        mirror_row(columns->mean[i], w, radius);
    for (int i = 0; i < VIF_MOMENTS; i++)
        for (int half = 0; half < VIF_HALVES; half++)
            mirror_row(columns->moment[i][half], w, radius);
}

VIF_INLINE void measure(VifSums *sums, const VifPairTask *task, unsigned scale, bool deep)
{
    VifTaps taps;
    set_taps(&taps, scale);
    for (unsigned x = 0; x < task->w; x += VIF_BLOCK)
        if (deep)
            filter_columns_of_words(task, x, &taps, scale);
        else
            filter_columns_of_bytes(task, x, &taps);
    for (int row = 0; row < 2; row++) {
        if (!task->measured[row])
            continue;
        mirror_columns(&task->columns[row], task->w, scale);
        for (unsigned begin = 0; begin < task->w; begin += VIF_CHUNK)
            measure_chunk(sums, task, &task->columns[row], begin, &taps, scale);
    }
}

/* -- decimation -- */

/* Even columns of a block, less 32768, as 32-bit integers. */
VIF_INLINE Vec decimate_block(const uint16_t *row, const VifTaps *taps, unsigned scale)
{
    const VifBlock sums = filter_block(row, 1 << 15, taps, scale);
    const Vec back = vec_set_32(INT32_MIN);
    return vec_shift_right_32s(vec_add_32(sums.even, back), 16);
}

VIF_INLINE void decimate(uint16_t *out, uint16_t *columns, const int16_t *const pairs[], unsigned w,
                         unsigned depth, unsigned scale, bool deep)
{
    VifPairWindow window;
    for (unsigned i = 0; i <= 2 * vif_pair_reach(scale); i++)
        window.pairs[0][i] = window.pairs[1][i] = pairs[i];
    VifTaps taps;
    set_taps(&taps, scale);
    const VifStarts starts = {{start_of_mean(deep ? 1u << 31 : VIF_GREY << 16, depth)}};
    for (unsigned x = 0; x < w; x += VIF_BLOCK) {
        VifPairSums filtered;
        filter_pairs(&filtered, &window, x, VIF_BIT(VIF_SUM_REF), &starts, &taps, scale);
        store_means(columns, x, filtered.sums[VIF_SUM_REF][0], depth);
    }
    mirror_row(columns, w, vif_filters[scale].radius);
    for (unsigned x = 0; x < w / 2; x += VIF_BLOCK) {
        const uint16_t *row = columns + 2 * (size_t)x;
        const Vec words = vec_pack_natural_32s(decimate_block(row, &taps, scale),
                                               decimate_block(row + VIF_BLOCK, &taps, scale));
        vec_store(out + x, vec_xor(words, vec_set_16(INT16_MIN)));
    }
}

/* -- one function for each window -- */

static void measure_bytes(VifSums *sums, const VifPairTask *task)
{
    measure(sums, task, 0, false);
}

static void decimate_bytes(uint16_t *out, uint16_t *columns, const int16_t *const pairs[],
                           unsigned w, unsigned depth)
{
    (void)depth;
    decimate(out, columns, pairs, w, 8, 1, false);
}

#define VIF_MEASURE_WORDS(scale)                                                                   \
    static void measure_words_##scale(VifSums *sums, const VifPairTask *task)                      \
    {                                                                                              \
        measure(sums, task, scale, true);                                                          \
    }

#define VIF_DECIMATE_WORDS(scale)                                                                  \
    static void decimate_words_##scale(uint16_t *out, uint16_t *columns,                           \
                                       const int16_t *const pairs[], unsigned w, unsigned depth)   \
    {                                                                                              \
        decimate(out, columns, pairs, w, depth, scale, true);                                      \
    }

VIF_MEASURE_WORDS(0)
VIF_MEASURE_WORDS(1)
VIF_MEASURE_WORDS(2)
VIF_MEASURE_WORDS(3)
VIF_DECIMATE_WORDS(1)
VIF_DECIMATE_WORDS(2)
VIF_DECIMATE_WORDS(3)

#define VIF_PAIR_KERNELS                                                                           \
    {                                                                                              \
        .join = {join_bytes, join_words},                                                          \
        .measure = {{measure_bytes},                                                               \
                    {measure_words_0, measure_words_1, measure_words_2, measure_words_3}},         \
        .decimate = {{NULL, decimate_bytes},                                                       \
                     {NULL, decimate_words_1, decimate_words_2, decimate_words_3}},                \
    }

#endif
