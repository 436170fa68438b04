/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "feature/ssimulacra2/ssimulacra2_kernels.h"

/*
 * Gaussian of standard deviation 1.5 as a sum of three truncated cosines, each a recursion of
 * second order: D. Charalampidis, "Recursive Implementation of the Gaussian Filter Using Truncated
 * Cosine Functions", IEEE Transactions on Signal Processing 64 (14), 2016; equations 33 to 57 with
 * radius 5. A value of section j is
 *
 *     gain_j * (leaving + entering) - feedback_j * last - older
 *
 * The feedback of the third, -2 cos(pi/2), is a rounding error of 1e-16 in the original: too small
 * to change any result, and left out.
 */
static const float gain0 = 0x1.c4fa84p-5f, gain1 = -0x1.e1fd7ap-5f, gain2 = 0x1.a8894ap-7f;
static const float feedback0 = -0x1.e6f0e2p+0f, feedback1 = -0x1.2cf23p+0f;

enum { LANES = SSIMULACRA2_LANES, SECTIONS = SSIMULACRA2_BLUR_SECTIONS };

/* The vector that every processor of interest has; for others the compiler makes do. */
typedef float Float4 __attribute__((vector_size(16), may_alias));
enum { WIDTH = 4, VECTORS = LANES / WIDTH };

#ifdef __clang__
#define SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
typedef int32_t Int4 __attribute__((vector_size(16)));
#define SHUFFLE(a, b, ...) __builtin_shuffle(a, b, (Int4){__VA_ARGS__})
#endif

static inline Float4 *vector_at(float *row, size_t x)
{
    return (Float4 *)(row + x);
}

static inline Float4 load(const float *row, size_t x)
{
    return *(const Float4 *)(row + x);
}

static inline void transpose(Float4 m[WIDTH])
{
    const Float4 low01 = SHUFFLE(m[0], m[1], 0, 4, 1, 5), high01 = SHUFFLE(m[0], m[1], 2, 6, 3, 7);
    const Float4 low23 = SHUFFLE(m[2], m[3], 0, 4, 1, 5), high23 = SHUFFLE(m[2], m[3], 2, 6, 3, 7);
    m[0] = SHUFFLE(low01, low23, 0, 1, 4, 5);
    m[1] = SHUFFLE(low01, low23, 2, 3, 6, 7);
    m[2] = SHUFFLE(high01, high23, 0, 1, 4, 5);
    m[3] = SHUFFLE(high01, high23, 2, 3, 6, 7);
}

static void gather(float *tile, const float *const rows[LANES], unsigned w)
{
    for (unsigned x = 0; x < w; x += WIDTH) {
        for (int half = 0; half < VECTORS; half++) {
            Float4 m[WIDTH];
            for (int i = 0; i < WIDTH; i++)
                m[i] = load(rows[half * WIDTH + i], x);
            transpose(m);
            for (unsigned i = 0; i < WIDTH; i++)
                *vector_at(tile, (size_t)(x + i) * LANES + (size_t)half * WIDTH) = m[i];
        }
    }
}

static void multiply(float *restrict tile, const float *a, const float *b, unsigned w)
{
    for (size_t i = 0; i < (size_t)w * LANES; i++)
        tile[i] = a[i] * b[i];
}

typedef struct Section {
    Float4 last, older;
} Section;

static inline Float4 step(Section sections[SECTIONS], Float4 sum)
{
    const Float4 v0 = (gain0 * sum - feedback0 * sections[0].last) - sections[0].older;
    const Float4 v1 = (gain1 * sum - feedback1 * sections[1].last) - sections[1].older;
    const Float4 v2 = gain2 * sum - sections[2].older;
    sections[0] = (Section){v0, sections[0].last};
    sections[1] = (Section){v1, sections[1].last};
    sections[2] = (Section){v2, sections[2].last};
    return (v0 + v1) + v2;
}

static void blur_rows(float *tile, const float *in, unsigned w)
{
    const Float4 *entering = (const Float4 *)in;
    const Float4 *leaving = entering - SSIMULACRA2_BLUR_REACH * VECTORS;
    Float4 *out = (Float4 *)tile;
    Section upper[SECTIONS] = {0}, lower[SECTIONS] = {0};
    for (unsigned x = 0; x < SSIMULACRA2_BLUR_AHEAD; x++) {
        step(upper, leaving[0] + entering[0]);
        step(lower, leaving[1] + entering[1]);
        entering += VECTORS;
        leaving += VECTORS;
    }
    for (unsigned x = 0; x < w; x++) {
        out[0] = step(upper, leaving[0] + entering[0]);
        out[1] = step(lower, leaving[1] + entering[1]);
        out += VECTORS;
        entering += VECTORS;
        leaving += VECTORS;
    }
}

/* A strip of columns at a time, so that the sections stay in registers. */
static void blur_columns(float *const out[LANES], float *const ring[LANES],
                         float *const sections[2 * SECTIONS], const float *tile, unsigned w)
{
    for (size_t x = 0; x < w; x += WIDTH) {
        Section s[SECTIONS];
        for (int i = 0; i < SECTIONS; i++)
            s[i] = (Section){load(sections[2 * i], x), load(sections[2 * i + 1], x)};
        for (int half = 0; half < VECTORS; half++) {
            Float4 entering[WIDTH];
            for (unsigned i = 0; i < WIDTH; i++)
                entering[i] = load(tile, (x + i) * LANES + (size_t)half * WIDTH);
            transpose(entering);
            for (int i = 0; i < WIDTH; i++) {
                Float4 *place = vector_at(ring[half * WIDTH + i], x);
                *vector_at(out[half * WIDTH + i], x) = step(s, *place + entering[i]);
                *place = entering[i];
            }
        }
        for (int i = 0; i < SECTIONS; i++) {
            *vector_at(sections[2 * i], x) = s[i].last;
            *vector_at(sections[2 * i + 1], x) = s[i].older;
        }
    }
}

void ssimulacra2_init_blur(Ssimulacra2Kernels *kernels)
{
    kernels->gather = gather;
    kernels->multiply = multiply;
    kernels->blur_rows = blur_rows;
    kernels->blur_columns = blur_columns;
}
