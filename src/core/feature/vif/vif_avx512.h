/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_FEATURE_VIF_AVX512_H
#define CORE_FEATURE_VIF_AVX512_H

/*
 * The filters for AVX-512, for a file that has chosen what multiplies and adds:
 *
 *     VIF_DOT(sum, a, b)   sum + products of pairs of 16-bit integers, added to 32-bit ones
 *
 * They work on 32 columns at a time. Structure and comments are those of vif_avx2.c.
 */

#include <immintrin.h>

#include "feature/vif/vif_simd.h"

enum {
    BLOCK = 32,
    /* Columns at a time where a row passes through a buffer on the stack. */
    CHUNK = 256,
};

static unsigned min_unsigned(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Keeps the compiler from rearranging sums so that it runs out of registers. */
#define IN_REGISTER(v) __asm__("" : "+v"(v))

VIF_INLINE __m512i load(const void *p)
{
    return _mm512_loadu_si512(p);
}

VIF_INLINE void store(void *p, __m512i v)
{
    _mm512_storeu_si512(p, v);
}

VIF_INLINE __m512i load_bytes(const uint8_t *p)
{
    return _mm512_cvtepu8_epi16(_mm256_loadu_si256((const __m256i *)(const void *)p));
}

VIF_INLINE __m512i signed_words(__m512i unsigned_words)
{
    return _mm512_xor_si512(unsigned_words, _mm512_set1_epi16(INT16_MIN));
}

/* Sums of 32 columns in the order of the unpack instructions, which packing takes back. */
typedef struct Sums {
    __m512i a, b;
} Sums;

VIF_INLINE Sums sums_of(uint32_t value)
{
    const __m512i v = _mm512_set1_epi32((int32_t)value);
    return (Sums){v, v};
}

VIF_INLINE void multiply_add(Sums *sums, __m512i first, __m512i second, int32_t tap_pair)
{
    const __m512i taps = _mm512_set1_epi32(tap_pair);
    sums->a = VIF_DOT(sums->a, _mm512_unpacklo_epi16(first, second), taps);
    sums->b = VIF_DOT(sums->b, _mm512_unpackhi_epi16(first, second), taps);
    IN_REGISTER(sums->a);
    IN_REGISTER(sums->b);
}

VIF_INLINE Sums shift_right(Sums sums, unsigned n)
{
    const __m128i count = _mm_cvtsi32_si128((int)n);
    return (Sums){_mm512_srl_epi32(sums.a, count), _mm512_srl_epi32(sums.b, count)};
}

VIF_INLINE Sums shift_left(Sums sums, unsigned n)
{
    const __m128i count = _mm_cvtsi32_si128((int)n);
    return (Sums){_mm512_sll_epi32(sums.a, count), _mm512_sll_epi32(sums.b, count)};
}

VIF_INLINE Sums add(Sums x, Sums y)
{
    return (Sums){_mm512_add_epi32(x.a, y.a), _mm512_add_epi32(x.b, y.b)};
}

VIF_INLINE void store_words(uint16_t *out, Sums sums)
{
    store(out, signed_words(_mm512_packus_epi32(sums.a, sums.b)));
}

VIF_INLINE void store_halves(uint16_t *low, uint16_t *high, Sums sums)
{
    const __m512i mask = _mm512_set1_epi32(0xffff);
    store_words(low, (Sums){_mm512_and_si512(sums.a, mask), _mm512_and_si512(sums.b, mask)});
    store_words(high, shift_right(sums, 16));
}

/* -- products -- */

/* The first n of 32 columns. */
VIF_INLINE __mmask32 first_columns(unsigned n)
{
    return n >= BLOCK ? ~(__mmask32)0 : ((__mmask32)1 << n) - 1;
}

static void multiply_bytes(void *const product[VIF_MOMENTS], const void *ref, const void *dist,
                           unsigned w)
{
    const __m512i grey = _mm512_set1_epi16(VIF_GREY);
    const __m512i square_bias = _mm512_set1_epi16(VIF_SQUARE_BIAS);
    const __m512i mixed_bias = _mm512_set1_epi16(VIF_MIXED_BIAS);
    int16_t *rr = product[VIF_REF_REF], *dd = product[VIF_DIST_DIST], *rd = product[VIF_REF_DIST];
    for (unsigned x = 0; x < w; x += BLOCK) {
        const __mmask32 columns = first_columns(w - x);
        const __m256i ref_bytes = _mm256_maskz_loadu_epi8(columns, (const uint8_t *)ref + x);
        const __m256i dist_bytes = _mm256_maskz_loadu_epi8(columns, (const uint8_t *)dist + x);
        const __m512i r = _mm512_sub_epi16(_mm512_cvtepu8_epi16(ref_bytes), grey);
        const __m512i d = _mm512_sub_epi16(_mm512_cvtepu8_epi16(dist_bytes), grey);
        store(rr + x, _mm512_sub_epi16(_mm512_mullo_epi16(r, r), square_bias));
        store(dd + x, _mm512_sub_epi16(_mm512_mullo_epi16(d, d), square_bias));
        store(rd + x, _mm512_sub_epi16(_mm512_mullo_epi16(r, d), mixed_bias));
    }
}

/* A row of products of words has, for each block of columns, the low halves and the high ones. */
VIF_INLINE void store_product(void *product, unsigned x, __m512i a, __m512i b, int deep)
{
    uint16_t *out = (uint16_t *)product + 2 * (size_t)x;
    const __m512i low = _mm512_mullo_epi16(a, b);
    if (deep) {
        store(out, signed_words(low));
        store(out + BLOCK, signed_words(_mm512_mulhi_epu16(a, b)));
    } else {
        store(out, _mm512_and_si512(low, _mm512_set1_epi16(VIF_WORD_LOW)));
        store(out + BLOCK, _mm512_mulhi_epu16(_mm512_slli_epi16(a, 1), _mm512_slli_epi16(b, 1)));
    }
}

VIF_INLINE void multiply_words_of(void *const product[VIF_MOMENTS], const void *ref,
                                  const void *dist, unsigned w, int deep)
{
    for (unsigned x = 0; x < w; x += BLOCK) {
        const __mmask32 columns = first_columns(w - x);
        const __m512i r = _mm512_maskz_loadu_epi16(columns, (const uint16_t *)ref + x);
        const __m512i d = _mm512_maskz_loadu_epi16(columns, (const uint16_t *)dist + x);
        store_product(product[VIF_REF_REF], x, r, r, deep);
        store_product(product[VIF_DIST_DIST], x, d, d, deep);
        store_product(product[VIF_REF_DIST], x, r, d, deep);
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

VIF_INLINE __m512i load_values(const void *row, size_t x, Values values)
{
    if (values == BYTES)
        return load_bytes((const uint8_t *)row + x);
    const __m512i v = load((const uint16_t *)row + x);
    return values == UNSIGNED ? signed_words(v) : v;
}

/* Adds the sum under the window; `row` points to the middle row. */
VIF_INLINE Sums filter_block(const void *const *row, size_t x, unsigned scale, Values values,
                             Sums sums)
{
    const int radius = (int)vif_filters[scale].radius;
    const __m512i zero = _mm512_setzero_si512();
    const __m512i centre = load_values(row[0], x, values);
    if (values == LARGE || values == UNSIGNED) {
        if (vif_centre_is_shifted(scale)) {
            sums.a = _mm512_add_epi32(sums.a, _mm512_unpacklo_epi16(zero, centre));
            sums.b = _mm512_add_epi32(sums.b, _mm512_unpackhi_epi16(zero, centre));
        }
        multiply_add(&sums, centre, zero, vif_tap_pair(scale, 0, radius + 1));
#pragma GCC unroll 8
        for (int k = 1; k <= radius; k++)
            multiply_add(&sums, load_values(row[-k], x, values), load_values(row[k], x, values),
                         vif_tap_pair(scale, -k, k));
        return sums;
    }
    __m512i even = centre;
#pragma GCC unroll 8
    for (int k = 1; k <= radius; k++) {
        const __m512i pair =
            _mm512_add_epi16(load_values(row[-k], x, values), load_values(row[k], x, values));
        if (k % 2)
            multiply_add(&sums, even, pair, vif_tap_pair(scale, k - 1, k));
        else
            even = pair;
    }
    if (radius % 2 == 0)
        multiply_add(&sums, even, zero, vif_tap_pair(scale, radius, radius + 1));
    return sums;
}

/* Rows of a window from column `begin` on; copies of n columns if those do not fill `vector`
 * ones, as the rows may end there. */
VIF_INLINE void chunk_of_rows(const void *chunk[], uint16_t tail[][CHUNK], const void *const rows[],
                              unsigned n_rows, unsigned begin, unsigned n, unsigned vector,
                              Values values)
{
    const size_t sample_size = values == BYTES ? sizeof(uint8_t) : sizeof(uint16_t);
    if (n % vector) {
        vif_copy_rows(chunk, tail, sizeof(tail[0]), rows, n_rows, begin * sample_size,
                      n * sample_size);
        return;
    }
    for (unsigned i = 0; i < n_rows; i++)
        chunk[i] = (const uint8_t *)rows[i] + begin * sample_size;
}

/* Means of rows of a picture. */
VIF_INLINE void filter_means(uint16_t *out, const void *const rows[], unsigned w, unsigned scale,
                             Values values, unsigned depth)
{
    const unsigned radius = vif_filters[scale].radius;
    const uint32_t bias = values == UNSIGNED ? 1u << 31 : 0;
    for (unsigned begin = 0; begin < w; begin += CHUNK) {
        const unsigned n = min_unsigned(w - begin, CHUNK);
        const void *chunk[VIF_MAX_TAPS];
        uint16_t tail[VIF_MAX_TAPS][CHUNK];
        chunk_of_rows(chunk, tail, rows, 2 * radius + 1, begin, n, BLOCK, values);
        for (unsigned x = 0; x < n; x += BLOCK) {
            const Sums sums =
                filter_block(chunk + radius, x, scale, values, sums_of(bias + (1u << (depth - 1))));
            store_words(out + begin + x, shift_right(sums, depth));
        }
    }
}

/* Sums of the bytes of two rows, as words: columns 0 to 7 of each 16 in `a`. */
VIF_INLINE Sums add_bytes(__m512i x, __m512i y)
{
    const __m512i ones = _mm512_set1_epi8(1);
    return (Sums){_mm512_maddubs_epi16(_mm512_unpacklo_epi8(x, y), ones),
                  _mm512_maddubs_epi16(_mm512_unpackhi_epi8(x, y), ones)};
}

/* Sums of samples in 64 columns; `row` points to the middle row. */
VIF_INLINE void filter_64_bytes(Sums sums[2], const void *const *row, size_t x)
{
    const __m512i zero = _mm512_setzero_si512();
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
    const __m512i first = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
    const __m512i second = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
    sums[0] = (Sums){_mm512_permutex2var_epi64(a.a, first, b.a),
                     _mm512_permutex2var_epi64(a.b, first, b.b)};
    sums[1] = (Sums){_mm512_permutex2var_epi64(a.a, second, b.a),
                     _mm512_permutex2var_epi64(a.b, second, b.b)};
}

/* Sums of samples, for what their products lack, and the means that they round to. */
VIF_INLINE void filter_bytes(uint16_t *out, Sums sums[], const void *const rows[], unsigned n)
{
    for (unsigned x = 0; x < n; x += 2 * BLOCK) {
        filter_64_bytes(sums + x / BLOCK, rows + VIF_MAX_RADIUS, x);
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
            const void *chunk[VIF_MAX_TAPS];
            uint16_t tail[VIF_MAX_TAPS][CHUNK];
            chunk_of_rows(chunk, tail, window->sample[i], VIF_MAX_TAPS, begin, n, 2 * BLOCK, BYTES);
            filter_bytes(out->mean[i] + begin, samples[i], chunk, n);
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

/* Second moments from the two parts of products. */
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
    for (int i = 0; i < 2; i++)
        filter_means(out->mean[i], window->sample[i], w, scale, deep ? UNSIGNED : SMALL, depth);
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

/* Sums around 32 columns: even and odd ones. */
typedef struct RowSums {
    __m512i even, odd;
} RowSums;

/*
 * Sums around 32 columns of a row of values less 32768, plus 2^31 to take that back, plus
 * `offset`. Most of these loads cross cache lines, so each serves even and odd columns.
 */
VIF_INLINE RowSums filter_row(const uint16_t *row, unsigned scale, uint32_t offset)
{
    const int radius = (int)vif_filters[scale].radius;
    const __m512i upper = _mm512_set1_epi32((int32_t)0xffff0000u);
    __m512i even = _mm512_set1_epi32((int32_t)(0x80000000u + offset)), odd = even;
#pragma GCC unroll 9
    for (int k = -radius; k <= radius; k += 2) {
        const __m512i pairs = load(row + k);
        even = VIF_DOT(even, pairs, _mm512_set1_epi32(vif_tap_pair(scale, k, k + 1)));
        odd = VIF_DOT(odd, pairs, _mm512_set1_epi32(vif_tap_pair(scale, k - 1, k)));
    }
    if (vif_centre_is_shifted(scale)) {
        even = _mm512_add_epi32(even, _mm512_and_si512(load(row - 1), upper));
        odd = _mm512_add_epi32(odd, _mm512_and_si512(load(row), upper));
    }
    return (RowSums){even, odd};
}

VIF_INLINE RowSums filter_moment(uint16_t *const halves[VIF_HALVES], unsigned x, unsigned scale)
{
    const RowSums low = filter_row(halves[VIF_LOW] + x, scale, 1 << 15);
    const RowSums high = filter_row(halves[VIF_HIGH] + x, scale, 0);
    return (RowSums){_mm512_add_epi32(high.even, _mm512_srli_epi32(low.even, 16)),
                     _mm512_add_epi32(high.odd, _mm512_srli_epi32(low.odd, 16))};
}

/* Products of 32-bit integers in units of 2^-32, rounded. */
VIF_INLINE __m512i multiply_high(__m512i a, __m512i b)
{
    const __m512i half = _mm512_set1_epi64(0x80000000);
    const __m512i even = _mm512_add_epi64(_mm512_mul_epu32(a, b), half);
    const __m512i odd = _mm512_add_epi64(
        _mm512_mul_epu32(_mm512_srli_epi64(a, 32), _mm512_srli_epi64(b, 32)), half);
    return _mm512_mask_shuffle_epi32(odd, 0x5555, even, _MM_PERM_DDBB);
}

VIF_INLINE RowSums subtract_product(RowSums moment, RowSums a, RowSums b)
{
    return (RowSums){_mm512_sub_epi32(moment.even, multiply_high(a.even, b.even)),
                     _mm512_sub_epi32(moment.odd, multiply_high(a.odd, b.odd))};
}

VIF_INLINE void store_in_order(int32_t *out, RowSums values)
{
    const __m512i first = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    const __m512i second =
        _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    store(out, _mm512_permutex2var_epi32(values.even, first, values.odd));
    store(out + 16, _mm512_permutex2var_epi32(values.even, second, values.odd));
}

VIF_INLINE void local_variances(const VifVariances *out, const VifColumnMoments *in, unsigned w,
                                unsigned scale)
{
    const __m512i zero = _mm512_setzero_si512();
    for (unsigned x = 0; x < w; x += BLOCK) {
        const RowSums ref = filter_row(in->mean[0] + x, scale, 0);
        const RowSums dist = filter_row(in->mean[1] + x, scale, 0);
        const RowSums rr = filter_moment(in->moment[VIF_REF_REF], x, scale);
        store_in_order(out->ref + x, subtract_product(rr, ref, ref));
        RowSums dd = filter_moment(in->moment[VIF_DIST_DIST], x, scale);
        dd = subtract_product(dd, dist, dist);
        dd.even = _mm512_max_epi32(dd.even, zero);
        dd.odd = _mm512_max_epi32(dd.odd, zero);
        store_in_order(out->dist + x, dd);
        const RowSums rd = filter_moment(in->moment[VIF_REF_DIST], x, scale);
        store_in_order(out->covariance + x, subtract_product(rd, ref, dist));
    }
}

/* -- decimation -- */

static void decimate_columns_bytes(uint16_t *out, const void *const rows[], unsigned w,
                                   unsigned depth)
{
    (void)depth;
    filter_means(out, rows, w, 1, BYTES, 8);
}

static void decimate_columns_words(uint16_t *out, const void *const rows[], unsigned w,
                                   unsigned depth)
{
    filter_means(out, rows, w, 1, SMALL, depth);
}

/* 16 columns of the output from 32. */
VIF_INLINE __m256i decimate_16(const uint16_t *in, unsigned scale)
{
    return _mm512_cvtepi32_epi16(_mm512_srli_epi32(filter_row(in, scale, 1 << 15).even, 16));
}

VIF_INLINE void decimate_row(uint16_t *out, const uint16_t *in, unsigned w, unsigned scale)
{
    for (unsigned x = 0; x < w; x += 16)
        _mm256_storeu_si256((__m256i *)(void *)(out + x), decimate_16(in + 2 * (size_t)x, scale));
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
        filter_means(out, rows, w, scale, UNSIGNED, depth);                                        \
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

enum { PRODUCT_OF_WORDS = 2 * sizeof(uint16_t) };
static const VifKernels avx512_kernels = {
    .product_size = {sizeof(int16_t), PRODUCT_OF_WORDS, PRODUCT_OF_WORDS},
    .multiply = {multiply_bytes, multiply_words, multiply_deep_words},
    .filter_columns =
        {
            {filter_columns_bytes},
            {filter_columns_words},
            {filter_columns_0, filter_columns_1, filter_columns_2, filter_columns_3},
        },
    .local_variances = {local_variances_0, local_variances_1, local_variances_2, local_variances_3},
    .gain = vif_gain_avx512,
    .decimate_columns =
        {
            {NULL, decimate_columns_bytes},
            {NULL, decimate_columns_words},
            {NULL, decimate_columns_1, decimate_columns_2, decimate_columns_3},
        },
    .decimate_row = {NULL, decimate_row_1, decimate_row_2, decimate_row_3},
};

#endif
