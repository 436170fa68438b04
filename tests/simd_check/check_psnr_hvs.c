/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "metrics/psnr_hvs/psnr_hvs_internal.h"
#include "simd_check/simd_check.h"

enum { N_TILES = 60 };

static void fill_work(PsnrHvsWork *work, unsigned bpc, enum SimdContent content)
{
    for (int i = 0; i < 2; i++) {
        enum { N_SAMPLES = PSNR_HVS_COEFFICIENTS * PSNR_HVS_LANES };
        uint16_t samples[N_SAMPLES];
        simd_fill_samples(samples, N_SAMPLES, bpc == 8 ? 9 : bpc, content);
        for (int s = 0; s < N_SAMPLES && bpc == 8; s++)
            samples[s] /= 2;
        memcpy(work->samples[i], samples, sizeof(samples));
    }
    for (unsigned k = 0; k < PSNR_HVS_COEFFICIENTS; k += 2) /* half of the samples are equal */
        memcpy(work->samples[1][k], work->samples[0][k], sizeof(work->samples[0][k]));
}

/* A row of blocks, whose rows end with a page that must not be touched. */
static void compare_load(const PsnrHvsFunctions *scalar, const PsnrHvsFunctions *vector)
{
    enum { STEP = 7, ROW = STEP * PSNR_HVS_LANES + 1 };
    PsnrHvsWork *work = simd_buffer(sizeof(*work), SIMD_GUARD_BEFORE);
    for (int deep = 0; deep < 2; deep++) {
        const size_t size = deep ? 2 : 1;
        char *plane = simd_buffer(ROW * PSNR_HVS_BLOCK * size, SIMD_GUARD_AFTER);
        simd_fill_samples(plane, ROW * PSNR_HVS_BLOCK, deep ? 16 : 8, SIMD_NOISE);
        const void *blocks[PSNR_HVS_LANES];
        for (size_t i = 0; i < PSNR_HVS_LANES; i++)
            blocks[i] = plane + i * STEP * size;
        simd_case("load, %zu bytes per sample", size);
        scalar->load(blocks, (ptrdiff_t)(ROW * size), deep, work->samples[0]);
        vector->load(blocks, (ptrdiff_t)(ROW * size), deep, work->samples[1]);
        simd_expect_equal(work->samples[0], work->samples[1], sizeof(work->samples[0]));
    }
}

/* Against the definition: one term after another. */
static void compare_sum(const PsnrHvsFunctions *functions, PsnrHvsWork *work)
{
    float expected = 0, actual = 0;
    for (unsigned i = 0; i < N_TILES; i++) {
        const unsigned n = i % 5 ? PSNR_HVS_LANES : i % PSNR_HVS_LANES;
        float *terms = work->errors[0];
        for (unsigned t = 0; t < PSNR_HVS_COEFFICIENTS * PSNR_HVS_LANES; t++) {
            const float root = (float)(simd_random() % 4 ? 0 : simd_random() % 10000) / 64;
            terms[t] = i % 7 ? root * root : (float)(int)root / 2;
        }
        for (unsigned lane = 0; lane < n; lane++)
            for (unsigned k = 0; k < PSNR_HVS_COEFFICIENTS; k++)
                expected += work->errors[k][lane];
        simd_case("sum of %u blocks, tile %u", n, i);
        actual = functions->add_errors(actual, (const float(*)[PSNR_HVS_LANES])work->errors, n);
        simd_expect_equal(&expected, &actual, sizeof(expected));
    }
}

static void compare(unsigned cpu_flags)
{
    static const unsigned depths[] = {8, 9, 10, 12};
    PsnrHvsFunctions scalar, vector;
    psnr_hvs_functions_init(&scalar, 0);
    psnr_hvs_functions_init(&vector, cpu_flags);
    PsnrHvsWork *expected = simd_buffer(sizeof(*expected), SIMD_GUARD_BEFORE);
    PsnrHvsWork *actual = simd_buffer(sizeof(*actual), SIMD_GUARD_BEFORE);
    for (unsigned i = 0; i < N_TILES; i++) {
        const unsigned bpc = depths[i % 4], plane = i / 4 % 3;
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
    compare_load(&scalar, &vector);
    compare_sum(&scalar, expected);
    compare_sum(&vector, actual);
    simd_free_buffers();
}

typedef struct Arguments {
    PsnrHvsFunctions functions;
    PsnrHvsWeights weights;
    PsnrHvsWork *work;
    const void *blocks[PSNR_HVS_LANES];
    float sum;
} Arguments;

static void call_load(void *opaque)
{
    Arguments *a = opaque;
    a->functions.load(a->blocks, sizeof(a->work->samples[1][0]), true, a->work->samples[0]);
}

static void call_errors(void *opaque)
{
    Arguments *a = opaque;
    a->functions.errors(&a->weights, a->work);
}

static void call_add_errors(void *opaque)
{
    Arguments *a = opaque;
    a->sum = a->functions.add_errors(1e9f, (const float(*)[PSNR_HVS_LANES])a->work->errors,
                                     PSNR_HVS_LANES);
}

static void measure(unsigned cpu_flags)
{
    Arguments a = {.work = simd_buffer(sizeof(PsnrHvsWork), SIMD_GUARD_BEFORE)};
    psnr_hvs_functions_init(&a.functions, cpu_flags);
    psnr_hvs_weights_init(&a.weights, 0);
    fill_work(a.work, 10, SIMD_NOISE);
    for (unsigned i = 0; i < PSNR_HVS_LANES; i++)
        a.blocks[i] = &a.work->samples[1][0][i % PSNR_HVS_BLOCK];
    enum { N_SAMPLES = PSNR_HVS_COEFFICIENTS * PSNR_HVS_LANES };
    simd_measure("load", N_SAMPLES, call_load, &a);
    simd_measure("errors", N_SAMPLES, call_errors, &a);
    simd_measure("sum", N_SAMPLES, call_add_errors, &a);
    simd_free_buffers();
}

const SimdCheck check_psnr_hvs = {"psnr_hvs", compare, measure};
