/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <string.h>

#include "feature/psnr_hvs/psnr_hvs_kernels.h"
#include "simd_check/simd_check.h"

enum { N_TILES = 60 };

static void fill_work(PsnrHvsWork *work, unsigned bpc, enum SimdContent content)
{
    for (int i = 0; i < 2; i++) {
        uint16_t samples[PSNR_HVS_COEFFICIENTS * PSNR_HVS_LANES];
        simd_fill_samples(samples, sizeof(samples) / sizeof(samples[0]), bpc, content);
        memcpy(work->samples[i], samples, sizeof(samples));
    }
    for (unsigned k = 0; k < PSNR_HVS_COEFFICIENTS; k += 2) /* half of the samples are equal */
        memcpy(work->samples[1][k], work->samples[0][k], sizeof(work->samples[0][k]));
}

static void compare(unsigned cpu_flags)
{
    static const unsigned depths[] = {9, 10, 12};
    PsnrHvsKernels scalar, vector;
    psnr_hvs_kernels_init(&scalar, 0);
    psnr_hvs_kernels_init(&vector, cpu_flags);
    PsnrHvsWork *expected = simd_buffer(sizeof(*expected), SIMD_GUARD_BEFORE);
    PsnrHvsWork *actual = simd_buffer(sizeof(*actual), SIMD_GUARD_BEFORE);
    for (unsigned i = 0; i < N_TILES; i++) {
        const unsigned bpc = depths[i % 3], plane = i / 3 % 3;
        const enum SimdContent content = (enum SimdContent)(i % SIMD_CONTENTS);
        PsnrHvsWeights weights;
        psnr_hvs_weights_init(&weights, plane);
        fill_work(expected, bpc, content);
        memcpy(actual->samples, expected->samples, sizeof(actual->samples));
        simd_case("errors, %u bits, plane %u, content %d", bpc, plane, content);
        scalar.errors(&weights, expected);
        vector.errors(&weights, actual);
        simd_expect_equal(expected->coefficients, actual->coefficients,
                          sizeof(actual->coefficients));
        simd_expect_equal(expected->errors, actual->errors, sizeof(actual->errors));
    }
    simd_free_buffers();
}

typedef struct Arguments {
    PsnrHvsKernels kernels;
    PsnrHvsWeights weights;
    PsnrHvsWork *work;
} Arguments;

static void call_errors(void *opaque)
{
    Arguments *a = opaque;
    a->kernels.errors(&a->weights, a->work);
}

static void measure(unsigned cpu_flags)
{
    Arguments a = {.work = simd_buffer(sizeof(PsnrHvsWork), SIMD_GUARD_BEFORE)};
    psnr_hvs_kernels_init(&a.kernels, cpu_flags);
    psnr_hvs_weights_init(&a.weights, 0);
    fill_work(a.work, 10, SIMD_NOISE);
    simd_measure("errors", PSNR_HVS_COEFFICIENTS * PSNR_HVS_LANES, call_errors, &a);
    simd_free_buffers();
}

const SimdCheck check_psnr_hvs = {"psnr_hvs", compare, measure};
