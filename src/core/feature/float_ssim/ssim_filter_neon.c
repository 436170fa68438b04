/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "feature/float_ssim/ssim_kernels.h"
#include "feature/float_ssim/ssim_neon.h"

/* ssim_filter.c for NEON. Dealt rows are rows of binary32 numbers. */

enum { HALF = SSIM_TAPS / 2 };

/* From the border to the centre, as in ssim_filter.c; and two that are of no use. */
static const float window[2 * LANES] = {0.001028f, 0.007599f, 0.036001f, 0.109361f,
                                        0.213006f, 0.266012f, 0,         0};

typedef struct Window {
    float32x4_t outer, inner;
} Window;

static inline void keep_in_registers(Sums *sums)
{
    KEEP_IN_REGISTER(sums->low);
    KEEP_IN_REGISTER(sums->high);
}

static inline Window load_window(void)
{
    Window w = {vld1q_f32(window), vld1q_f32(window + LANES)};
    KEEP_IN_REGISTER(w.outer);
    KEEP_IN_REGISTER(w.inner);
    return w;
}

static inline float32x4_t weigh(float32x4_t samples, Window w, int k)
{
    switch (k) {
    case 0:
        return vmulq_laneq_f32(samples, w.outer, 0);
    case 1:
        return vmulq_laneq_f32(samples, w.outer, 1);
    case 2:
        return vmulq_laneq_f32(samples, w.outer, 2);
    case 3:
        return vmulq_laneq_f32(samples, w.outer, 3);
    case 4:
        return vmulq_laneq_f32(samples, w.inner, 0);
    default:
        return vmulq_laneq_f32(samples, w.inner, 1);
    }
}

/*
 * Adds step's samples to the outputs in progress. The output that began k steps ago is in place
 * (step - k) % SSIM_TAPS and gets its product with tap k; that of the last tap is finished then.
 */
__attribute__((always_inline)) static inline void take_up(Sums outputs[SSIM_TAPS],
                                                          float32x4_t samples, Window w, int step)
{
    float32x4_t next = weigh(samples, w, 0); /* one ahead, for processors that wait for it */
#pragma GCC unroll 6
    for (int k = 0; k <= HALF; k++) {
        const float32x4_t weighted = next;
        if (k < HALF)
            next = weigh(samples, w, k + 1);
        const Sums product = widen(weighted);
        Sums *early = &outputs[(step + SSIM_TAPS - k) % SSIM_TAPS];
        Sums *late = &outputs[(step + 1 + k) % SSIM_TAPS];
        if (k < HALF)
            *late = add(*late, product);
        keep_in_registers(late);
        *early = k == 0 ? product : add(*early, product);
        keep_in_registers(early);
    }
}

static inline Sums finished(const Sums outputs[SSIM_TAPS], int step)
{
    return outputs[(step + 1) % SSIM_TAPS];
}

__attribute__((always_inline)) static inline void
filter_dealt(float *restrict out, const float *a, const float *b, size_t n, bool multiply)
{
    const Window w = load_window();
    Sums outputs[SSIM_TAPS] = {0};
    for (size_t i = 0; i < n; i += SSIM_TAPS) {
#pragma GCC unroll 11
        for (int step = 0; step < SSIM_TAPS; step++) {
            const size_t at = (i + (size_t)step) * LANES;
            float32x4_t samples = vld1q_f32(a + at);
            if (multiply)
                samples = vmulq_f32(samples, vld1q_f32(b + at));
            take_up(outputs, samples, w, step);
            store_rounded(out + at, finished(outputs, step));
        }
    }
}

static void filter_row(float *out, const uint64_t *in, size_t n, bool is_signed)
{
    (void)is_signed;
    filter_dealt(out, (const float *)in, NULL, n, false);
}

static void filter_product(float *out, const uint64_t *a, const uint64_t *b, size_t n,
                           bool is_signed)
{
    (void)is_signed;
    filter_dealt(out, (const float *)a, (const float *)b, n, true);
}

static void filter_columns(float *rows, size_t stride, double *in_progress, size_t n,
                           bool is_signed)
{
    (void)is_signed;
    const Window w = load_window();
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
            take_up(outputs, vld1q_f32(at), w, step);
            store_rounded(at, finished(outputs, step));
        }
#pragma GCC unroll 10
        for (int k = 0; k < SSIM_IN_PROGRESS; k++)
            store_sums(kept + k * LANES, outputs[k + 1]);
    }
}

/* Transposes four columns of the four lanes at a time. */
static void deal(uint64_t *out, const float *in, size_t segment, size_t n)
{
    float *to = (float *)out;
    for (size_t i = 0; i < n; i += 4, in += 4, to += 4 * LANES) {
        const float32x4x2_t even = vzipq_f32(vld1q_f32(in), vld1q_f32(in + 2 * segment));
        const float32x4x2_t odd = vzipq_f32(vld1q_f32(in + segment), vld1q_f32(in + 3 * segment));
        const float32x4x2_t low = vzipq_f32(even.val[0], odd.val[0]);
        const float32x4x2_t high = vzipq_f32(even.val[1], odd.val[1]);
        vst1q_f32(to, low.val[0]);
        vst1q_f32(to + LANES, low.val[1]);
        vst1q_f32(to + 2 * LANES, high.val[0]);
        vst1q_f32(to + 3 * LANES, high.val[1]);
    }
}

void ssim_kernels_fill_filter_neon(SsimKernels *kernels)
{
    kernels->lanes = LANES;
    kernels->deal = deal;
    kernels->filter_row = filter_row;
    kernels->filter_product = filter_product;
    kernels->filter_columns = filter_columns;
}
