/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/psnr_hvs/psnr_hvs_internal.h"

#include <string.h>

#include "metrics/common/ordered_sum.h"
#include "metrics/psnr_hvs/psnr_hvs_kernel.h"
#include "support/cpu.h"
#include "support/vector_lanes.h"

/*
 * Lanes of vectors are neighbouring blocks, which are computed in the same way, so that the order
 * of sums within a block, which is part of the metric, does not stand in the way.
 */

enum { N = PSNR_HVS_BLOCK, LANES = PSNR_HVS_LANES };

/* Before loops over the coefficients of blocks: vectors of 128 bits make most steps, so that what
 * surrounds the work counts most there. */
#ifdef VMAF_ISA_NEON
#define UNROLLED _Pragma("GCC unroll 64")
#else
#define UNROLLED
#endif

/* -- from pictures to samples -- */

/* Blocks in a row of vectors of 128 bits. */
enum { GROUP = 8 };

static void load_bytes(const void *const blocks[GROUP], ptrdiff_t offset, Words8 columns[N])
{
    Bytes16 rows[GROUP], pairs[GROUP / 2];
    for (int b = 0; b < GROUP; b++) {
        uint64_t row;
        memcpy(&row, (const char *)blocks[b] + offset, sizeof(row));
        rows[b] = (Bytes16)(Words2){row, 0};
    }
    for (int p = 0; p < GROUP / 2; p++)
        pairs[p] = LOW_BYTES(rows[2 * p], rows[2 * p + 1]);
    const Words8 low0 = LOW_8(pairs[0], pairs[1]), low1 = LOW_8(pairs[2], pairs[3]);
    const Words8 high0 = HIGH_8(pairs[0], pairs[1]), high1 = HIGH_8(pairs[2], pairs[3]);
    const Words4 two_columns[] = {LOW_4(low0, low1), HIGH_4(low0, low1), LOW_4(high0, high1),
                                  HIGH_4(high0, high1)};
    for (int i = 0; i < 4; i++) {
        columns[2 * i] = LOW_WIDENED(two_columns[i]);
        columns[2 * i + 1] = HIGH_WIDENED(two_columns[i]);
    }
}

static void load_words(const void *const blocks[GROUP], ptrdiff_t offset, Words8 columns[N])
{
    Words8 rows[GROUP], pairs[GROUP];
    Words4 quads[GROUP];
    for (int b = 0; b < GROUP; b++) {
        memcpy(&rows[b], (const char *)blocks[b] + offset, sizeof(rows[b]));
        rows[b] &= PSNR_HVS_MAX_SAMPLE;
    }
    for (int i = 0; i < 4; i++) {
        pairs[i] = LOW_8(rows[2 * i], rows[2 * i + 1]);
        pairs[4 + i] = HIGH_8(rows[2 * i], rows[2 * i + 1]);
    }
    for (int i = 0; i < 8; i += 2) {
        quads[i] = LOW_4(pairs[i], pairs[i + 1]);
        quads[i + 1] = HIGH_4(pairs[i], pairs[i + 1]);
    }
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 2; j++) {
            columns[4 * i + 2 * j] = (Words8)LOW_2(quads[4 * i + j], quads[4 * i + 2 + j]);
            columns[4 * i + 2 * j + 1] = (Words8)HIGH_2(quads[4 * i + j], quads[4 * i + 2 + j]);
        }
    }
}

static void load(const void *const blocks[LANES], ptrdiff_t stride, bool deep, PsnrHvsTile samples)
{
    for (unsigned i = 0; i < N; i++) {
        const ptrdiff_t offset = (ptrdiff_t)i * stride;
        for (unsigned first = 0; first < LANES; first += GROUP) {
            Words8 columns[N];
            if (deep)
                load_words(blocks + first, offset, columns);
            else
                load_bytes(blocks + first, offset, columns);
            for (unsigned j = 0; j < N; j++)
                *(Words8 *)(samples[i * N + j] + first) = columns[j];
        }
    }
}

/* -- transform -- */

/* On samples that are `step` rows of lanes apart. */
static inline void transform(const int16_t (*in)[LANES], int16_t (*out)[LANES], unsigned step)
{
    for (unsigned l = 0; l < LANES; l += LANES_16) {
        LanesI16 x[N];
        for (unsigned i = 0; i < N; i++)
            x[i] = *(const LanesI16 *)(in[i * step] + l);
        LanesI16 a = x[0], b = x[7], c = x[2], d = x[5], e = x[1], f = x[6], g = x[3], h = x[4];
        PSNR_HVS_DCT(LanesI16, lanes_half_i16, lanes_mul_round_i16)
        const LanesI16 y[N] = {a, b, c, d, e, f, g, h};
        for (unsigned i = 0; i < N; i++)
            *(LanesI16 *)(out[i * step] + l) = y[i];
    }
}

static void dct(const PsnrHvsTile samples, PsnrHvsTile coefficients)
{
    for (unsigned column = 0; column < N; column++)
        transform(samples + column, coefficients + column, N);
    for (unsigned row = 0; row < N; row++)
        transform((const int16_t(*)[LANES])coefficients + row * N, coefficients + row * N, 1);
}

/* -- masking -- */

static inline HalfLanesU16 quadrant_sum(const int16_t (*samples)[LANES], unsigned lane)
{
    HalfLanesU16 sum = {0};
    for (unsigned i = 0; i < N / 2; i++)
        for (unsigned j = 0; j < N / 2; j++)
            sum += *(const HalfLanesU16 *)(samples[i * N + j] + lane); /* of 12 bits each */
    return sum;
}

/* Half a row of samples, whose deviations count for the block and for a quadrant. */
static inline void add_squares(const int16_t (*samples)[LANES], unsigned lane, LanesF32 mean,
                               LanesF32 quadrant_mean, LanesF32 *whole, LanesF32 *quadrant)
{
    for (unsigned j = 0; j < N / 2; j++) {
        const LanesF32 sample = lanes_f32_of_i16(samples[j] + lane);
        const LanesF32 e = sample - mean, e_q = sample - quadrant_mean;
        *whole += e * e;
        *quadrant += e_q * e_q;
    }
}

/* The mean variance of the quadrants relative to that of the whole block: small at edges, which
 * mask less than texture of the same energy. */
static inline LanesF32 texture(const PsnrHvsWeights *weights, const PsnrHvsTile samples,
                               unsigned lane)
{
    LanesF32 mean = {0}, means[2][2]; /* upper or lower, left or right */
    for (unsigned i = 0; i < 2; i++) {
        for (unsigned j = 0; j < 2; j++) {
            const HalfLanesU16 sum = quadrant_sum(samples + i * N * N / 2 + j * N / 2, lane);
            means[i][j] = lanes_f32_of_u16(sum);
            mean += means[i][j];
            means[i][j] /= 16;
        }
    }
    mean /= 64;

    LanesF32 whole = {0}, quadrants[2][2];
    for (unsigned i = 0; i < 2; i++) {
        LanesF32 left = {0}, right = {0};
        for (unsigned row = i * N / 2; row < (i + 1) * N / 2; row++) {
            add_squares(samples + row * N, lane, mean, means[i][0], &whole, &left);
            add_squares(samples + row * N + N / 2, lane, mean, means[i][1], &whole, &right);
        }
        quadrants[i][0] = left * weights->quadrant_scale;
        quadrants[i][1] = right * weights->quadrant_scale;
    }
    const LanesF32 variance = whole * weights->whole_scale;
    const LanesF32 sum = quadrants[0][0] + quadrants[1][0] + quadrants[0][1] + quadrants[1][1];
    const LanesF32 quotient = sum / variance;
    return (LanesF32)((LanesI32)quotient & (variance > 0));
}

/* How much error the contrast of the blocks of one picture hides. */
static inline LanesF32 masking(const PsnrHvsWeights *weights, const PsnrHvsTile samples,
                               const PsnrHvsTile coefficients, unsigned lane)
{
    LanesF32 energy = {0};
    UNROLLED
    for (unsigned k = 1; k < PSNR_HVS_COEFFICIENTS; k++) {
        const LanesF32 z = lanes_f32_of_i16(coefficients[k] + lane);
        energy += z * z * weights->masking[k];
    }
    return lanes_sqrt_f32(energy * texture(weights, samples, lane)) / 32;
}

/* -- errors -- */

static inline LanesF32 error(const PsnrHvsWork *work, unsigned i, unsigned j, unsigned lane,
                             LanesF32 threshold, float sensitivity)
{
    const LanesI32 ref = lanes_i32_of_i16(work->coefficients[0][i * N + j] + lane);
    const LanesI32 dist = lanes_i32_of_i16(work->coefficients[1][i * N + j] + lane);
    const LanesF32 difference = lanes_f32_of_i32(ref - dist);
    const LanesF32 magnitude = (LanesF32)((LanesI32)difference & INT32_MAX);
    const LanesF32 visible = lanes_positive_f32(magnitude - threshold) * sensitivity;
    return visible * visible;
}

static void errors(const PsnrHvsWeights *weights, PsnrHvsWork *work)
{
    for (unsigned i = 0; i < 2; i++)
        dct(work->samples[i], work->coefficients[i]);
    for (unsigned l = 0; l < LANES; l += LANES_32) {
        const LanesF32 ref = masking(weights, work->samples[0], work->coefficients[0], l);
        const LanesF32 dist = masking(weights, work->samples[1], work->coefficients[1], l);
        const LanesI32 dist_masks_more = dist > ref;
        const LanesF32 mask =
            (LanesF32)(((LanesI32)dist & dist_masks_more) | ((LanesI32)ref & ~dist_masks_more));
        UNROLLED
        for (unsigned i = 0; i < N; i++) {
            UNROLLED
            for (unsigned j = 0; j <= i; j++) { /* weights are symmetric */
                const float sensitivity = weights->sensitivity[i * N + j];
                LanesF32 threshold = {0};
                if (i) /* the mean is not masked */
                    threshold = mask / weights->masking[i * N + j];
                *(LanesF32 *)(work->errors[i * N + j] + l) =
                    error(work, i, j, l, threshold, sensitivity);
                if (j != i)
                    *(LanesF32 *)(work->errors[j * N + i] + l) =
                        error(work, j, i, l, threshold, sensitivity);
            }
        }
    }
}

static float add_errors(float sum, const PsnrHvsErrors terms, unsigned n_blocks)
{
    if (n_blocks == LANES && ordered_sum_f32(&sum, terms[0], (size_t)PSNR_HVS_COEFFICIENTS * LANES))
        return sum;
    for (unsigned lane = 0; lane < n_blocks; lane++)
        for (unsigned k = 0; k < PSNR_HVS_COEFFICIENTS; k++)
            sum += terms[k][lane];
    return sum;
}

const PsnrHvsFunctions ISA_VARIANT(psnr_hvs_functions) = {
    .load = load,
    .errors = errors,
    .add_errors = add_errors,
};
