/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <string.h>

#include "metrics/ssimulacra2/ssimulacra2_internal.h"
#include "simd_check/simd_check.h"

enum {
    MAX_WIDTH = 200,
    LANES = SSIMULACRA2_LANES,
    LINE = 16, /* binary32 numbers to which rows are aligned and padded */
};

static unsigned padded(unsigned w)
{
    return (w + LINE - 1) / LINE * LINE;
}

/* A row of numbers between 0 and 1. */
static float *row_of(unsigned w)
{
    float *row = simd_buffer(padded(w) * sizeof(*row), SIMD_GUARD_AFTER);
    for (unsigned x = 0; x < w; x++)
        row[x] = (float)(simd_random() % 65536) / 65535;
    return row;
}

static float *empty_row(unsigned w)
{
    return simd_buffer(padded(w) * sizeof(float), SIMD_GUARD_AFTER);
}

static void compare_colour(const Ssimulacra2Functions *scalar, const Ssimulacra2Functions *vector,
                           unsigned w)
{
    const Ssimulacra2Functions *const both[] = {scalar, vector};
    Ssimulacra2Segment transfer[SSIMULACRA2_TRANSFER_SIZE];
    for (int i = 0; i < SSIMULACRA2_TRANSFER_SIZE; i++)
        transfer[i] = (Ssimulacra2Segment){(float)i / 1023, 1.0f / 1024};
    uint32_t columns[MAX_WIDTH];
    for (unsigned x = 0; x < w; x++)
        columns[x] = x / 2;
    for (int type = 0; type < SSIMULACRA2_SAMPLE_TYPES; type++) {
        const unsigned bpc = type == SSIMULACRA2_BYTES ? 8 : 16, size = bpc / 8;
        const Ssimulacra2Conversion conversion = {
            1.0f / (float)((1u << bpc) - 1), 0.06f, 1.16f, 1.14f, 1.57f, -0.19f, -0.47f, 1.86f};
        void *luma = simd_buffer((size_t)w * size, SIMD_GUARD_AFTER);
        void *chroma = simd_buffer((size_t)(w + 1) / 2 * size, SIMD_GUARD_AFTER);
        simd_fill_samples(luma, w, bpc, SIMD_NOISE);
        simd_fill_samples(chroma, (w + 1) / 2, bpc, SIMD_EXTREMES);
        float *uv[2][2], *rgb[2][3];
        for (int i = 0; i < 2; i++) {
            for (int c = 0; c < 3; c++)
                rgb[i][c] = empty_row(w);
            for (int c = 0; c < 2; c++) {
                uv[i][c] = empty_row(w);
                both[i]->chroma[type](uv[i][c], chroma, columns, w, &conversion);
            }
            both[i]->linear_rgb[type](rgb[i], luma, uv[i][0], uv[i][1], w, &conversion, transfer);
        }
        simd_case("chroma, %u columns, %u bits", w, bpc);
        simd_expect_equal(uv[0][0], uv[1][0], w * sizeof(float));
        for (int c = 0; c < 3; c++) {
            simd_case("linear RGB, %u columns, %u bits, component %d", w, bpc, c);
            simd_expect_equal(rgb[0][c], rgb[1][c], w * sizeof(float));
        }
    }
}

static void compare_scales(const Ssimulacra2Functions *scalar, const Ssimulacra2Functions *vector,
                           unsigned w)
{
    float *const rgb[] = {row_of(w), row_of(w), row_of(w)};
    float *const expected[] = {empty_row(w), empty_row(w), empty_row(w)};
    float *const actual[] = {empty_row(w), empty_row(w), empty_row(w)};
    scalar->xyb(expected, rgb, w);
    vector->xyb(actual, rgb, w);
    for (int c = 0; c < 3; c++) {
        simd_case("XYB, %u columns, component %d", w, c);
        simd_expect_equal(expected[c], actual[c], w * sizeof(float));
    }
    scalar->halve(expected[0], rgb[0], rgb[1], w);
    vector->halve(actual[0], rgb[0], rgb[1], w);
    simd_case("halving, %u columns", w);
    simd_expect_equal(expected[0], actual[0], (w + 1) / 2 * sizeof(float));
}

/* A tile with the zeros that surround it. */
static float *empty_tile(unsigned w)
{
    const size_t columns = SSIMULACRA2_BLUR_REACH + padded(w) + SSIMULACRA2_BLUR_AHEAD;
    float *memory = simd_buffer(columns * LANES * sizeof(*memory), SIMD_GUARD_AFTER);
    return memory + SSIMULACRA2_BLUR_REACH * LANES;
}

enum { BLURS = 3, COLUMN_ROWS = SSIMULACRA2_BLUR_REACH + 2 * SSIMULACRA2_BLUR_SECTIONS };

/* Two bands, of which the second one finds what the first one left. */
static void compare_blur(const Ssimulacra2Functions *scalar, const Ssimulacra2Functions *vector,
                         unsigned w)
{
    const Ssimulacra2Functions *const both[] = {scalar, vector};
    const size_t stride = padded(w);
    Ssimulacra2Blur blurs[2][BLURS];
    float *tiles[2][2];
    for (int i = 0; i < 2; i++) {
        for (int t = 0; t < 2; t++)
            tiles[i][t] = empty_tile(w);
        for (int b = 0; b < BLURS; b++)
            blurs[i][b] = (Ssimulacra2Blur){
                .factors = {tiles[i][b / 2], tiles[i][b % 2]},
                .columns = simd_buffer(COLUMN_ROWS * stride * sizeof(float), SIMD_GUARD_AFTER),
                .out = simd_buffer(LANES * stride * sizeof(float), SIMD_GUARD_AFTER),
            };
    }
    for (unsigned y = 0; y < 2 * LANES; y += LANES) {
        const float *rows[2][LANES];
        for (int lane = 0; lane < LANES; lane++) {
            rows[0][lane] = row_of(w);
            rows[1][lane] = row_of(w);
        }
        Ssimulacra2Band band = {.w = w, .stride = stride, .out_stride = stride};
        for (unsigned lane = 0; lane < LANES; lane++)
            band.ring[lane] = (y + lane) % SSIMULACRA2_BLUR_REACH * stride;
        for (unsigned n = 1; n <= BLURS; n++) {
            for (int i = 0; i < 2; i++) {
                for (int t = 0; t < 2; t++)
                    both[i]->gather(tiles[i][t], rows[t], w);
                if (n % 2)
                    both[i]->blur_products(blurs[i], n, &band);
                else
                    both[i]->blur_means(blurs[i], n, &band);
            }
            simd_case("tile, %u columns", w);
            simd_expect_equal(tiles[0][0], tiles[1][0], (size_t)w * LANES * sizeof(float));
            for (unsigned b = 0; b < n; b++) {
                for (unsigned lane = 0; lane < LANES; lane++) {
                    simd_case("blur %u of %u, %u columns, row %u", b, n, w, y + lane);
                    simd_expect_equal(blurs[0][b].out + lane * stride,
                                      blurs[1][b].out + lane * stride, w * sizeof(float));
                }
            }
        }
    }
}

static void compare_maps(const Ssimulacra2Functions *scalar, const Ssimulacra2Functions *vector,
                         unsigned w)
{
    const Ssimulacra2Functions *const both[] = {scalar, vector};
    const size_t size = padded(w) * sizeof(double);
    double *const rows[] = {simd_buffer(size, SIMD_GUARD_AFTER),
                            simd_buffer(size, SIMD_GUARD_AFTER)};
    double sums[2][SSIMULACRA2_NORMS] = {{0}};
    for (unsigned round = 0; round < 8; round++) {
        const unsigned wanted = simd_random() % (1u << SSIMULACRA2_NORMS);
        const float *moments[SSIMULACRA2_MOMENTS];
        for (int m = 0; m < SSIMULACRA2_MOMENTS; m++)
            moments[m] = row_of(w);
        const Ssimulacra2Edges edges = {row_of(w), row_of(w), moments[0], moments[1]};
        for (int i = 0; i < 2; i++) {
            both[i]->add_ssim(sums[i], wanted, moments, w, rows);
            both[i]->add_edges(sums[i], wanted, &edges, w, rows);
        }
        simd_case("norms %x of the maps, %u columns, round %u", wanted, w, round);
        simd_expect_equal(sums[0], sums[1], sizeof(sums[0]));
    }
}

static void compare(unsigned cpu_flags)
{
    Ssimulacra2Functions scalar, vector;
    ssimulacra2_functions_init(&scalar, 0);
    ssimulacra2_functions_init(&vector, cpu_flags);
    unsigned w;
    for (unsigned i = 0; (w = simd_width(i, LINE)) != 0; i++) {
        if (w > MAX_WIDTH)
            continue;
        compare_colour(&scalar, &vector, w);
        compare_scales(&scalar, &vector, w);
        compare_blur(&scalar, &vector, w);
        compare_maps(&scalar, &vector, w);
        simd_free_buffers();
    }
}

enum { MEASURED = 192 };

typedef struct Arguments {
    Ssimulacra2Functions functions;
    float *rgb[3], *xyb[3];
    const float *rows[LANES], *moments[SSIMULACRA2_MOMENTS];
    float *tile;
    Ssimulacra2Blur blurs[2];
    Ssimulacra2Band band;
    double sums[SSIMULACRA2_NORMS], *maps[SSIMULACRA2_MAP_ROWS];
} Arguments;

static void call_xyb(void *opaque)
{
    Arguments *a = opaque;
    a->functions.xyb(a->xyb, a->rgb, MEASURED);
}

static void call_gather(void *opaque)
{
    Arguments *a = opaque;
    a->functions.gather(a->tile, a->rows, MEASURED);
}

static void call_blur_means(void *opaque)
{
    Arguments *a = opaque;
    a->functions.blur_means(a->blurs, 2, &a->band);
}

static void call_blur_products(void *opaque)
{
    Arguments *a = opaque;
    a->functions.blur_products(a->blurs, 2, &a->band);
}

static void call_add_ssim(void *opaque)
{
    Arguments *a = opaque;
    a->functions.add_ssim(a->sums, (1u << SSIMULACRA2_NORMS) - 1, a->moments, MEASURED, a->maps);
}

static void call_add_edges(void *opaque)
{
    Arguments *a = opaque;
    const Ssimulacra2Edges edges = {a->rgb[0], a->rgb[1], a->moments[0], a->moments[1]};
    a->functions.add_edges(a->sums, (1u << SSIMULACRA2_NORMS) - 1, &edges, MEASURED, a->maps);
}

static void measure(unsigned cpu_flags)
{
    Arguments a = {.band = {.w = MEASURED, .stride = MEASURED, .out_stride = MEASURED}};
    ssimulacra2_functions_init(&a.functions, cpu_flags);
    for (int c = 0; c < 3; c++) {
        a.rgb[c] = row_of(MEASURED);
        a.xyb[c] = row_of(MEASURED);
    }
    for (unsigned lane = 0; lane < LANES; lane++) {
        a.rows[lane] = row_of(MEASURED);
        a.band.ring[lane] = lane % SSIMULACRA2_BLUR_REACH * MEASURED;
    }
    for (int m = 0; m < SSIMULACRA2_MOMENTS; m++)
        a.moments[m] = row_of(MEASURED);
    for (int i = 0; i < SSIMULACRA2_MAP_ROWS; i++)
        a.maps[i] = simd_buffer(MEASURED * sizeof(double), SIMD_GUARD_AFTER);
    a.tile = empty_tile(MEASURED);
    for (int i = 0; i < 2; i++)
        a.blurs[i] = (Ssimulacra2Blur){
            .factors = {a.tile, a.tile},
            .columns = simd_buffer(COLUMN_ROWS * MEASURED * sizeof(float), SIMD_GUARD_AFTER),
            .out = simd_buffer(LANES * MEASURED * sizeof(float), SIMD_GUARD_AFTER),
        };
    simd_measure("XYB", MEASURED, call_xyb, &a);
    simd_measure("tile", MEASURED * LANES, call_gather, &a);
    simd_measure("blur of two means", 2 * MEASURED * LANES, call_blur_means, &a);
    simd_measure("blur of two products", 2 * MEASURED * LANES, call_blur_products, &a);
    simd_measure("dissimilarity", MEASURED, call_add_ssim, &a);
    simd_measure("edges", MEASURED, call_add_edges, &a);
    simd_free_buffers();
}

const SimdCheck check_ssimulacra2 = {"ssimulacra2", compare, measure};
