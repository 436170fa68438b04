/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <string.h>

#include "metrics/ssimulacra2/ssimulacra2_internal.h"
#include "support/vector_lanes.h"

/* Kernels from samples to the XYB colour space, and between scales. */

/* -- YUV to linear RGB -- */

static inline float clip_to_unit(float v)
{
    return v < 0 ? 0 : v > 1 ? 1 : v;
}

/* v is within 0 to 1: the last segment of the table holds 1 itself, with slope 0. */
static inline float transfer_of(float v, const Ssimulacra2Segment *transfer)
{
    const float position = v * (float)(SSIMULACRA2_TRANSFER_SIZE - 1);
    const int i = (int)position;
    return transfer[i].value + transfer[i].slope * (position - (float)i);
}

#define DEFINE_SAMPLE_KERNELS(name, Sample)                                                        \
    static void chroma_##name(float *restrict out, const void *row,                                \
                              const uint32_t *restrict columns, unsigned w,                        \
                              const Ssimulacra2Conversion *conversion)                             \
    {                                                                                              \
        const Sample *in = row;                                                                    \
        const Ssimulacra2Conversion c = *conversion;                                               \
        for (unsigned x = 0; x < w; x++)                                                           \
            out[x] = ((float)in[columns[x]] * c.unit - 0.5f) * c.chroma_scale;                     \
    }                                                                                              \
                                                                                                   \
    static inline void decode_##name(float *restrict r, float *restrict g, float *restrict b,      \
                                     const Sample *restrict luma, const float *restrict us,        \
                                     const float *restrict vs, unsigned w,                         \
                                     const Ssimulacra2Conversion c)                                \
    {                                                                                              \
        for (unsigned x = 0; x < w; x++) {                                                         \
            const float y = ((float)luma[x] * c.unit - c.luma_offset) * c.luma_scale;              \
            const float u = us[x], v = vs[x];                                                      \
            r[x] = clip_to_unit(y + c.r_of_v * v);                                                 \
            g[x] = clip_to_unit((y + c.g_of_u * u) + c.g_of_v * v);                                \
            b[x] = clip_to_unit(y + c.b_of_u * u);                                                 \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    static void linear_rgb_##name(                                                                 \
        float *const rgb[3], const void *luma, const float *u, const float *v, unsigned w,         \
        const Ssimulacra2Conversion *conversion, const Ssimulacra2Segment *transfer)               \
    {                                                                                              \
        decode_##name(rgb[0], rgb[1], rgb[2], luma, u, v, w, *conversion);                         \
        for (int i = 0; i < 3; i++)                                                                \
            linearise(rgb[i], w, transfer);                                                        \
    }

static void linearise(float *restrict row, unsigned w, const Ssimulacra2Segment *restrict transfer)
{
    unsigned x = 0;
#ifdef LANES_GATHER_PAIRS
    for (; x + LANES_32 <= w; x += LANES_32) {
        const LanesF32 position = lanes_load_f32(row, x) * (float)(SSIMULACRA2_TRANSFER_SIZE - 1);
        const LanesI32 i = lanes_i32_of_f32(position);
        LanesF32 value, slope;
        lanes_gather_pairs_f32(transfer, i, &value, &slope);
        *lanes_at_f32(row, x) = value + slope * (position - lanes_f32_of_i32(i));
    }
#endif
    for (; x < w; x++)
        row[x] = transfer_of(row[x], transfer);
}

DEFINE_SAMPLE_KERNELS(bytes, uint8_t)
DEFINE_SAMPLE_KERNELS(words, uint16_t)

/* -- linear RGB to XYB -- */

/*
 * Cube root of a positive number: two Newton steps from an estimate that takes a third of the
 * exponent. The metric is defined with the errors of this.
 */
static inline float cube_root(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof(bits));
    bits = bits / 3 + SSIMULACRA2_ROOT_BITS;
    float y;
    memcpy(&y, &bits, sizeof(y));
    y = (2 * y + x / (y * y)) * SSIMULACRA2_THIRD;
    return (2 * y + x / (y * y)) * SSIMULACRA2_THIRD;
}

static inline void rows_to_xyb(float *restrict out_x, float *restrict out_y, float *restrict out_b,
                               const float *restrict rs, const float *restrict gs,
                               const float *restrict bs, unsigned w)
{
    for (unsigned x = 0; x < w; x++) {
        const float r = rs[x], g = gs[x], b = bs[x];
        /* None is below the bias. */
        const float l =
            ((SSIMULACRA2_LONG_R * r + SSIMULACRA2_LONG_G * g) + SSIMULACRA2_LONG_B * b) +
            SSIMULACRA2_BIAS;
        const float m =
            ((SSIMULACRA2_MEDIUM_R * r + SSIMULACRA2_MEDIUM_G * g) + SSIMULACRA2_MEDIUM_B * b) +
            SSIMULACRA2_BIAS;
        const float s =
            ((SSIMULACRA2_SHORT_R * r + SSIMULACRA2_SHORT_G * g) + SSIMULACRA2_SHORT_B * b) +
            SSIMULACRA2_BIAS;
        const float cone_l = cube_root(l) - SSIMULACRA2_BIAS_ROOT;
        const float cone_m = cube_root(m) - SSIMULACRA2_BIAS_ROOT;
        const float cone_s = cube_root(s) - SSIMULACRA2_BIAS_ROOT;
        const float opponent = 0.5f * (cone_l - cone_m);
        const float luminance = 0.5f * (cone_l + cone_m);
        out_x[x] = opponent * SSIMULACRA2_X_FACTOR + SSIMULACRA2_X_OFFSET;
        out_y[x] = luminance + SSIMULACRA2_Y_OFFSET;
        out_b[x] = (cone_s - luminance) + SSIMULACRA2_B_OFFSET;
    }
}

static void xyb(float *const out[3], float *const rgb[3], unsigned w)
{
    rows_to_xyb(out[0], out[1], out[2], rgb[0], rgb[1], rgb[2], w);
}

/* -- next scale -- */

static void halve(float *restrict out, const float *restrict top, const float *restrict bottom,
                  unsigned w)
{
    const unsigned pairs = w / 2;
    for (unsigned x = 0; x < pairs; x++)
        out[x] = (((top[2 * x] + top[2 * x + 1]) + bottom[2 * x]) + bottom[2 * x + 1]) * 0.25f;
    if (w % 2) {
        const float above = top[w - 1], below = bottom[w - 1];
        out[pairs] = (((above + above) + below) + below) * 0.25f;
    }
}

void ISA_VARIANT(ssimulacra2_init_colour)(Ssimulacra2Kernels *kernels)
{
    kernels->chroma[SSIMULACRA2_BYTES] = chroma_bytes;
    kernels->chroma[SSIMULACRA2_WORDS] = chroma_words;
    kernels->linear_rgb[SSIMULACRA2_BYTES] = linear_rgb_bytes;
    kernels->linear_rgb[SSIMULACRA2_WORDS] = linear_rgb_words;
    kernels->xyb = xyb;
    kernels->halve = halve;
}
