/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "feature/psnr_hvs/psnr_hvs_kernels.h"

#include <string.h>

#include "feature/common/ordered_sum.h"
#include "feature/psnr_hvs/psnr_hvs_vector.h"
#include "support/isa_variant.h"

/*
 * Lanes of vectors are neighbouring blocks, which are computed in the same way, so that the order
 * of sums within a block, which is part of the metric, does not stand in the way.
 */

enum { N = PSNR_HVS_BLOCK, LANES = PSNR_HVS_LANES };

/* -- from pictures to samples -- */

/* Vectors that every processor of interest has: a row of eight blocks. */
typedef uint8_t Bytes16 __attribute__((vector_size(16)));
typedef uint16_t Words8 __attribute__((vector_size(16), may_alias));
typedef uint32_t Words4 __attribute__((vector_size(16)));
typedef uint64_t Words2 __attribute__((vector_size(16)));
enum { GROUP = 8 };

#ifdef __clang__
#define SHUFFLE(type, a, b, ...) __builtin_shufflevector((type)(a), (type)(b), __VA_ARGS__)
#else
#define SHUFFLE(type, a, b, ...) __builtin_shuffle((type)(a), (type)(b), (type){__VA_ARGS__})
#endif
#define LOW_BYTES(a, b)                                                                            \
    SHUFFLE(Bytes16, a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define HIGH_BYTES(a, b)                                                                           \
    SHUFFLE(Bytes16, a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
#define LOW_8(a, b)  SHUFFLE(Words8, a, b, 0, 8, 1, 9, 2, 10, 3, 11)
#define HIGH_8(a, b) SHUFFLE(Words8, a, b, 4, 12, 5, 13, 6, 14, 7, 15)
#define LOW_4(a, b)  SHUFFLE(Words4, a, b, 0, 4, 1, 5)
#define HIGH_4(a, b) SHUFFLE(Words4, a, b, 2, 6, 3, 7)
#define LOW_2(a, b)  SHUFFLE(Words2, a, b, 0, 2)
#define HIGH_2(a, b) SHUFFLE(Words2, a, b, 1, 3)

static void load_bytes(const void *const blocks[GROUP], ptrdiff_t offset, Words8 columns[N])
{
    const Bytes16 zero = {0};
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
        columns[2 * i] = (Words8)LOW_BYTES(two_columns[i], zero);
        columns[2 * i + 1] = (Words8)HIGH_BYTES(two_columns[i], zero);
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

/*
 * Daala's integer approximation of the orthonormal 8-point DCT-II, on samples that are `step` rows
 * of lanes apart. Lifting steps: each adds to one value a function of others.
 */
static inline void transform(const int16_t (*in)[LANES], int16_t (*out)[LANES], unsigned step)
{
    for (unsigned l = 0; l < LANES; l += WORDS) {
        Words x[N];
        for (unsigned i = 0; i < N; i++)
            x[i] = *(const Words *)(in[i * step] + l);
        Words a = x[0], b = x[7], c = x[2], d = x[5], e = x[1], f = x[6], g = x[3], h = x[4];
        b = a - b;
        const Words half_b = half(b);
        a -= half_b;
        e += f;
        const Words half_e = half(e);
        f -= half_e;
        d = c - d;
        c -= half(d);
        g += h;
        const Words half_g = half(g);
        h = half_g - h;
        /* even frequencies */
        a += half_g;
        g = a - g;
        c = half_e - c;
        e = c - e;
        a -= scaled(e, 13573);
        e += scaled(a, 2 * 11585);
        a -= scaled(e, 13573);
        g -= scaled(c, 21895);
        c += scaled(g, 2 * 15137);
        g -= scaled(c, 21895);
        /* odd frequencies */
        d += scaled(f, 19195);
        f += scaled(d, 2 * 11585);
        d -= scaled(f, 4 * 7489);
        h = half(f) - h;
        f -= h;
        d = half_b - d;
        b -= d;
        h += scaled(b, 3227);
        b -= scaled(h, 6393);
        h += scaled(b, 3227);
        f += scaled(d, 4 * 2485);
        d -= scaled(f, 18205);
        f += scaled(d, 4 * 2485);
        const Words y[N] = {a, b, c, d, e, f, g, h};
        for (unsigned i = 0; i < N; i++)
            *(Words *)(out[i * step] + l) = y[i];
    }
}

/* Columns first: the rounding makes the order matter. */
static void dct(const PsnrHvsTile samples, PsnrHvsTile coefficients)
{
    for (unsigned column = 0; column < N; column++)
        transform(samples + column, coefficients + column, N);
    for (unsigned row = 0; row < N; row++)
        transform((const int16_t(*)[LANES])coefficients + row * N, coefficients + row * N, 1);
}

/* -- masking -- */

static inline UnsignedHalfWords quadrant_sum(const int16_t (*samples)[LANES], unsigned lane)
{
    UnsignedHalfWords sum = {0};
    for (unsigned i = 0; i < N / 2; i++)
        for (unsigned j = 0; j < N / 2; j++)
            sum += *(const UnsignedHalfWords *)(samples[i * N + j] + lane); /* of 12 bits each */
    return sum;
}

/* Half a row of samples, whose deviations count for the block and for a quadrant. */
static inline void add_squares(const int16_t (*samples)[LANES], unsigned lane, Floats mean,
                               Floats quadrant_mean, Floats *whole, Floats *quadrant)
{
    for (unsigned j = 0; j < N / 2; j++) {
        const Floats sample = load_floats(samples[j] + lane);
        const Floats e = sample - mean, e_q = sample - quadrant_mean;
        *whole += e * e;
        *quadrant += e_q * e_q;
    }
}

/* The mean variance of the quadrants relative to that of the whole block: small at edges, which
 * mask less than texture of the same energy. */
static inline Floats texture(const PsnrHvsTile samples, unsigned lane)
{
    /* From mean squares to variances, n / (n - 1), rounded as in libvmaf. */
    const float whole_scale = 1.0f / 63 * 64, quadrant_scale = 1.0f / 15 * 16;

    Floats mean = {0}, means[2][2]; /* upper or lower, left or right */
    for (unsigned i = 0; i < 2; i++) {
        for (unsigned j = 0; j < 2; j++) {
            const UnsignedHalfWords sum = quadrant_sum(samples + i * N * N / 2 + j * N / 2, lane);
            means[i][j] = floats_of(sum);
            mean += means[i][j];
            means[i][j] /= 16;
        }
    }
    mean /= 64;

    Floats whole = {0}, quadrants[2][2];
    for (unsigned i = 0; i < 2; i++) {
        Floats left = {0}, right = {0};
        for (unsigned row = i * N / 2; row < (i + 1) * N / 2; row++) {
            add_squares(samples + row * N, lane, mean, means[i][0], &whole, &left);
            add_squares(samples + row * N + N / 2, lane, mean, means[i][1], &whole, &right);
        }
        quadrants[i][0] = left * quadrant_scale;
        quadrants[i][1] = right * quadrant_scale;
    }
    const Floats variance = whole * whole_scale;
    const Floats sum = quadrants[0][0] + quadrants[1][0] + quadrants[0][1] + quadrants[1][1];
    const Floats quotient = sum / variance;
    return (Floats)((Integers)quotient & (variance > 0));
}

/* How much error the contrast of the blocks of one picture hides. */
static inline Floats masking(const PsnrHvsWeights *weights, const PsnrHvsTile samples,
                             const PsnrHvsTile coefficients, unsigned lane)
{
    Floats energy = {0};
    UNROLLED
    for (unsigned k = 1; k < PSNR_HVS_COEFFICIENTS; k++) {
        const Floats z = load_floats(coefficients[k] + lane);
        energy += z * z * weights->masking[k / N][k % N];
    }
    return square_root(energy * texture(samples, lane)) / 32;
}

/* -- errors -- */

static inline Floats error(const PsnrHvsWork *work, unsigned i, unsigned j, unsigned lane,
                           Floats threshold, float sensitivity)
{
    const Integers ref = load_integers(work->coefficients[0][i * N + j] + lane);
    const Integers dist = load_integers(work->coefficients[1][i * N + j] + lane);
    const Floats difference = __builtin_convertvector(ref - dist, Floats);
    const Floats magnitude = (Floats)((Integers)difference & INT32_MAX);
    const Floats visible = positive(magnitude - threshold) * sensitivity;
    return visible * visible;
}

static void errors(const PsnrHvsWeights *weights, PsnrHvsWork *work)
{
    for (unsigned i = 0; i < 2; i++)
        dct(work->samples[i], work->coefficients[i]);
    for (unsigned l = 0; l < LANES; l += FLOATS) {
        const Floats ref = masking(weights, work->samples[0], work->coefficients[0], l);
        const Floats dist = masking(weights, work->samples[1], work->coefficients[1], l);
        const Integers dist_masks_more = dist > ref;
        const Floats mask =
            (Floats)(((Integers)dist & dist_masks_more) | ((Integers)ref & ~dist_masks_more));
        UNROLLED
        for (unsigned i = 0; i < N; i++) {
            UNROLLED
            for (unsigned j = 0; j <= i; j++) { /* weights are symmetric */
                const float sensitivity = weights->sensitivity[i][j];
                Floats threshold = {0};
                if (i) /* the mean is not masked */
                    threshold = mask / weights->masking[i][j];
                *(Floats *)(work->errors[i * N + j] + l) =
                    error(work, i, j, l, threshold, sensitivity);
                if (j != i)
                    *(Floats *)(work->errors[j * N + i] + l) =
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

const PsnrHvsKernels ISA_VARIANT(psnr_hvs_kernels) = {
    .load = load,
    .errors = errors,
    .add_errors = add_errors,
};
