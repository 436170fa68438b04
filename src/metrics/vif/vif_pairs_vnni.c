/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/vif/vif_block_vector.h"
#include "metrics/vif/vif_gain_vector.h"
#include "support/cpu.h"
#include "support/vector.h"

/*
 * VIF in pairs of rows, for x86.
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
 */

/* -- joined rows -- */

/* Joined rows of both pictures alternate, so that one pointer leads to both: a block takes two
 * vectors of the reference, then two of the distorted picture. */
enum { VIF_JOINED_PICTURE = 2 * VIF_BLOCK, VIF_JOINED_BLOCK = 2 * VIF_JOINED_PICTURE };

VIF_INLINE size_t joined_column(unsigned x)
{
    return (size_t)x * (VIF_JOINED_BLOCK / VIF_BLOCK);
}

VIF_INLINE void join(int16_t *out, const void *const rows[2][2], unsigned w, bool deep)
{
    const Vec grey = vec_set_16(deep ? INT16_MIN : VIF_GREY);
    for (unsigned x = 0; x < w; x += VIF_BLOCK)
#pragma GCC unroll 2
        for (int i = 0; i < 2; i++, out += VIF_JOINED_PICTURE) {
            const Vec a = vec_sub_16(vec_load_samples(rows[i][0], x, w, deep), grey);
            const Vec b = vec_sub_16(vec_load_samples(rows[i][1], x, w, deep), grey);
            vec_store(out, vec_blend_16(a, vec_shift_left_32(b, 16)));
            vec_store(out + VIF_BLOCK, vec_blend_16(vec_shift_right_32u(a, 16), b));
        }
}

static void join_bytes(int16_t *out, const void *const rows[2][2], unsigned w)
{
    join(out, rows, w, false);
}

static void join_words(int16_t *out, const void *const rows[2][2], unsigned w)
{
    join(out, rows, w, true);
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

/* The sums of the blocks in a pair of rows. */
typedef struct VifPairSums {
    VifBlock sums[VIF_SUMS][2]; /* around the upper and the lower row */
} VifPairSums;

/* The values that are filtered for a sum. */
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
    const size_t at = joined_column(x) + (odd ? VIF_BLOCK : 0);
    const bool alone = which == VIF_BIT(VIF_SUM_REF); /* no other picture is there */
#pragma GCC unroll 11
    for (int sum = 0; sum < VIF_SUMS; sum++)
        sums[sum][0] = sums[sum][1] = vec_set_32((int32_t)starts->of[sum]);
#pragma GCC unroll 9
    for (int i = 0; i <= 2 * reach; i++) {
        const Vec ref = vec_load(window->pairs[i] + at);
        const Vec dist = alone ? ref : vec_load(window->pairs[i] + at + VIF_JOINED_PICTURE);
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

/* Stores second moments, whose upper halves have been made signed already. */
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

/* How a pair is measured: see VifPairFunctions. */
typedef enum VifUse { VIF_ALONE, VIF_KEEP, VIF_AGAIN } VifUse;

static const unsigned of_reference = VIF_BIT(VIF_SUM_REF) | VIF_BIT(VIF_SUM_PRODUCT + VIF_REF_REF) |
                                     VIF_BIT(VIF_SUM_LOW + VIF_REF_REF) |
                                     VIF_BIT(VIF_SUM_HIGH + VIF_REF_REF);

VIF_INLINE int32_t *kept_row(const VifPairTask *task, int row, int what)
{
    return task->kept[row] + (size_t)what * vif_kept_stride(task->w);
}

VIF_INLINE void keep_block(int32_t *kept, unsigned x, VifBlock block)
{
    vec_store(kept + x, block.even);
    vec_store(kept + x + VEC_32, block.odd);
}

VIF_INLINE VifBlock kept_block(const int32_t *kept, unsigned x)
{
    return (VifBlock){vec_load(kept + x), vec_load(kept + x + VEC_32)};
}

/* The filtered samples of the reference, which are kept or were. */
VIF_INLINE VifBlock reference_sum(const VifPairTask *task, const VifPairSums *filtered, int row,
                                  unsigned x, VifUse use)
{
    if (use == VIF_AGAIN)
        return kept_block(kept_row(task, row, VIF_KEPT_SUMS), x);
    if (use == VIF_KEEP)
        keep_block(kept_row(task, row, VIF_KEPT_SUMS), x, filtered->sums[VIF_SUM_REF][row]);
    return filtered->sums[VIF_SUM_REF][row];
}

/* Second moments fit 32 bits without a shift. */
VIF_INLINE void filter_columns_of_bytes(const VifPairTask *task, unsigned x, const VifTaps *taps,
                                        VifUse use)
{
    const uint32_t grey = VIF_GREY, sample = start_of_mean(grey << 16, 8);
    /* 2^31 makes the upper half signed; the rest undoes what samples begin with. */
    const uint32_t product = (1u << 31) + (grey * grey << 16) - 2 * grey * sample;
    const VifStarts starts = {{sample, sample, product, product, product}};
    const unsigned all = VIF_BIT(VIF_SUM_LOW) - 1;
    VifPairSums filtered;
    filter_pairs(&filtered, &task->window, x, use == VIF_AGAIN ? all & ~of_reference : all, &starts,
                 taps, 0);
#pragma GCC unroll 2
    for (int row = 0; row < 2; row++) {
        const VifColumnMoments *out = &task->columns[row];
        const VifBlock ref = reference_sum(task, &filtered, row, x, use);
        const VifBlock dist = filtered.sums[VIF_SUM_DIST][row];
        const VifBlock dd = filtered.sums[VIF_SUM_PRODUCT + VIF_DIST_DIST][row];
        const VifBlock rd = filtered.sums[VIF_SUM_PRODUCT + VIF_REF_DIST][row];
        if (use != VIF_AGAIN) {
            const VifBlock rr = filtered.sums[VIF_SUM_PRODUCT + VIF_REF_REF][row];
            store_means(out->mean[0], x, ref, 8);
            store_halves(out->moment[VIF_REF_REF], x, block_add(rr, block_shift_left(ref, 8)));
        }
        store_means(out->mean[1], x, dist, 8);
        store_halves(out->moment[VIF_DIST_DIST], x, block_add(dd, block_shift_left(dist, 8)));
        store_halves(out->moment[VIF_REF_DIST], x,
                     block_add(rd, block_shift_left(block_add(ref, dist), 7)));
    }
}

/*
 * With sums S and T of samples less 32768, and those H and L of the halves of their products, the
 * sum of products of samples is 2^16 (H + 2^30 + (S + T) / 2) + L, where L gets back the 2^31 that
 * made its terms signed. The half that (S + T) / 2 may leave goes to L, which is halved first then
 * so that this cannot overflow.
 */
VIF_INLINE VifBlock moment_of_words(VifBlock high, VifBlock low, VifBlock s, VifBlock t,
                                    bool square, int shift)
{
    if (square) {
        high = block_add(high, s);
        low = block_shift_right(low, shift);
    } else {
        const VifBlock unequal = block_xor(s, t);
        high = block_add(high, block_add(block_and(s, t), block_shift_right_signed(unequal, 1)));
        low = block_shift_right(low, 1);
        low = block_add(low, block_shift_left(block_and(unequal, block_of(1)), 14));
        low = block_shift_right(low, shift - 1);
    }
    return block_add(block_shift_left(high, 16 - shift), low);
}

VIF_INLINE void filter_columns_of_words(const VifPairTask *task, unsigned x, const VifTaps *taps,
                                        unsigned scale, VifUse use)
{
    /* Means are shifted to the unit of 8-bit samples at scale 0, above it from 1/65536 of tap and
     * level. */
    const unsigned depth = scale == 0 ? task->depth : 16;
    const unsigned shift = scale == 0 ? 2 * (depth - 8) : 16;
    /* The last term, shifted, is 2^31: it makes the upper halves of moments signed. */
    const uint32_t low = (1u << 31) + (1u << (shift - 1)), high = (1u << 30) + (1u << (15 + shift));
    const VifStarts starts = {{0, 0, 0, 0, 0, low, low, low, high, high, high}};
    const unsigned first = VIF_BIT(VIF_SUM_REF) | VIF_BIT(VIF_SUM_DIST) |
                           VIF_BIT(VIF_SUM_LOW + VIF_REF_REF) | VIF_BIT(VIF_SUM_HIGH + VIF_REF_REF);
    const unsigned second =
        VIF_BIT(VIF_SUM_LOW + VIF_DIST_DIST) | VIF_BIT(VIF_SUM_HIGH + VIF_DIST_DIST) |
        VIF_BIT(VIF_SUM_LOW + VIF_REF_DIST) | VIF_BIT(VIF_SUM_HIGH + VIF_REF_DIST);
    VifPairSums filtered;
    /* There are twice as many registers with AVX-512. */
    if (use == VIF_AGAIN) {
        filter_pairs(&filtered, &task->window, x, (first | second) & ~of_reference, &starts, taps,
                     scale);
    } else if (VEC_BYTES == 64) {
        filter_pairs(&filtered, &task->window, x, first | second, &starts, taps, scale);
    } else {
        filter_pairs(&filtered, &task->window, x, first, &starts, taps, scale);
        filter_pairs(&filtered, &task->window, x, second, &starts, taps, scale);
    }
#pragma GCC unroll 2
    for (int row = 0; row < 2; row++) {
        const VifBlock samples[2] = {reference_sum(task, &filtered, row, x, use),
                                     filtered.sums[VIF_SUM_DIST][row]};
        const VifBlock rounded = block_of(start_of_mean(1u << 31, depth));
        for (int i = use == VIF_AGAIN; i < 2; i++)
            store_means(task->columns[row].mean[i], x, block_add(samples[i], rounded), depth);
#pragma GCC unroll 3
        for (int i = 0; i < VIF_MOMENTS; i++) {
            if (use == VIF_AGAIN && i == VIF_REF_REF)
                continue;
            const VifBlock moment =
                moment_of_words(filtered.sums[VIF_SUM_HIGH + i][row],
                                filtered.sums[VIF_SUM_LOW + i][row], samples[i == VIF_DIST_DIST],
                                samples[i != VIF_REF_REF], i != VIF_REF_DIST, (int)shift);
            store_halves(task->columns[row].moment[i], x, moment);
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

/* Pairs of values of the block at `row`, from distance k on. */
VIF_INLINE Vec pairs_from(const uint16_t *row, int k)
{
#ifdef __AVX512F__
    /* Most of these vectors lie across two cache lines; it costs less to put them together. */
    if (k % 2 == 0 && k < 0)
        return vec_elements_from_32(vec_load(row - VIF_BLOCK), vec_load(row), VEC_32 + k / 2);
    if (k % 2 == 0 && k > 0)
        return vec_elements_from_32(vec_load(row), vec_load(row + VIF_BLOCK), k / 2);
#endif
    return vec_load(row + k);
}

/* Adds to sums what is around the block at `row`, of values less 32768. */
VIF_INLINE VifBlock filter_block(VifBlock sums, const uint16_t *row, const VifTaps *taps,
                                 unsigned scale)
{
    const int radius = (int)vif_filters[scale].radius;
#pragma GCC unroll 9
    for (int k = -radius; k <= radius; k += 2) {
        const Vec pairs = pairs_from(row, k);
        sums.even = add_tap_pair(sums.even, pairs, taps, scale, k);
        /* With AVX-512 there are registers for other taps. */
        if (VEC_BYTES == 64)
            sums.odd = add_tap_pair(sums.odd, pairs, taps, scale, k - 1);
        else
            sums.odd = add_tap_pair(sums.odd, pairs_from(row, k + 1), taps, scale, k);
    }
    if (vif_centre_is_shifted(scale)) {
        const Vec upper = vec_set_32(~0xffff);
        sums.even = vec_add_32(sums.even, vec_and(vec_load(row - 1), upper));
        sums.odd = vec_add_32(sums.odd, vec_and(vec_load(row), upper));
    }
    return sums;
}

/* What sums of values less 32768 lack. */
enum { VIF_LACK = INT32_MIN };

/* Filters second moments, which are stored in halves. */
VIF_INLINE VifBlock filter_halves(uint16_t *const moment[VIF_HALVES], unsigned x,
                                  const VifTaps *taps, unsigned scale)
{
    const VifBlock rounded = block_of(VIF_LACK + (1 << 15));
    VifBlock low = filter_block(rounded, moment[VIF_LOW] + x, taps, scale);
    low = block_shift_right(low, 16);
    /* Instructions that add products take long: their sums should not wait for each other. */
    if (VEC_DOT_PRODUCTS)
        return block_add(low, filter_block(block_of(VIF_LACK), moment[VIF_HIGH] + x, taps, scale));
    return filter_block(block_add(low, block_of(VIF_LACK)), moment[VIF_HIGH] + x, taps, scale);
}

/* Products of 32-bit integers in units of 2^32, rounded. */
VIF_INLINE Vec multiply_high(Vec a, Vec b)
{
    const Vec half = vec_set_64(INT64_C(1) << 31);
    const Vec even = vec_add_64(vec_mul_32u(a, b), half);
    const Vec odd =
        vec_add_64(vec_mul_32u(vec_shift_right_64u(a, 32), vec_shift_right_64u(b, 32)), half);
    return vec_blend_odd_32(even, odd);
}

VIF_INLINE VifBlock product_of_means(VifBlock a, VifBlock b)
{
    return (VifBlock){multiply_high(a.even, b.even), multiply_high(a.odd, b.odd)};
}

/* Local statistics of one picture. */
typedef struct VifBlockStatistics {
    VifBlock mean, variance;
} VifBlockStatistics;

VIF_INLINE VifBlockStatistics local_reference(const VifPairTask *task, int row, unsigned x,
                                              const VifTaps *taps, unsigned scale, VifUse use)
{
    const VifColumnMoments *in = &task->columns[row];
    if (use == VIF_AGAIN)
        return (VifBlockStatistics){kept_block(kept_row(task, row, VIF_KEPT_MEANS), x),
                                    kept_block(kept_row(task, row, VIF_KEPT_VARIANCES), x)};
    VifBlockStatistics ref;
    ref.mean = filter_block(block_of(VIF_LACK), in->mean[0] + x, taps, scale);
    const VifBlock rr = filter_halves(in->moment[VIF_REF_REF], x, taps, scale);
    ref.variance = block_sub(rr, product_of_means(ref.mean, ref.mean));
    if (use == VIF_KEEP) {
        keep_block(kept_row(task, row, VIF_KEPT_MEANS), x, ref.mean);
        keep_block(kept_row(task, row, VIF_KEPT_VARIANCES), x, ref.variance);
    }
    return ref;
}

/* All ones in the first n columns of a block. */
VIF_INLINE VifBlock first_columns(unsigned n)
{
    const Vec even = vec_shift_left_32(vec_index_32(), 1);
    return (VifBlock){vec_greater_32s(vec_set_32((int32_t)n), even),
                      vec_greater_32s(vec_set_32((int32_t)n - 1), even)};
}

/* -- rows -- */

VIF_INLINE bool block_has_flat_pixels(const int32_t *ref)
{
    return has_flat_pixels(vec_min_32s(vec_load(ref), vec_load(ref + VEC_32)));
}

/* Takes flat pixels out of the block at place n of a chunk. Returns whether there are others. */
VIF_INLINE bool take_flat_pixels(VifFlats *flats, VifChunk *chunk, unsigned n)
{
    bool has_others = false;
    for (unsigned at = n; at < n + VIF_BLOCK; at += VEC_32) {
        const Vec ref = vec_load(chunk->ref + at), dist = vec_load(chunk->dist + at);
        add_flat(flats, ref, dist);
        vec_store(chunk->ref + at, keep_rough(ref, ref));
        vec_store(chunk->dist + at, keep_rough(dist, ref));
        has_others |= !is_flat(ref);
    }
    return has_others;
}

/* Leaves the first columns of the block at place n. The others count as flat pixels without
 * variance. */
VIF_INLINE void cut_block(VifChunk *chunk, unsigned n, unsigned columns)
{
    const VifBlock mask = first_columns(columns);
    keep_block(chunk->ref, n, block_and(kept_block(chunk->ref, n), mask));
    keep_block(chunk->dist, n, block_and(kept_block(chunk->dist, n), mask));
}

/* Puts the block at column x at place n of a chunk. Returns the place after it: where all pixels
 * are flat, there is nothing to put there, and no covariance to compute. What lives longer than a
 * filter goes to memory, since taps take the registers. */
VIF_INLINE unsigned put_block(VifChunk *chunk, unsigned n, VifFlats *flats, const VifPairTask *task,
                              int row, unsigned x, const VifTaps *taps, unsigned scale, VifUse use)
{
    const VifColumnMoments *in = &task->columns[row];
    const VifBlockStatistics ref = local_reference(task, row, x, taps, scale, use);
    keep_block(chunk->ref, n, ref.variance);
    const VifBlock mean = filter_block(block_of(VIF_LACK), in->mean[1] + x, taps, scale);
    const VifBlock square = product_of_means(mean, mean);
    const VifBlock product = product_of_means(ref.mean, mean);
    VifBlock dist = block_sub(filter_halves(in->moment[VIF_DIST_DIST], x, taps, scale), square);
    dist.even = vec_max_32s(dist.even, vec_zero());
    dist.odd = vec_max_32s(dist.odd, vec_zero());
    keep_block(chunk->dist, n, dist);
    if (task->w - x < VIF_BLOCK)
        cut_block(chunk, n, task->w - x);
    if (block_has_flat_pixels(chunk->ref + n) && !take_flat_pixels(flats, chunk, n))
        return n;
    VifBlock covariance =
        block_sub(filter_halves(in->moment[VIF_REF_DIST], x, taps, scale), product);
    dist = kept_block(chunk->dist, n);
    covariance.even = gaining(covariance.even, dist.even);
    covariance.odd = gaining(covariance.odd, dist.odd);
    keep_block(chunk->covariance, n, covariance);
    return n + VIF_BLOCK;
}

/* Measures a chunk: the columns from `begin` on. */
VIF_INLINE void measure_chunk(VifSums *sums, const VifPairTask *task, int row, unsigned begin,
                              const VifTaps *taps, unsigned scale, VifUse use)
{
    const unsigned end = task->w - begin < VIF_CHUNK ? task->w : begin + VIF_CHUNK;
    VifChunk chunk;
    VifFlats flats = {vec_zero(), vec_zero(), vec_zero()};
    unsigned n = 0;
    for (unsigned x = begin; x < end; x += VIF_BLOCK)
        n = put_block(&chunk, n, &flats, task, row, x, taps, scale, use);
    add_flats(sums, &flats);
    sums->flat_count -= (begin - end) % VIF_BLOCK;
    if (use == VIF_AGAIN)
        add_chunk_without_den(sums, &chunk, n, &task->gain);
    else
        add_chunk(sums, &chunk, n, &task->gain);
}

/* Columns of the rows that are joined next. They are read in bursts, one pair of rows at a time,
 * which the processor does not foresee. */
VIF_INLINE void fetch_next(const VifPairTask *task, unsigned x, bool deep)
{
    const size_t at = deep ? 2 * (size_t)x : x;
    for (int i = 0; i < 2; i++)
        for (int row = 0; row < 2; row++)
            __builtin_prefetch((const uint8_t *)task->next[i][row] + at, 0, 2);
}

VIF_INLINE void mirror_columns(const VifColumnMoments *columns, unsigned w, unsigned scale,
                               VifUse use)
{
    const unsigned radius = vif_filters[scale].radius;
    const int first = use == VIF_AGAIN; /* after those of the reference */
    for (int i = first; i < 2; i++)
        mirror_row(columns->mean[i], w, radius);
    for (int i = first; i < VIF_MOMENTS; i++)
        for (int half = 0; half < VIF_HALVES; half++)
            mirror_row(columns->moment[i][half], w, radius);
}

VIF_INLINE void measure(VifSums *sums, const VifPairTask *task, unsigned scale, bool deep,
                        VifUse use)
{
    VifTaps vertical = taps_of(scale);
    const VifTaps horizontal = taps_of(scale);
    /* With AVX2 sums take all registers, and taps are best read from memory at each use. */
    if (VEC_BYTES < 64)
        __asm__ volatile("" : : "r"(&vertical) : "memory");
    for (unsigned x = 0; x < task->w; x += VIF_BLOCK) {
        fetch_next(task, x, deep);
        if (deep)
            filter_columns_of_words(task, x, &vertical, scale, use);
        else
            filter_columns_of_bytes(task, x, &vertical, use);
    }
    for (int row = 0; row < 2; row++) {
        if (!task->measured[row])
            continue;
        mirror_columns(&task->columns[row], task->w, scale, use);
        for (unsigned begin = 0; begin < task->w; begin += VIF_CHUNK)
            measure_chunk(sums, task, row, begin, &horizontal, scale, use);
    }
}

/* -- decimation -- */

/* Even columns of a block, less 32768, as 32-bit integers. */
VIF_INLINE Vec decimate_block(const uint16_t *row, const VifTaps *taps, unsigned scale)
{
    /* The rounding; what is left as lacking makes the result signed. */
    return vec_shift_right_32s(filter_block(block_of(1 << 15), row, taps, scale).even, 16);
}

VIF_INLINE void decimate(uint16_t *out, uint16_t *columns, const VifPairWindow *window, int picture,
                         unsigned w, unsigned depth, unsigned scale, bool deep)
{
    VifPairWindow of_picture;
    for (unsigned i = 0; i <= 2 * vif_pair_reach(scale); i++)
        of_picture.pairs[i] = window->pairs[i] + (ptrdiff_t)picture * VIF_JOINED_PICTURE;
    const VifTaps taps = taps_of(scale);
    const VifStarts starts = {{start_of_mean(deep ? 1u << 31 : VIF_GREY << 16, depth)}};
    for (unsigned x = 0; x < w; x += VIF_BLOCK) {
        VifPairSums filtered;
        filter_pairs(&filtered, &of_picture, x, VIF_BIT(VIF_SUM_REF), &starts, &taps, scale);
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

#define VIF_MEASURE_BYTES(name, use)                                                               \
    static void name(VifSums *sums, const VifPairTask *task)                                       \
    {                                                                                              \
        measure(sums, task, 0, false, use);                                                        \
    }

VIF_MEASURE_BYTES(measure_bytes, VIF_ALONE)
VIF_MEASURE_BYTES(keep_bytes, VIF_KEEP)
VIF_MEASURE_BYTES(again_bytes, VIF_AGAIN)

static void decimate_bytes(uint16_t *out, uint16_t *columns, const VifPairWindow *window,
                           int picture, unsigned w, unsigned depth)
{
    (void)depth;
    decimate(out, columns, window, picture, w, 8, 1, false);
}

#define VIF_MEASURE_WORDS(name, scale, use)                                                        \
    static void name##_##scale(VifSums *sums, const VifPairTask *task)                             \
    {                                                                                              \
        measure(sums, task, scale, true, use);                                                     \
    }

#define VIF_DECIMATE_WORDS(scale)                                                                  \
    static void decimate_words_##scale(uint16_t *out, uint16_t *columns,                           \
                                       const VifPairWindow *window, int picture, unsigned w,       \
                                       unsigned depth)                                             \
    {                                                                                              \
        decimate(out, columns, window, picture, w, depth, scale, true);                            \
    }

#define VIF_MEASURE_SCALES(name, use)                                                              \
    VIF_MEASURE_WORDS(name, 0, use)                                                                \
    VIF_MEASURE_WORDS(name, 1, use)                                                                \
    VIF_MEASURE_WORDS(name, 2, use)                                                                \
    VIF_MEASURE_WORDS(name, 3, use)

VIF_MEASURE_SCALES(measure_words, VIF_ALONE)
VIF_MEASURE_SCALES(keep_words, VIF_KEEP)
VIF_MEASURE_SCALES(again_words, VIF_AGAIN)
VIF_DECIMATE_WORDS(1)
VIF_DECIMATE_WORDS(2)
VIF_DECIMATE_WORDS(3)

const VifPairFunctions ISA_VARIANT(vif_pairs) = {
    .join = {join_bytes, join_words},
    .measure = {{measure_bytes},
                {measure_words_0, measure_words_1, measure_words_2, measure_words_3}},
    .measure_and_keep = {{keep_bytes}, {keep_words_0, keep_words_1, keep_words_2, keep_words_3}},
    .measure_again = {{again_bytes}, {again_words_0, again_words_1, again_words_2, again_words_3}},
    .decimate = {{NULL, decimate_bytes},
                 {NULL, decimate_words_1, decimate_words_2, decimate_words_3}},
};
