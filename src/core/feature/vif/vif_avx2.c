/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <immintrin.h>

#include "feature/vif/vif_simd.h"

/*
 * AVX2. Filters work on 16 columns at a time; the parts of rows of pictures that do not fill a
 * vector are copied to where they do.
 */

enum {
    BLOCK = 16,
    /* Columns at a time where a row passes through a buffer on the stack. */
    CHUNK = 128,
};

static unsigned min_unsigned(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Keeps the compiler from reading a constant from memory at each use, and from rearranging sums so
 * that it runs out of registers. */
#define IN_REGISTER(v) __asm__("" : "+x"(v))

VIF_INLINE __m256i load(const void *p)
{
    return _mm256_loadu_si256(p);
}

VIF_INLINE void store(void *p, __m256i v)
{
    _mm256_storeu_si256(p, v);
}

VIF_INLINE __m256i load_bytes(const uint8_t *p)
{
    return _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)p));
}

VIF_INLINE __m256i signed_words(__m256i unsigned_words)
{
    return _mm256_xor_si256(unsigned_words, _mm256_set1_epi16(INT16_MIN));
}

/*
 * Sums of 16 columns, as 32-bit integers: the order of columns is that of the unpack instructions,
 * 0 to 3 and 8 to 11 in `a`, the others in `b`. Packing brings them back into order.
 */
typedef struct Sums {
    __m256i a, b;
} Sums;

VIF_INLINE Sums sums_of(uint32_t value)
{
    const __m256i v = _mm256_set1_epi32((int32_t)value);
    return (Sums){v, v};
}

VIF_INLINE void multiply_add(Sums *sums, __m256i first, __m256i second, int32_t tap_pair)
{
    const __m256i taps = _mm256_set1_epi32(tap_pair);
    const __m256i a = _mm256_unpacklo_epi16(first, second);
    const __m256i b = _mm256_unpackhi_epi16(first, second);
    sums->a = _mm256_add_epi32(sums->a, _mm256_madd_epi16(a, taps));
    sums->b = _mm256_add_epi32(sums->b, _mm256_madd_epi16(b, taps));
    IN_REGISTER(sums->a);
    IN_REGISTER(sums->b);
}

VIF_INLINE Sums shift_right(Sums sums, unsigned n)
{
    const __m128i count = _mm_cvtsi32_si128((int)n);
    return (Sums){_mm256_srl_epi32(sums.a, count), _mm256_srl_epi32(sums.b, count)};
}

VIF_INLINE Sums shift_left(Sums sums, unsigned n)
{
    const __m128i count = _mm_cvtsi32_si128((int)n);
    return (Sums){_mm256_sll_epi32(sums.a, count), _mm256_sll_epi32(sums.b, count)};
}

VIF_INLINE Sums add(Sums x, Sums y)
{
    return (Sums){_mm256_add_epi32(x.a, y.a), _mm256_add_epi32(x.b, y.b)};
}

/* Stores sums below 2^16. */
VIF_INLINE void store_words(uint16_t *out, Sums sums)
{
    store(out, signed_words(_mm256_packus_epi32(sums.a, sums.b)));
}

VIF_INLINE void store_halves(uint16_t *low, uint16_t *high, Sums sums)
{
    const __m256i mask = _mm256_set1_epi32(0xffff);
    store_words(low, (Sums){_mm256_and_si256(sums.a, mask), _mm256_and_si256(sums.b, mask)});
    store_words(high, shift_right(sums, 16));
}

/* -- products -- */

VIF_INLINE void multiply_block_of_bytes(void *const product[VIF_MOMENTS], unsigned x,
                                        const uint8_t *ref, const uint8_t *dist)
{
    const __m256i grey = _mm256_set1_epi16(VIF_GREY);
    const __m256i square_bias = _mm256_set1_epi16(VIF_SQUARE_BIAS);
    const __m256i mixed_bias = _mm256_set1_epi16(VIF_MIXED_BIAS);
    const __m256i r = _mm256_sub_epi16(load_bytes(ref), grey);
    const __m256i d = _mm256_sub_epi16(load_bytes(dist), grey);
    store((int16_t *)product[VIF_REF_REF] + x,
          _mm256_sub_epi16(_mm256_mullo_epi16(r, r), square_bias));
    store((int16_t *)product[VIF_DIST_DIST] + x,
          _mm256_sub_epi16(_mm256_mullo_epi16(d, d), square_bias));
    store((int16_t *)product[VIF_REF_DIST] + x,
          _mm256_sub_epi16(_mm256_mullo_epi16(r, d), mixed_bias));
}

static void multiply_bytes(void *const product[VIF_MOMENTS], const void *ref, const void *dist,
                           unsigned w)
{
    const uint8_t *r = ref, *d = dist;
    unsigned x = 0;
    for (; x + BLOCK <= w; x += BLOCK)
        multiply_block_of_bytes(product, x, r + x, d + x);
    if (x < w) {
        uint8_t tail[2][BLOCK] = {0};
        memcpy(tail[0], r + x, w - x);
        memcpy(tail[1], d + x, w - x);
        multiply_block_of_bytes(product, x, tail[0], tail[1]);
    }
}

/* A row of products of words has, for each block of columns, the low halves and the high ones. */
VIF_INLINE void store_product(void *product, unsigned x, __m256i a, __m256i b, int deep)
{
    uint16_t *out = (uint16_t *)product + 2 * (size_t)x;
    const __m256i low = _mm256_mullo_epi16(a, b);
    if (deep) {
        store(out, signed_words(low));
        store(out + BLOCK, signed_words(_mm256_mulhi_epu16(a, b)));
    } else {
        store(out, _mm256_and_si256(low, _mm256_set1_epi16(VIF_WORD_LOW)));
        store(out + BLOCK, _mm256_mulhi_epu16(_mm256_slli_epi16(a, 1), _mm256_slli_epi16(b, 1)));
    }
}

VIF_INLINE void multiply_block_of_words(void *const product[VIF_MOMENTS], unsigned x,
                                        const uint16_t *ref, const uint16_t *dist, int deep)
{
    const __m256i r = load(ref), d = load(dist);
    store_product(product[VIF_REF_REF], x, r, r, deep);
    store_product(product[VIF_DIST_DIST], x, d, d, deep);
    store_product(product[VIF_REF_DIST], x, r, d, deep);
}

VIF_INLINE void multiply_words_of(void *const product[VIF_MOMENTS], const void *ref,
                                  const void *dist, unsigned w, int deep)
{
    const uint16_t *r = ref, *d = dist;
    unsigned x = 0;
    for (; x + BLOCK <= w; x += BLOCK)
        multiply_block_of_words(product, x, r + x, d + x, deep);
    if (x < w) {
        uint16_t tail[2][BLOCK] = {0};
        memcpy(tail[0], r + x, (w - x) * sizeof(*r));
        memcpy(tail[1], d + x, (w - x) * sizeof(*d));
        multiply_block_of_words(product, x, tail[0], tail[1], deep);
    }
}

static void multiply_words(void *const product[VIF_MOMENTS], const void *ref, const void *dist,
                           unsigned w)
{
    multiply_words_of(product, ref, dist, w, 0);
}

static void multiply_deep_words(void *const product[VIF_MOMENTS], const void *ref, const void *dist,
                                unsigned w)
{
    multiply_words_of(product, ref, dist, w, 1);
}

/* -- vertical filters -- */

/* How a row holds what is filtered: decides whether two values can be added in 16 bits. */
typedef enum Values {
    BYTES,    /* unsigned */
    SMALL,    /* 16 bits; the sum of two is one, too */
    LARGE,    /* 16 bits, signed */
    UNSIGNED, /* 16 bits */
} Values;

VIF_INLINE __m256i load_values(const void *row, size_t x, Values values)
{
    if (values == BYTES)
        return load_bytes((const uint8_t *)row + x);
    const __m256i v = load((const uint16_t *)row + x);
    return values == UNSIGNED ? signed_words(v) : v;
}

/* Adds the sum under the window; `row` points to the middle row. */
VIF_INLINE Sums filter_block(const void *const *row, size_t x, unsigned scale, Values values,
                             Sums sums)
{
    const int radius = (int)vif_filters[scale].radius;
    const __m256i zero = _mm256_setzero_si256();
    const __m256i centre = load_values(row[0], x, values);
    if (values == LARGE || values == UNSIGNED) {
        if (vif_centre_is_shifted(scale)) {
            sums.a = _mm256_add_epi32(sums.a, _mm256_unpacklo_epi16(zero, centre));
            sums.b = _mm256_add_epi32(sums.b, _mm256_unpackhi_epi16(zero, centre));
        }
        multiply_add(&sums, centre, zero, vif_tap_pair(scale, 0, radius + 1));
#pragma GCC unroll 8
        for (int k = 1; k <= radius; k++)
            multiply_add(&sums, load_values(row[-k], x, values), load_values(row[k], x, values),
                         vif_tap_pair(scale, -k, k));
        return sums;
    }
    __m256i even = centre;
#pragma GCC unroll 8
    for (int k = 1; k <= radius; k++) {
        const __m256i pair =
            _mm256_add_epi16(load_values(row[-k], x, values), load_values(row[k], x, values));
        if (k % 2)
            multiply_add(&sums, even, pair, vif_tap_pair(scale, k - 1, k));
        else
            even = pair;
    }
    if (radius % 2 == 0)
        multiply_add(&sums, even, zero, vif_tap_pair(scale, radius, radius + 1));
    return sums;
}

/* Means of n columns, a multiple of BLOCK; rows of small values are not negative. */
VIF_INLINE void filter_means(uint16_t *out, const void *const rows[], unsigned n, unsigned scale,
                             Values values, unsigned depth)
{
    const void *const *row = rows + vif_filters[scale].radius;
    const uint32_t bias = values == UNSIGNED ? 1u << 31 : 0;
    for (unsigned x = 0; x < n; x += BLOCK) {
        Sums sums = filter_block(row, x, scale, values, sums_of(bias + (1u << (depth - 1))));
        store_words(out + x, shift_right(sums, depth));
    }
}

/* The same of the n <= CHUNK columns from `begin` on, of rows that may end after the last. */
VIF_INLINE void filter_means_of_picture(uint16_t *out, const void *const rows[], unsigned begin,
                                        unsigned n, unsigned scale, Values values, unsigned depth)
{
    const unsigned n_rows = 2 * vif_filters[scale].radius + 1;
    const size_t sample_size = values == BYTES ? sizeof(uint8_t) : sizeof(uint16_t);
    const void *chunk[VIF_MAX_TAPS];
    uint16_t tail[VIF_MAX_TAPS][CHUNK];
    if (n % BLOCK) {
        vif_copy_rows(chunk, tail, sizeof(tail[0]), rows, n_rows, begin * sample_size,
                      n * sample_size);
    } else {
        for (unsigned i = 0; i < n_rows; i++)
            chunk[i] = (const uint8_t *)rows[i] + begin * sample_size;
    }
    filter_means(out + begin, chunk, n, scale, values, depth);
}

/* Sums of the bytes of two rows, as words: columns 0 to 7 and 16 to 23 in `a`. */
VIF_INLINE Sums add_bytes(__m256i x, __m256i y)
{
    const __m256i ones = _mm256_set1_epi8(1);
    return (Sums){_mm256_maddubs_epi16(_mm256_unpacklo_epi8(x, y), ones),
                  _mm256_maddubs_epi16(_mm256_unpackhi_epi8(x, y), ones)};
}

/* Sums of samples in 32 columns; `row` points to the middle row. */
VIF_INLINE void filter_32_bytes(Sums sums[2], const void *const *row, size_t x)
{
    const __m256i zero = _mm256_setzero_si256();
    Sums a = sums_of(0), b = a;
    Sums even = add_bytes(load((const uint8_t *)row[0] + x), zero);
#pragma GCC unroll 8
    for (int k = 1; k <= VIF_MAX_RADIUS; k++) {
        const Sums pair =
            add_bytes(load((const uint8_t *)row[-k] + x), load((const uint8_t *)row[k] + x));
        if (k % 2) {
            multiply_add(&a, even.a, pair.a, vif_tap_pair(0, k - 1, k));
            multiply_add(&b, even.b, pair.b, vif_tap_pair(0, k - 1, k));
        } else {
            even = pair;
        }
    }
    multiply_add(&a, even.a, zero, vif_tap_pair(0, VIF_MAX_RADIUS, VIF_MAX_RADIUS + 1));
    multiply_add(&b, even.b, zero, vif_tap_pair(0, VIF_MAX_RADIUS, VIF_MAX_RADIUS + 1));
    sums[0] = (Sums){_mm256_permute2x128_si256(a.a, b.a, 0x20),
                     _mm256_permute2x128_si256(a.b, b.b, 0x20)};
    sums[1] = (Sums){_mm256_permute2x128_si256(a.a, b.a, 0x31),
                     _mm256_permute2x128_si256(a.b, b.b, 0x31)};
}

/* Sums of samples, for what their products lack, and the means that they round to. */
VIF_INLINE void filter_bytes(uint16_t *out, Sums sums[], const void *const rows[], unsigned n)
{
    for (unsigned x = 0; x < n; x += 2 * BLOCK) {
        filter_32_bytes(sums + x / BLOCK, rows + VIF_MAX_RADIUS, x);
        for (unsigned i = 0; i < 2; i++)
            store_words(out + x + i * BLOCK,
                        shift_right(add(sums[x / BLOCK + i], sums_of(128)), 8));
    }
}

static void filter_columns_bytes(const VifColumnMoments *out, const VifWindow *window, unsigned w,
                                 unsigned depth)
{
    (void)depth;
    for (unsigned begin = 0; begin < w; begin += CHUNK) {
        const unsigned n = min_unsigned(w - begin, CHUNK);
        Sums samples[2][CHUNK / BLOCK];
        for (int i = 0; i < 2; i++) {
            const void *rows[VIF_MAX_TAPS];
            uint8_t tail[VIF_MAX_TAPS][CHUNK];
            if (n % (2 * BLOCK))
                vif_copy_rows(rows, tail, CHUNK, window->sample[i], VIF_MAX_TAPS, begin, n);
            else
                for (int k = 0; k < VIF_MAX_TAPS; k++)
                    rows[k] = (const uint8_t *)window->sample[i][k] + begin;
            filter_bytes(out->mean[i] + begin, samples[i], rows, n);
        }
        for (int i = 0; i < VIF_MOMENTS; i++) {
            const Sums *first = samples[i == VIF_DIST_DIST], *second = samples[i != VIF_REF_REF];
            const void *const *row = window->product[i] + VIF_MAX_RADIUS;
            const uint32_t back = 65536u * (vif_product_bias(i) - VIF_GREY * VIF_GREY);
            for (unsigned x = 0; x < n; x += BLOCK) {
                const Sums linear = add(first[x / BLOCK], second[x / BLOCK]);
                const Sums start = add(shift_left(linear, 7), sums_of(back));
                store_halves(out->moment[i][VIF_LOW] + begin + x,
                             out->moment[i][VIF_HIGH] + begin + x,
                             filter_block(row, begin + x, 0, SMALL, start));
            }
        }
    }
}

/* Second moments from the halves of products, `split` bits apart. */
VIF_INLINE void filter_products(uint16_t *const out[VIF_HALVES], const void *const rows[],
                                unsigned w, unsigned scale, Values values, unsigned shift)
{
    const void *const *row = rows + vif_filters[scale].radius;
    const unsigned split = values == SMALL ? VIF_WORD_SPLIT : 16;
    const uint32_t bias = values == SMALL ? 0 : 1u << 31;
    const uint32_t half = (1u << shift) >> 1;
    for (unsigned x = 0; x < w; x += BLOCK) {
        const Sums low = filter_block(row, 2 * (size_t)x, scale, values, sums_of(bias + half));
        const Sums high = filter_block(row, 2 * (size_t)x + BLOCK, scale, values, sums_of(bias));
        store_halves(out[VIF_LOW] + x, out[VIF_HIGH] + x,
                     add(shift_left(high, split - shift), shift_right(low, shift)));
    }
}

VIF_INLINE void filter_columns_of(const VifColumnMoments *out, const VifWindow *window, unsigned w,
                                  unsigned depth, unsigned scale, int deep)
{
    for (unsigned begin = 0; begin < w; begin += CHUNK)
        for (int i = 0; i < 2; i++)
            filter_means_of_picture(out->mean[i], window->sample[i], begin,
                                    min_unsigned(w - begin, CHUNK), scale, deep ? UNSIGNED : SMALL,
                                    depth);
    /* At scale 0 to the unit of 8-bit samples, above it from 1/65536 of tap and level. */
    const unsigned shift = scale == 0 ? 2 * (depth - 8) : 16;
    for (int i = 0; i < VIF_MOMENTS; i++)
        filter_products(out->moment[i], window->product[i], w, scale, deep ? LARGE : SMALL, shift);
}

static void filter_columns_words(const VifColumnMoments *out, const VifWindow *window, unsigned w,
                                 unsigned depth)
{
    filter_columns_of(out, window, w, depth, 0, 0);
}

/* -- horizontal filters -- */

/* Sums around 16 columns: even and odd ones. */
typedef struct RowSums {
    __m256i even, odd;
} RowSums;

/*
 * Sums around n <= CHUNK columns, of a row of values less 32768, plus 2^31 to take that back, plus
 * `offset`. A function of its own, so that the taps stay in registers.
 */
VIF_INLINE void filter_row(RowSums sums[], const uint16_t *row, unsigned n, unsigned scale,
                           uint32_t offset)
{
    const int radius = (int)vif_filters[scale].radius;
    const __m256i start = _mm256_set1_epi32((int32_t)(0x80000000u + offset));
    const __m256i upper = _mm256_set1_epi32((int32_t)0xffff0000u);
    __m256i taps[VIF_MAX_RADIUS + 1];
#pragma GCC unroll 9
    for (int i = 0; i <= radius; i++) {
        taps[i] = _mm256_set1_epi32(vif_tap_pair(scale, 2 * i - radius, 2 * i + 1 - radius));
        IN_REGISTER(taps[i]);
    }
    for (unsigned x = 0; x < n; x += BLOCK) {
        const uint16_t *first = row + x - radius;
        __m256i even = start, odd = start;
#pragma GCC unroll 9
        for (int i = 0; i <= radius; i++) {
            even = _mm256_add_epi32(even, _mm256_madd_epi16(load(first + 2 * i), taps[i]));
            odd = _mm256_add_epi32(odd, _mm256_madd_epi16(load(first + 2 * i + 1), taps[i]));
            IN_REGISTER(even);
            IN_REGISTER(odd);
        }
        if (vif_centre_is_shifted(scale)) {
            even = _mm256_add_epi32(even, _mm256_and_si256(load(row + x - 1), upper));
            odd = _mm256_add_epi32(odd, _mm256_and_si256(load(row + x), upper));
        }
        sums[x / BLOCK] = (RowSums){even, odd};
    }
}

/* Products of 32-bit integers in units of 2^-32, rounded. */
VIF_INLINE __m256i multiply_high(__m256i a, __m256i b)
{
    const __m256i half = _mm256_set1_epi64x(0x80000000);
    const __m256i even = _mm256_add_epi64(_mm256_mul_epu32(a, b), half);
    const __m256i odd = _mm256_add_epi64(
        _mm256_mul_epu32(_mm256_srli_epi64(a, 32), _mm256_srli_epi64(b, 32)), half);
    return _mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xaa);
}

VIF_INLINE RowSums subtract_product(RowSums moment, RowSums a, RowSums b)
{
    return (RowSums){_mm256_sub_epi32(moment.even, multiply_high(a.even, b.even)),
                     _mm256_sub_epi32(moment.odd, multiply_high(a.odd, b.odd))};
}

VIF_INLINE void store_in_order(int32_t *out, RowSums values)
{
    const __m256i a = _mm256_unpacklo_epi32(values.even, values.odd);
    const __m256i b = _mm256_unpackhi_epi32(values.even, values.odd);
    store(out, _mm256_permute2x128_si256(a, b, 0x20));
    store(out + 8, _mm256_permute2x128_si256(a, b, 0x31));
}

/* Sums of the halves of a second moment. */
typedef struct MomentSums {
    RowSums low[CHUNK / BLOCK], high[CHUNK / BLOCK];
} MomentSums;

VIF_INLINE RowSums whole_moment(const MomentSums *sums, unsigned i)
{
    const RowSums low = sums->low[i], high = sums->high[i];
    return (RowSums){_mm256_add_epi32(high.even, _mm256_srli_epi32(low.even, 16)),
                     _mm256_add_epi32(high.odd, _mm256_srli_epi32(low.odd, 16))};
}

VIF_INLINE void local_variances(const VifVariances *out, const VifColumnMoments *in, unsigned w,
                                unsigned scale)
{
    const __m256i zero = _mm256_setzero_si256();
    for (unsigned begin = 0; begin < w; begin += CHUNK) {
        const unsigned n = min_unsigned(w - begin, CHUNK);
        RowSums means[2][CHUNK / BLOCK];
        MomentSums moments[VIF_MOMENTS];
        for (int i = 0; i < 2; i++)
            filter_row(means[i], in->mean[i] + begin, n, scale, 0);
        for (int i = 0; i < VIF_MOMENTS; i++) {
            filter_row(moments[i].low, in->moment[i][VIF_LOW] + begin, n, scale, 1 << 15);
            filter_row(moments[i].high, in->moment[i][VIF_HIGH] + begin, n, scale, 0);
        }
        for (unsigned x = 0; x < n; x += BLOCK) {
            const unsigned i = x / BLOCK;
            const RowSums ref = means[0][i], dist = means[1][i];
            const RowSums rr = whole_moment(&moments[VIF_REF_REF], i);
            const RowSums rd = whole_moment(&moments[VIF_REF_DIST], i);
            RowSums dd = whole_moment(&moments[VIF_DIST_DIST], i);
            dd = subtract_product(dd, dist, dist);
            dd.even = _mm256_max_epi32(dd.even, zero);
            dd.odd = _mm256_max_epi32(dd.odd, zero);
            store_in_order(out->ref + begin + x, subtract_product(rr, ref, ref));
            store_in_order(out->dist + begin + x, dd);
            store_in_order(out->covariance + begin + x, subtract_product(rd, ref, dist));
        }
    }
}

/* -- decimation -- */

VIF_INLINE void decimate_columns(uint16_t *out, const void *const rows[], unsigned w,
                                 unsigned depth, unsigned scale, Values values)
{
    for (unsigned begin = 0; begin < w; begin += CHUNK)
        filter_means_of_picture(out, rows, begin, min_unsigned(w - begin, CHUNK), scale, values,
                                depth);
}

static void decimate_columns_bytes(uint16_t *out, const void *const rows[], unsigned w,
                                   unsigned depth)
{
    (void)depth;
    decimate_columns(out, rows, w, 8, 1, BYTES);
}

static void decimate_columns_words(uint16_t *out, const void *const rows[], unsigned w,
                                   unsigned depth)
{
    decimate_columns(out, rows, w, depth, 1, SMALL);
}

/* 8 columns of the output from 16. */
VIF_INLINE __m256i decimate_8(const uint16_t *in, unsigned scale)
{
    const int radius = (int)vif_filters[scale].radius;
    __m256i sums = _mm256_set1_epi32((int32_t)(0x80000000u + (1 << 15)));
#pragma GCC unroll 9
    for (int k = -radius; k <= radius; k += 2) {
        const __m256i taps = _mm256_set1_epi32(vif_tap_pair(scale, k, k + 1));
        sums = _mm256_add_epi32(sums, _mm256_madd_epi16(load(in + k), taps));
    }
    if (vif_centre_is_shifted(scale))
        sums = _mm256_add_epi32(
            sums, _mm256_and_si256(load(in - 1), _mm256_set1_epi32((int32_t)0xffff0000u)));
    return _mm256_srli_epi32(sums, 16);
}

VIF_INLINE void decimate_row(uint16_t *out, const uint16_t *in, unsigned w, unsigned scale)
{
    for (unsigned x = 0; x < w; x += 16) {
        const uint16_t *source = in + 2 * (size_t)x;
        const __m256i words =
            _mm256_packus_epi32(decimate_8(source, scale), decimate_8(source + 16, scale));
        store(out + x, _mm256_permute4x64_epi64(words, 0xd8));
    }
}

/* -- one function for each window -- */

#define WINDOW_FUNCTIONS(scale)                                                                    \
    static void filter_columns_##scale(const VifColumnMoments *out, const VifWindow *window,       \
                                       unsigned w, unsigned depth)                                 \
    {                                                                                              \
        filter_columns_of(out, window, w, depth, scale, 1);                                        \
    }                                                                                              \
    static void local_variances_##scale(const VifVariances *out, const VifColumnMoments *in,       \
                                        unsigned w)                                                \
    {                                                                                              \
        local_variances(out, in, w, scale);                                                        \
    }

#define DECIMATION_FUNCTIONS(scale)                                                                \
    static void decimate_columns_##scale(uint16_t *out, const void *const rows[], unsigned w,      \
                                         unsigned depth)                                           \
    {                                                                                              \
        decimate_columns(out, rows, w, depth, scale, UNSIGNED);                                    \
    }                                                                                              \
    static void decimate_row_##scale(uint16_t *out, const uint16_t *in, unsigned w)                \
    {                                                                                              \
        decimate_row(out, in, w, scale);                                                           \
    }

WINDOW_FUNCTIONS(0)
WINDOW_FUNCTIONS(1)
WINDOW_FUNCTIONS(2)
WINDOW_FUNCTIONS(3)
DECIMATION_FUNCTIONS(1)
DECIMATION_FUNCTIONS(2)
DECIMATION_FUNCTIONS(3)

void vif_kernels_init_avx2(VifKernels *kernels)
{
    enum { PRODUCT_OF_WORDS = 2 * sizeof(uint16_t) };
    *kernels = (VifKernels){
        .product_size = {sizeof(int16_t), PRODUCT_OF_WORDS, PRODUCT_OF_WORDS},
        .multiply = {multiply_bytes, multiply_words, multiply_deep_words},
        .filter_columns =
            {
                {filter_columns_bytes},
                {filter_columns_words},
                {filter_columns_0, filter_columns_1, filter_columns_2, filter_columns_3},
            },
        .local_variances = {local_variances_0, local_variances_1, local_variances_2,
                            local_variances_3},
        .gain = vif_gain_avx2,
        .decimate_columns =
            {
                {NULL, decimate_columns_bytes},
                {NULL, decimate_columns_words},
                {NULL, decimate_columns_1, decimate_columns_2, decimate_columns_3},
            },
        .decimate_row = {NULL, decimate_row_1, decimate_row_2, decimate_row_3},
    };
}
