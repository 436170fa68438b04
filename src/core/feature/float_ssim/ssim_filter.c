/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "feature/float_ssim/ssim_kernels.h"
#include "feature/float_ssim/ssim_wide.h"

/*
 * The Gaussian window, along rows and along columns.
 *
 * Each sample is taken up once: it is multiplied with the six different taps, and the products go
 * to the eleven outputs that are in progress, in registers. That needs the next sample of every
 * lane to be in the next vector, hence the dealt rows.
 */

/* exp(-x^2 / 4.5), normalised, rounded to six decimals; from the border to the centre. */
enum { HALF = SSIM_TAPS / 2 };
static const float window[HALF + 1] = {0.001028f, 0.007599f, 0.036001f,
                                       0.109361f, 0.213006f, 0.266012f};

/*
 * Adds step's samples to the outputs in progress. The output that began k steps ago is in place
 * (step - k) % SSIM_TAPS and gets its product with tap k; that of the last tap is finished then.
 */
__attribute__((always_inline)) static inline void take_up(Doubles outputs[SSIM_TAPS], Wide samples,
                                                          int step, bool is_signed)
{
    const Wide sign = samples & SIGN;
    if (is_signed)
        samples ^= sign;
#pragma GCC unroll 6
    for (int k = 0; k <= HALF; k++) {
        Wide bits = weigh(samples, window[k]);
        if (is_signed)
            bits ^= sign;
        const Doubles product = (Doubles)bits;
        Doubles *early = &outputs[(step + SSIM_TAPS - k) % SSIM_TAPS];
        Doubles *late = &outputs[(step + 1 + k) % SSIM_TAPS];
        if (k == 0)
            *early = product;
        else
            *early += product;
        COMPUTE_NOW(*early);
        if (k < HALF)
            *late += product;
        COMPUTE_NOW(*late);
    }
}

static inline const Doubles *finished(const Doubles outputs[SSIM_TAPS], int step)
{
    return &outputs[(step + 1) % SSIM_TAPS];
}

__attribute__((always_inline)) static inline void
filter_dealt(float *restrict out, const uint64_t *a, const uint64_t *b, size_t n, bool is_signed)
{
    Doubles outputs[SSIM_TAPS] = {0};
    for (size_t i = 0; i < n; i += SSIM_TAPS) {
#pragma GCC unroll 11
        for (int step = 0; step < SSIM_TAPS; step++) {
            const size_t at = (i + (size_t)step) * LANES;
            Wide samples = load_wide(a + at);
            if (b)
                samples = (Wide)((Floats)samples * (Floats)load_wide(b + at));
            take_up(outputs, samples, step, is_signed);
            store_sums(out + at, *finished(outputs, step));
        }
    }
}

static void filter_row(float *out, const uint64_t *in, size_t n, bool is_signed)
{
    if (is_signed)
        filter_dealt(out, in, NULL, n, true);
    else
        filter_dealt(out, in, NULL, n, false);
}

static void filter_product(float *out, const uint64_t *a, const uint64_t *b, size_t n,
                           bool is_signed)
{
    if (is_signed)
        filter_dealt(out, a, b, n, true);
    else
        filter_dealt(out, a, b, n, false);
}

__attribute__((always_inline)) static inline void filter_band(float *restrict rows, size_t stride,
                                                              double *restrict in_progress,
                                                              size_t n, bool is_signed)
{
    for (size_t i = 0; i < n; i++) {
        float *column = rows + i * LANES;
        Doubles *kept = (Doubles *)(in_progress + i * SSIM_IN_PROGRESS * LANES);
        Doubles outputs[SSIM_TAPS];
#pragma GCC unroll 10
        for (int k = 0; k < SSIM_IN_PROGRESS; k++)
            outputs[k + 1] = kept[k];
#pragma GCC unroll 11
        for (int step = 0; step < SSIM_TAPS; step++) {
            float *at = column + (size_t)step * stride;
            take_up(outputs, load_floats(at), step, is_signed);
            store_sums(at, *finished(outputs, step));
        }
#pragma GCC unroll 10
        for (int k = 0; k < SSIM_IN_PROGRESS; k++)
            kept[k] = outputs[k + 1];
    }
}

static void filter_columns(float *rows, size_t stride, double *in_progress, size_t n,
                           bool is_signed)
{
    if (is_signed)
        filter_band(rows, stride, in_progress, n, true);
    else
        filter_band(rows, stride, in_progress, n, false);
}

/* Deals columns i to i + 3 of every lane. */
static inline void deal_four(uint64_t *out, const float *in, size_t segment)
{
#if defined(__AVX512F__)
    __m512 halves[2];
    for (int h = 0; h < 2; h++, in += 4 * segment) {
        halves[h] = _mm512_broadcast_f32x4(_mm_loadu_ps(in));
        halves[h] = _mm512_mask_broadcast_f32x4(halves[h], 0x00f0, _mm_loadu_ps(in + segment));
        halves[h] = _mm512_mask_broadcast_f32x4(halves[h], 0x0f00, _mm_loadu_ps(in + 2 * segment));
        halves[h] = _mm512_mask_broadcast_f32x4(halves[h], 0xf000, _mm_loadu_ps(in + 3 * segment));
    }
    const __m512i first = _mm512_setr_epi32(0, 0, 0, 4, 0, 8, 0, 12, 0, 16, 0, 20, 0, 24, 0, 28);
    for (int i = 0; i < 4; i++) {
        const __m512i column = _mm512_add_epi32(first, _mm512_set1_epi32(i));
        _mm512_storeu_ps((float *)(out + i * LANES),
                         _mm512_maskz_permutex2var_ps(0xaaaa, halves[0], column, halves[1]));
    }
#elif defined(__AVX2__)
    const __m256 zero = _mm256_setzero_ps();
    const __m256 lanes_0_2 = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(in)),
                                                  _mm_loadu_ps(in + 2 * segment), 1);
    const __m256 lanes_1_3 = _mm256_insertf128_ps(
        _mm256_castps128_ps256(_mm_loadu_ps(in + segment)), _mm_loadu_ps(in + 3 * segment), 1);
    const __m256 low = _mm256_unpacklo_ps(lanes_0_2, lanes_1_3);
    const __m256 high = _mm256_unpackhi_ps(lanes_0_2, lanes_1_3);
    float *to = (float *)out;
    _mm256_storeu_ps(to, _mm256_unpacklo_ps(zero, low));
    _mm256_storeu_ps(to + 8, _mm256_unpackhi_ps(zero, low));
    _mm256_storeu_ps(to + 16, _mm256_unpacklo_ps(zero, high));
    _mm256_storeu_ps(to + 24, _mm256_unpackhi_ps(zero, high));
#else
    for (int i = 0; i < 4; i++) {
        for (int lane = 0; lane < LANES; lane++) {
            uint32_t bits;
            memcpy(&bits, in + (size_t)lane * segment + i, sizeof(bits));
            out[i * LANES + lane] = (uint64_t)bits << 32;
        }
    }
#endif
}

static void deal(uint64_t *out, const float *in, size_t segment, size_t n)
{
    for (size_t i = 0; i < n; i += 4)
        deal_four(out + i * LANES, in + i, segment);
}

void ISA_VARIANT(ssim_kernels_fill_filter)(SsimKernels *kernels)
{
    kernels->lanes = LANES;
    kernels->deal = deal;
    kernels->filter_row = filter_row;
    kernels->filter_product = filter_product;
    kernels->filter_columns = filter_columns;
}
