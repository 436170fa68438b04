/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/ssimulacra2/ssimulacra2_internal.h"
#include "support/cpu.h"
#include "support/vector_lanes.h"

static const float gain0 = SSIMULACRA2_GAIN0, gain1 = SSIMULACRA2_GAIN1, gain2 = SSIMULACRA2_GAIN2;
static const float feedback0 = SSIMULACRA2_FEEDBACK0, feedback1 = SSIMULACRA2_FEEDBACK1;

enum { LANES = SSIMULACRA2_LANES, REACH = SSIMULACRA2_BLUR_REACH };
enum { SECTIONS = SSIMULACRA2_BLUR_SECTIONS };
enum { IS_WHOLE_BAND = (int)LANES_32 == (int)LANES }; /* a vector is */

static void gather(float *tile, const float *const rows[LANES], unsigned w)
{
    for (size_t x = 0; x < w; x += LANES_32) {
        for (size_t lane = 0; lane < LANES; lane += LANES_32) {
            LanesF32 m[LANES_32];
            for (unsigned i = 0; i < LANES_32; i++)
                m[i] = lanes_load_f32(rows[lane + i], x);
            lanes_transpose_f32(m);
            for (unsigned i = 0; i < LANES_32; i++)
                *lanes_at_f32(tile, (x + i) * LANES + lane) = m[i];
        }
    }
}

typedef struct Section {
    LanesF32 last, older;
} Section;

static inline LanesF32 step(Section sections[SECTIONS], LanesF32 sum)
{
    const LanesF32 v0 = (gain0 * sum - feedback0 * sections[0].last) - sections[0].older;
    const LanesF32 v1 = (gain1 * sum - feedback1 * sections[1].last) - sections[1].older;
    const LanesF32 v2 = gain2 * sum - sections[2].older;
    sections[0] = (Section){v0, sections[0].last};
    sections[1] = (Section){v1, sections[1].last};
    sections[2] = (Section){v2, sections[2].last};
    return (v0 + v1) + v2;
}

/* Lanes of a tile, beginning at one of them. */
typedef struct Chain {
    const Ssimulacra2Blur *blur;
    size_t lane;
} Chain;

/* The moment that enters at a column and the one that leaves. */
static inline LanesF32 moment_sum(Chain chain, size_t x, bool product)
{
    const size_t entering = x * LANES + chain.lane;
    const float *a = chain.blur->factors[0] + entering, *b = chain.blur->factors[1] + entering;
    const LanesF32 in = lanes_load_f32(a, 0), out = *(const LanesF32 *)(a - (size_t)REACH * LANES);
    if (!product)
        return out + in;
    return out * *(const LanesF32 *)(b - (size_t)REACH * LANES) + in * lanes_load_f32(b, 0);
}

static inline void load_sections(Section sections[SECTIONS], const Ssimulacra2Blur *blur,
                                 size_t stride, size_t x)
{
    for (size_t i = 0; i < SECTIONS; i++) {
        const float *section = blur->columns + (REACH + 2 * i) * stride;
        sections[i] = (Section){lanes_load_f32(section, x), lanes_load_f32(section, stride + x)};
    }
}

static inline void store_sections(const Section sections[SECTIONS], const Ssimulacra2Blur *blur,
                                  size_t stride, size_t x)
{
    for (size_t i = 0; i < SECTIONS; i++) {
        float *section = blur->columns + (REACH + 2 * i) * stride;
        *lanes_at_f32(section, x) = sections[i].last;
        *lanes_at_f32(section, stride + x) = sections[i].older;
    }
}

/* A row of a strip goes down the columns. */
static inline void column_step(Section sections[SECTIONS], const Ssimulacra2Blur *blur,
                               const Ssimulacra2Band *band, size_t row, size_t x, LanesF32 entering)
{
    LanesF32 *place = lanes_at_f32(blur->columns + band->ring[row], x);
    *lanes_at_f32(blur->out + row * band->out_stride, x) = step(sections, *place + entering);
    *place = entering;
}

/*
 * A strip of columns at a time, so that the sections of the columns stay in registers. Two chains
 * hide the latency of each other: their steps alternate. They are moments of their own, or the
 * second one is the lanes below the first.
 */
static inline __attribute__((always_inline)) void
blur_chains(Chain first, Chain second, bool is_single, const Ssimulacra2Band *band, bool product)
{
    Section rows0[SECTIONS] = {0}, rows1[SECTIONS] = {0};
    for (size_t x = 0; x < SSIMULACRA2_BLUR_AHEAD; x++) {
        step(rows0, moment_sum(first, x, product));
        if (!is_single)
            step(rows1, moment_sum(second, x, product));
    }
    for (size_t x = 0; x < band->w; x += LANES_32) {
        LanesF32 strip0[LANES_32], strip1[LANES_32];
        for (size_t i = 0; i < LANES_32; i++) {
            const size_t ahead = x + i + SSIMULACRA2_BLUR_AHEAD;
            strip0[i] = step(rows0, moment_sum(first, ahead, product));
            if (!is_single)
                strip1[i] = step(rows1, moment_sum(second, ahead, product));
        }
        Section columns0[SECTIONS], columns1[SECTIONS];
        lanes_transpose_f32(strip0);
        load_sections(columns0, first.blur, band->stride, x);
        if (is_single || !IS_WHOLE_BAND) {
            for (size_t i = 0; i < LANES_32; i++)
                column_step(columns0, first.blur, band, first.lane + i, x, strip0[i]);
            if (!is_single) {
                lanes_transpose_f32(strip1);
                for (size_t i = 0; i < LANES_32; i++)
                    column_step(columns0, first.blur, band, second.lane + i, x, strip1[i]);
            }
        } else {
            lanes_transpose_f32(strip1);
            load_sections(columns1, second.blur, band->stride, x);
            for (size_t i = 0; i < LANES_32; i++) {
                column_step(columns0, first.blur, band, i, x, strip0[i]);
                column_step(columns1, second.blur, band, i, x, strip1[i]);
            }
            store_sections(columns1, second.blur, band->stride, x);
        }
        store_sections(columns0, first.blur, band->stride, x);
    }
}

static inline __attribute__((always_inline)) void
blur_moments(const Ssimulacra2Blur blurs[], unsigned n, const Ssimulacra2Band *band, bool product)
{
    if (IS_WHOLE_BAND) {
        for (unsigned i = 0; i + 1 < n; i += 2)
            blur_chains((Chain){&blurs[i], 0}, (Chain){&blurs[i + 1], 0}, false, band, product);
        if (n % 2)
            blur_chains((Chain){&blurs[n - 1], 0}, (Chain){0}, true, band, product);
        return;
    }
    for (unsigned i = 0; i < n; i++) {
        for (size_t lane = 0; lane < LANES; lane += (size_t)2 * LANES_32)
            blur_chains((Chain){&blurs[i], lane}, (Chain){&blurs[i], lane + LANES_32}, false, band,
                        product);
    }
}

static void blur_means(const Ssimulacra2Blur blurs[], unsigned n, const Ssimulacra2Band *band)
{
    blur_moments(blurs, n, band, false);
}

static void blur_products(const Ssimulacra2Blur blurs[], unsigned n, const Ssimulacra2Band *band)
{
    blur_moments(blurs, n, band, true);
}

void ISA_VARIANT(ssimulacra2_init_blur)(Ssimulacra2Kernels *kernels)
{
    kernels->gather = gather;
    kernels->blur_means = blur_means;
    kernels->blur_products = blur_products;
}
