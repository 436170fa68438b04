/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * Vectors of samples that are multiplied in binary32 and added in binary64.
 *
 * A binary32 number in the upper half of 64 bits, moved right by three bits, is the same number in
 * binary64 times 2^-896, unless it is negative: the mantissa is in its place and the exponent lacks
 * the difference of the biases. So one shift widens a product, and one multiplication of the sum
 * makes up for it. Every operation on such numbers rounds like the one on the numbers that they
 * stand for.
 *
 * NEON widens as fast as it shifts: its products need no trick, there are twice as many of them in
 * a vector, and signs make no difference.
 */

#include <stdbool.h>

#include "metrics/float_ssim/ssim_internal.h"
#include "platform/machine.h"
#include "support/vector_lanes.h"

#define SUMS_INLINE __attribute__((always_inline)) static inline

#ifdef VMAF_ISA_NEON

enum { LANES = LANES_32, SIGNS_MATTER = 0 };
typedef LanesF32 Samples;
typedef LanesF32 Products;
typedef struct Sums {
    LanesF64 low, high;
} Sums;
/* Eight at most, in registers, from where instructions take any of them. */
typedef struct Taps {
    LanesF32 of[2];
} Taps;

/* Compilers would load constants whenever they need them, and put off additions until they need
 * their sums, and run out of registers. */
#define KEEP_IN_REGISTER(v) __asm__ volatile("" : "+w"(v))
#define COMPUTE_NOW(sums)                                                                          \
    do {                                                                                           \
        KEEP_IN_REGISTER((sums).low);                                                              \
        KEEP_IN_REGISTER((sums).high);                                                             \
    } while (0)

SUMS_INLINE Taps load_taps(const float *first, int n, int stride)
{
    float taps[2 * LANES_32] = {0};
    for (int k = 0; k < n; k++)
        taps[k] = first[k * stride];
    Taps loaded = {{(LanesF32)vld1q_f32(taps), (LanesF32)vld1q_f32(taps + LANES_32)}};
    KEEP_IN_REGISTER(loaded.of[0]);
    KEEP_IN_REGISTER(loaded.of[1]);
    return loaded;
}

/* LANES neighbours. */
SUMS_INLINE Samples load_samples(const float *from)
{
    return (Samples)vld1q_f32(from);
}

SUMS_INLINE Samples load_dealt(const uint64_t *dealt, size_t vector)
{
    return load_samples((const float *)dealt + vector * LANES);
}

/* Every other one of 2 LANES neighbours. */
SUMS_INLINE Samples load_half(const float *from, bool odd)
{
    const float32x4_t first = vld1q_f32(from), second = vld1q_f32(from + LANES);
    return (Samples)(odd ? vuzp2q_f32(first, second) : vuzp1q_f32(first, second));
}

SUMS_INLINE Samples multiply_samples(Samples a, Samples b)
{
    return a * b;
}

/* is_signed: whether samples may be negative. */
SUMS_INLINE Products multiply(Samples samples, const Taps *taps, int k, bool is_signed)
{
    const float32x4_t of = (float32x4_t)taps->of[k / LANES_32];
    (void)is_signed;
    switch (k % LANES_32) { /* instructions have the number of the lane in them */
    case 0:
        return (Products)vmulq_laneq_f32((float32x4_t)samples, of, 0);
    case 1:
        return (Products)vmulq_laneq_f32((float32x4_t)samples, of, 1);
    case 2:
        return (Products)vmulq_laneq_f32((float32x4_t)samples, of, 2);
    default:
        return (Products)vmulq_laneq_f32((float32x4_t)samples, of, 3);
    }
}

SUMS_INLINE Sums widened(Products products)
{
    return (Sums){(LanesF64)vcvt_f64_f32(vget_low_f32((float32x4_t)products)),
                  (LanesF64)vcvt_high_f64_f32((float32x4_t)products)};
}

SUMS_INLINE Sums add_sums(Sums a, Sums b)
{
    return (Sums){a.low + b.low, a.high + b.high};
}

/* A sum that begins with the products with tap k. */
SUMS_INLINE Sums begin_weighted(Sums products, const Taps *taps, int k)
{
    (void)taps;
    (void)k;
    return products;
}

SUMS_INLINE Sums add_weighted(Sums sums, Sums products, const Taps *taps, int k)
{
    (void)taps;
    (void)k;
    return add_sums(sums, products);
}

SUMS_INLINE Sums load_sums(const double *from)
{
    return (Sums){(LanesF64)vld1q_f64(from), (LanesF64)vld1q_f64(from + LANES_64)};
}

/* Loads sums from any address. */
SUMS_INLINE Sums sums_at(const double *from)
{
    return load_sums(from);
}

SUMS_INLINE void store_sums(double *to, Sums sums)
{
    vst1q_f64(to, (float64x2_t)sums.low);
    vst1q_f64(to + LANES_64, (float64x2_t)sums.high);
}

/* Stores sums rounded to binary32. */
SUMS_INLINE void store_rounded(float *to, Sums sums)
{
    vst1q_f32(to, vcvt_high_f32_f64(vcvt_f32_f64((float64x2_t)sums.low), (float64x2_t)sums.high));
}

/* Four columns of LANES rows that are `segment` samples apart, as dealt vectors from one on. */
SUMS_INLINE void deal_four(uint64_t *out, size_t vector, const float *in, size_t segment)
{
    float *to = (float *)out + vector * LANES;
    LanesF32 m[4];
    for (int lane = 0; lane < LANES; lane++)
        m[lane] = load_samples(in + (size_t)lane * segment);
    lanes_transpose_f32(m);
    for (int i = 0; i < 4; i++)
        vst1q_f32(to + (size_t)i * LANES, (float32x4_t)m[i]);
}

#else

enum { LANES = LANES_64, SIGNS_MATTER = 1 };
typedef LanesU64 Samples;  /* in the upper halves */
typedef LanesU64 Products; /* of magnitudes with those of taps, but with the signs of samples */
typedef LanesF64 Sums;     /* times 2^-896 */
typedef struct Taps {
    const float *first;
    int stride;
} Taps;

#define SIGN           ((uint64_t)1 << 63)
#define MISSING_FACTOR 0x1p896

/* GCC would put off additions until it needs their sums, and run out of registers. */
#if defined(__AVX512F__)
#define COMPUTE_NOW(sums) __asm__("" : "+v"(sums))
#elif defined(__x86_64__)
#define COMPUTE_NOW(sums) __asm__("" : "+x"(sums))
#else
#define COMPUTE_NOW(sums) ((void)(sums))
#endif

SUMS_INLINE Taps load_taps(const float *first, int n, int stride)
{
    (void)n;
    return (Taps){first, stride};
}

/* LANES neighbours. */
SUMS_INLINE Samples load_samples(const float *from)
{
    return lanes_upper_f32(from);
}

SUMS_INLINE Samples load_dealt(const uint64_t *dealt, size_t vector)
{
    Samples samples;
    memcpy(&samples, dealt + vector * LANES, sizeof(samples));
    return samples;
}

/* Every other one of 2 LANES neighbours. */
SUMS_INLINE Samples load_half(const float *from, bool odd)
{
    Samples pairs;
    memcpy(&pairs, from, sizeof(pairs));
    if (odd == vmaf_is_little_endian()) /* then the second of a pair is in the upper half */
        return pairs & ~(uint64_t)UINT32_MAX;
    return pairs << 32;
}

SUMS_INLINE Samples multiply_samples(Samples a, Samples b)
{
    return (Samples)((LanesF32)a * (LanesF32)b);
}

/* is_signed: whether samples may be negative. */
SUMS_INLINE Products multiply(Samples samples, const Taps *taps, int k, bool is_signed)
{
    const float tap = taps->first[k * taps->stride], magnitude = tap < 0 ? -tap : tap;
    const LanesU64 sign = samples & SIGN;
    if (!is_signed)
        return (Products)((LanesF32)samples * magnitude) >> 3;
    return (Products)((LanesF32)(samples ^ sign) * magnitude) >> 3 ^ sign;
}

SUMS_INLINE Sums widened(Products products)
{
    return (Sums)products;
}

SUMS_INLINE Sums add_sums(Sums a, Sums b)
{
    return a + b;
}

/* A sum that begins with the products with tap k. */
SUMS_INLINE Sums begin_weighted(Sums products, const Taps *taps, int k)
{
    if (taps->first[k * taps->stride] < 0)
        return (Sums){0} - products;
    return products;
}

SUMS_INLINE Sums add_weighted(Sums sums, Sums products, const Taps *taps, int k)
{
    return taps->first[k * taps->stride] < 0 ? sums - products : sums + products;
}

SUMS_INLINE Sums load_sums(const double *from)
{
    return *(const LanesF64 *)from;
}

/* Loads sums from any address. */
SUMS_INLINE Sums sums_at(const double *from)
{
    return *(const UnalignedLanesF64 *)from;
}

SUMS_INLINE void store_sums(double *to, Sums sums)
{
    *(LanesF64 *)to = sums;
}

/* Stores sums rounded to binary32. */
SUMS_INLINE void store_rounded(float *to, Sums sums)
{
    lanes_store_f32_of_f64(to, sums * MISSING_FACTOR);
}

/* Four columns of LANES rows that are `segment` samples apart, as dealt vectors from one on. */
SUMS_INLINE void deal_four(uint64_t *out, size_t vector, const float *in, size_t segment)
{
    lanes_store_columns_upper_f32(out + vector * LANES, in, segment);
}

#endif

/*
 * The Gaussian window, along rows and along columns.
 *
 * Each sample is taken up once: it is multiplied with the six different taps, and the products go
 * to the eleven outputs that are in progress, in registers. That needs the next sample of every
 * lane to be in the next vector, hence the dealt rows.
 */

/* From the border to the centre. */
enum { HALF = SSIM_TAPS / 2 };
static const float window[HALF + 1] = {SSIM_WINDOW(SSIM_NUMBER)};

/*
 * Adds step's samples to the outputs in progress. The output that began k steps ago is in place
 * (step - k) % SSIM_TAPS and gets its product with tap k; that of the last tap is finished then.
 */
SUMS_INLINE void take_up(Sums outputs[SSIM_TAPS], Samples samples, const Taps *taps, int step,
                         bool is_signed)
{
    Products next = multiply(samples, taps, 0, is_signed); /* for processors that wait for it */
#pragma GCC unroll 6
    for (int k = 0; k <= HALF; k++) {
        const Sums product = widened(next);
        if (k < HALF)
            next = multiply(samples, taps, k + 1, is_signed);
        Sums *early = &outputs[(step + SSIM_TAPS - k) % SSIM_TAPS];
        Sums *late = &outputs[(step + 1 + k) % SSIM_TAPS];
        *early = k == 0 ? product : add_sums(*early, product);
        COMPUTE_NOW(*early);
        if (k < HALF)
            *late = add_sums(*late, product);
        COMPUTE_NOW(*late);
    }
}

static inline Sums finished(const Sums outputs[SSIM_TAPS], int step)
{
    return outputs[(step + 1) % SSIM_TAPS];
}

SUMS_INLINE void filter_dealt(float *restrict out, const uint64_t *a, const uint64_t *b, size_t n,
                              bool is_signed)
{
    const Taps taps = load_taps(window, HALF + 1, 1);
    Sums outputs[SSIM_TAPS] = {0};
    for (size_t i = 0; i < n; i += SSIM_TAPS) {
#pragma GCC unroll 11
        for (int step = 0; step < SSIM_TAPS; step++) {
            const size_t at = i + (size_t)step;
            Samples samples = load_dealt(a, at);
            if (b)
                samples = multiply_samples(samples, load_dealt(b, at));
            take_up(outputs, samples, &taps, step, is_signed);
            store_rounded(out + at * LANES, finished(outputs, step));
        }
    }
}

static void filter_row(float *out, const uint64_t *in, size_t n, bool is_signed)
{
    if (SIGNS_MATTER && is_signed)
        filter_dealt(out, in, NULL, n, true);
    else
        filter_dealt(out, in, NULL, n, false);
}

static void filter_product(float *out, const uint64_t *a, const uint64_t *b, size_t n,
                           bool is_signed)
{
    if (SIGNS_MATTER && is_signed)
        filter_dealt(out, a, b, n, true);
    else
        filter_dealt(out, a, b, n, false);
}

SUMS_INLINE void filter_band(float *restrict rows, size_t stride, double *restrict in_progress,
                             size_t n, bool is_signed)
{
    const Taps taps = load_taps(window, HALF + 1, 1);
    for (size_t i = 0; i < n; i++) {
        float *column = rows + i * LANES;
        double *kept = in_progress + i * SSIM_IN_PROGRESS * LANES;
        Sums outputs[SSIM_TAPS];
#pragma GCC unroll 10
        for (int k = 0; k < SSIM_IN_PROGRESS; k++)
            outputs[k + 1] = load_sums(kept + k * LANES);
#pragma GCC unroll 11
        for (int step = 0; step < SSIM_TAPS; step++) {
            float *at = column + (size_t)step * stride;
            take_up(outputs, load_samples(at), &taps, step, is_signed);
            store_rounded(at, finished(outputs, step));
        }
#pragma GCC unroll 10
        for (int k = 0; k < SSIM_IN_PROGRESS; k++)
            store_sums(kept + k * LANES, outputs[k + 1]);
    }
}

static void filter_columns(float *rows, size_t stride, double *in_progress, size_t n,
                           bool is_signed)
{
    if (SIGNS_MATTER && is_signed)
        filter_band(rows, stride, in_progress, n, true);
    else
        filter_band(rows, stride, in_progress, n, false);
}

static void deal(uint64_t *out, const float *in, size_t segment, size_t n)
{
    for (size_t i = 0; i < n; i += 4)
        deal_four(out, i, in + i, segment);
}

/*
 * The next scale of a picture. Samples are not negative; products are multiples of 2^-43, and the
 * sums of their magnitudes are below 2^9. So sums in binary64 are exact and can be made in the
 * order that is convenient: columns first, for each column of taps that differs from the others,
 * each sample multiplied only once with every tap it meets there.
 */

enum { RADIUS = SSIM_PYRAMID_RADIUS, BAND = SSIM_PYRAMID_BAND, BLOCK = SSIM_PYRAMID_BLOCK };
enum { COLUMNS = BLOCK + SSIM_PADDING, OVERLAP = SSIM_PYRAMID_RADIUS };

/* Sums of columns; column i is two before output i. */
typedef struct ColumnSums {
    double of[RADIUS + 1][BAND][COLUMNS] __attribute__((aligned(64)));
} ColumnSums;

SUMS_INLINE Sums weighted(Samples samples, const Taps *taps, int v)
{
    return widened(multiply(samples, taps, v, false));
}

/* Sums over columns of taps u, of n columns of samples. */
SUMS_INLINE void sum_columns(double sums[BAND][COLUMNS], const float *const rows[2 * BAND],
                             ptrdiff_t first, double *in_progress, size_t n, int u)
{
    const Taps taps = load_taps(&ssim_pyramid_taps[0][u], RADIUS + 1, RADIUS + 1);
    for (size_t x = 0; x < n; x += LANES) {
        /* The output row that is finished by step s is that in place s. */
        Sums outputs[BAND];
        double *kept = in_progress + x * (BAND - 1);
#pragma GCC unroll 4
        for (int i = 0; i < BAND - 1; i++)
            outputs[i] = load_sums(kept + i * LANES);
#pragma GCC unroll 5
        for (int s = 0; s < BAND; s++) {
            const ptrdiff_t at = first + 2 * (ptrdiff_t)x;
            const Samples a = load_half(rows[2 * s] + at, u % 2);
            const Samples b = load_half(rows[2 * s + 1] + at, u % 2);
            Sums *finished = &outputs[s], *second = &outputs[(s + 1) % BAND];
            Sums *third = &outputs[(s + 2) % BAND], *fourth = &outputs[(s + 3) % BAND];
            Sums *begun = &outputs[(s + 4) % BAND];
            const Sums a0 = weighted(a, &taps, 0), a2 = weighted(a, &taps, 2);
            *finished = add_weighted(*finished, a0, &taps, 0);
            store_sums(&sums[s][x], *finished);
            *begun = begin_weighted(a0, &taps, 0);
            *second = add_weighted(*second, a2, &taps, 2);
            *fourth = add_weighted(*fourth, a2, &taps, 2);
            *third = add_weighted(*third, weighted(a, &taps, 4), &taps, 4);
            const Sums b1 = weighted(b, &taps, 1), b3 = weighted(b, &taps, 3);
            *second = add_weighted(*second, b1, &taps, 1);
            *begun = add_weighted(*begun, b1, &taps, 1);
            *third = add_weighted(*third, b3, &taps, 3);
            *fourth = add_weighted(*fourth, b3, &taps, 3);
            COMPUTE_NOW(*begun);
            COMPUTE_NOW(*second);
            COMPUTE_NOW(*third);
            COMPUTE_NOW(*fourth);
        }
#pragma GCC unroll 4
        for (int i = 0; i < BAND - 1; i++)
            store_sums(kept + i * LANES, outputs[i]);
    }
}

static void combine_columns(float *out, const ColumnSums *sums, int row, size_t n)
{
    const double *c0 = sums->of[0][row], *c1 = sums->of[1][row], *c2 = sums->of[2][row];
    const double *c3 = sums->of[3][row], *c4 = sums->of[4][row];
    for (size_t x = 0; x < n; x += LANES) {
        Sums sum = add_sums(sums_at(c0 + x), sums_at(c0 + x + 4));
        sum = add_sums(sum, add_sums(sums_at(c1 + x), sums_at(c1 + x + 3)));
        sum = add_sums(sum, add_sums(sums_at(c2 + x + 1), sums_at(c2 + x + 3)));
        sum = add_sums(sum, add_sums(sums_at(c3 + x + 1), sums_at(c3 + x + 2)));
        store_rounded(out + x, add_sums(sum, sums_at(c4 + x + 2)));
    }
}

static void picture_pyramid(float *const out[BAND], const float *const rows[2 * BAND],
                            double *in_progress, unsigned w)
{
    enum { KEPT = COLUMNS * (BAND - 1) };
    ColumnSums sums;
    for (unsigned begin = 0; begin < w; begin += BLOCK, in_progress += (RADIUS + 1) * KEPT) {
        const size_t n_outputs = w - begin < BLOCK ? w - begin : BLOCK;
        const size_t n = (n_outputs + LANES - 1) / LANES * LANES;
        const ptrdiff_t first = 2 * (ptrdiff_t)begin - RADIUS;
        sum_columns(sums.of[0], rows, first, in_progress, n + OVERLAP, 0);
        sum_columns(sums.of[1], rows, first, in_progress + KEPT, n + OVERLAP, 1);
        sum_columns(sums.of[2], rows, first, in_progress + 2 * KEPT, n + OVERLAP, 2);
        sum_columns(sums.of[3], rows, first, in_progress + 3 * KEPT, n + OVERLAP, 3);
        sum_columns(sums.of[4], rows, first, in_progress + 4 * KEPT, n + OVERLAP, 4);
        for (int row = 0; row < BAND; row++)
            combine_columns(out[row] + begin, &sums, row, n);
    }
}

void ISA_VARIANT(ssim_functions_fill_filter)(SsimFunctions *functions)
{
    functions->lanes = LANES;
    functions->deal = deal;
    functions->filter_row = filter_row;
    functions->filter_product = filter_product;
    functions->filter_columns = filter_columns;
    functions->picture_pyramid = picture_pyramid;
}
