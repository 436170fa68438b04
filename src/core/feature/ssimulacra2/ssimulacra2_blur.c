/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "feature/ssimulacra2/ssimulacra2_kernels.h"

/*
 * Gaussian of standard deviation 1.5 as a sum of three truncated cosines, each a recursion of
 * second order: D. Charalampidis, "Recursive Implementation of the Gaussian Filter Using Truncated
 * Cosine Functions", IEEE Transactions on Signal Processing 64 (14), 2016; equations 33 to 57 with
 * radius 5. A value of section j is
 *
 *     gain_j * (entering + leaving) - feedback_j * last - older
 *
 * The feedback of the third, -2 cos(pi/2), is a rounding error of 1e-16 in the original: too small
 * to change any result, and left out.
 */
static const float gain0 = 0x1.c4fa84p-5f, gain1 = -0x1.e1fd7ap-5f, gain2 = 0x1.a8894ap-7f;
static const float feedback0 = -0x1.e6f0e2p+0f, feedback1 = -0x1.2cf23p+0f;

enum { LANES = SSIMULACRA2_LANES };

static void gather(float *restrict tile, const float *const rows[LANES], unsigned w)
{
    for (unsigned x = 0; x < w; x++) {
        for (unsigned i = 0; i < LANES; i++)
            tile[x * LANES + i] = rows[i][x];
    }
}

static void scatter(float *const rows[LANES], const float *restrict tile, unsigned w)
{
    for (unsigned x = 0; x < w; x++) {
        for (unsigned i = 0; i < LANES; i++)
            rows[i][x] = tile[x * LANES + i];
    }
}

static void multiply(float *restrict tile, const float *a, const float *b, unsigned w)
{
    for (size_t i = 0; i < (size_t)w * LANES; i++)
        tile[i] = a[i] * b[i];
}

/* Four rows at a time: a vector that every processor of interest has, or the compiler makes do. */
typedef float Float4 __attribute__((vector_size(16)));

typedef struct Section4 {
    Float4 last, older;
} Section4;

static inline Float4 step(Section4 sections[SSIMULACRA2_BLUR_SECTIONS], Float4 sum)
{
    const Float4 v0 = (gain0 * sum - feedback0 * sections[0].last) - sections[0].older;
    const Float4 v1 = (gain1 * sum - feedback1 * sections[1].last) - sections[1].older;
    const Float4 v2 = gain2 * sum - sections[2].older;
    sections[0] = (Section4){v0, sections[0].last};
    sections[1] = (Section4){v1, sections[1].last};
    sections[2] = (Section4){v2, sections[2].last};
    return (v0 + v1) + v2;
}

static void blur_rows(float *tile, const float *in, unsigned w)
{
    enum { VECTORS = LANES / 4 };
    const Float4 *entering = (const Float4 *)in;
    const Float4 *leaving = entering - SSIMULACRA2_BLUR_REACH * VECTORS;
    Float4 *out = (Float4 *)tile;
    Section4 upper[SSIMULACRA2_BLUR_SECTIONS] = {0}, lower[SSIMULACRA2_BLUR_SECTIONS] = {0};
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

static inline void step_down(float *restrict out, const float *restrict last0,
                             const float *restrict last1, float *restrict older0,
                             float *restrict older1, float *restrict older2, const float *entering,
                             const float *leaving, unsigned w)
{
    for (unsigned x = 0; x < w; x++) {
        const float sum = leaving[x] + entering[x];
        const float v0 = (gain0 * sum - feedback0 * last0[x]) - older0[x];
        const float v1 = (gain1 * sum - feedback1 * last1[x]) - older1[x];
        const float v2 = gain2 * sum - older2[x];
        older0[x] = v0;
        older1[x] = v1;
        older2[x] = v2;
        out[x] = (v0 + v1) + v2;
    }
}

static void blur_columns(float *out, const Ssimulacra2Sections *s, const float *entering,
                         const float *leaving, unsigned w)
{
    step_down(out, s->last[0], s->last[1], s->older[0], s->older[1], s->older[2], entering, leaving,
              w);
}

void ssimulacra2_init_blur(Ssimulacra2Kernels *kernels)
{
    kernels->gather = gather;
    kernels->scatter = scatter;
    kernels->multiply = multiply;
    kernels->blur_rows = blur_rows;
    kernels->blur_columns = blur_columns;
}
