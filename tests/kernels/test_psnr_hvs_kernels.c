/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * The errors of the coefficients of single blocks, by the kernel, against the vectors of the
 * library: noise, flat and nearly flat blocks, extremes, and samples above the nominal depth.
 */
#include <stdlib.h>
#include <string.h>

#include "fixture.h"
#include "metrics/psnr_hvs/psnr_hvs_internal.h"
#include "metrics/psnr_hvs/psnr_hvs_kernel.h"
#include "support/cases.h"

enum { N_CONTENTS = 6, MAX_SIDE = 128 };

typedef struct Pictures {
    unsigned size; /* of a sample in bytes */
    unsigned w, h, stride;
    uint16_t ref[MAX_SIDE * MAX_SIDE], dist[MAX_SIDE * MAX_SIDE];
} Pictures;

static uint32_t noise(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 12;
}

/* Content of a block, by its number. */
static void sample(unsigned content, uint32_t *state, unsigned peak, uint16_t *ref, uint16_t *dist)
{
    const unsigned a = noise(state) & peak, b = noise(state) & peak;
    const unsigned pairs[N_CONTENTS][2] = {
        {a, b},                                   /* noise */
        {peak / 3, peak / 2},                     /* flat, of another brightness */
        {peak / 2, peak / 2 + (a & 1)},           /* one flat */
        {peak / 2 + (a & 3), peak / 2 + (b & 3)}, /* nearly flat */
        {a & 1 ? peak : 0, b & 1 ? peak : 0},     /* extremes */
        {peak / 4 + (a & 7), peak / 4 + (a & 7)}, /* equal */
    };
    *ref = (uint16_t)pairs[content][0];
    *dist = (uint16_t)pairs[content][1];
}

static void fill(Pictures *pictures, unsigned peak, uint32_t seed)
{
    for (unsigned y = 0; y < pictures->h; y++) {
        for (unsigned x = 0; x < pictures->w; x++) {
            const unsigned content = (x / 16 + y / 16 * 5) % N_CONTENTS;
            const unsigned at = y * pictures->stride + x;
            sample(content, &seed, peak, &pictures->ref[at], &pictures->dist[at]);
        }
    }
}

/* As they lie in memory. */
static void *packed(const Pictures *pictures, const uint16_t *samples)
{
    const size_t n = (size_t)MAX_SIDE * pictures->stride;
    unsigned char *bytes = calloc(n, pictures->size);
    assert_non_null(bytes);
    for (size_t i = 0; i < n; i++) {
        if (pictures->size == 1)
            bytes[i] = (unsigned char)samples[i];
        else
            memcpy(bytes + 2 * i, &samples[i], 2);
    }
    return bytes;
}

/* Of one block, which is given to all lanes. */
static void expected_errors(const PsnrHvsWeights *weights, const Pictures *pictures,
                            const void *const sides[2], unsigned x, unsigned y,
                            float errors[PSNR_HVS_COEFFICIENTS])
{
    static _Alignas(64) PsnrHvsWork work;
    PsnrHvsFunctions functions;
    psnr_hvs_functions_init(&functions, 0);
    for (unsigned side = 0; side < 2; side++) {
        const void *blocks[PSNR_HVS_LANES];
        for (unsigned lane = 0; lane < PSNR_HVS_LANES; lane++)
            blocks[lane] =
                (const char *)sides[side] + ((size_t)y * pictures->stride + x) * pictures->size;
        functions.load(blocks, (ptrdiff_t)pictures->stride * pictures->size, pictures->size == 2,
                       work.samples[side]);
    }
    functions.errors(weights, &work);
    for (unsigned k = 0; k < PSNR_HVS_COEFFICIENTS; k++)
        errors[k] = work.errors[k][0];
}

/* Blocks from `first` on, as a part of a plane. */
static void check_blocks(Fixture *fixture, const Pictures *pictures, unsigned plane, unsigned first)
{
    PsnrHvsWeights weights;
    psnr_hvs_weights_init(&weights, plane);
    const unsigned across = psnr_hvs_blocks(pictures->w);
    const unsigned end = across * psnr_hvs_blocks(pictures->h), n = end - first;
    void *sides[2] = {packed(pictures, pictures->ref), packed(pictures, pictures->dist)};
    float(*errors)[PSNR_HVS_COEFFICIENTS] = calloc(n, sizeof(*errors));
    assert_non_null(errors);
    const size_t size = (size_t)MAX_SIDE * pictures->stride * pictures->size;
    const FixtureBuffer buffers[] = {
        {.size = size, .in = sides[0]},
        {.size = size, .in = sides[1]},
        {.size = sizeof(weights), .in = &weights},
        {.size = n * sizeof(*errors), .out = errors},
    };
    const psnr_hvs_errors_args args = {
        .across = (int32_t)across,
        .first = (int32_t)first,
        .end = (int32_t)end,
        .ref_stride = (int32_t)pictures->stride,
        .dist_stride = (int32_t)pictures->stride,
    };
    const uint32_t groups[3] = {(n + PSNR_HVS_GROUP - 1) / PSNR_HVS_GROUP, 1, 1};
    const char *kernel = pictures->size == 1 ? "psnr_hvs_errors_8" : "psnr_hvs_errors_16";
    assert_int_equal(fixture_run(fixture, kernel, buffers, &args, groups), 0);
    for (unsigned b = 0; b < n; b++) {
        const unsigned block = first + b;
        const unsigned x = block % across * PSNR_HVS_STEP, y = block / across * PSNR_HVS_STEP;
        float expected[PSNR_HVS_COEFFICIENTS];
        expected_errors(&weights, pictures, (const void *const *)sides, x, y, expected);
        for (unsigned k = 0; k < PSNR_HVS_COEFFICIENTS; k++) {
            if (memcmp(&errors[b][k], &expected[k], sizeof(float)))
                fail_msg("plane %u, block at %u, %u, coefficient %u: %.9g, not %.9g", plane, x, y,
                         k, (double)errors[b][k], (double)expected[k]);
        }
    }
    free(errors);
    free(sides[0]);
    free(sides[1]);
}

static void check(unsigned size, unsigned peak)
{
    static const unsigned sides[][2] = {{8, 8}, {15, 8}, {100, 37}, {127, 127}};
    Pictures *pictures = calloc(1, sizeof(*pictures));
    assert_non_null(pictures);
    for (unsigned i = 0; i < sizeof(sides) / sizeof(sides[0]); i++) {
        Fixture fixture;
        fixture_open_order(&fixture, i);
        *pictures =
            (Pictures){.size = size, .w = sides[i][0], .h = sides[i][1], .stride = MAX_SIDE};
        fill(pictures, peak, i);
        for (unsigned plane = 0; plane < PSNR_HVS_PLANES; plane++)
            check_blocks(&fixture, pictures, plane, i == 3 ? 45 : 0);
        fixture_close(&fixture);
    }
    free(pictures);
}

CASE(given_bytes_errors_of_blocks_equal_those_of_the_library)
{
    check(1, 255);
}

CASE(given_deeper_samples_errors_of_blocks_equal_those_of_the_library)
{
    check(2, 1023);
    check(2, 4095);
}

CASE(given_samples_above_12_bits_their_upper_bits_do_not_count)
{
    check(2, 65535);
}

int main(int argc, char **argv)
{
    fixture_take_layer(&argc, &argv);
    return run_cases(argc, argv);
}
