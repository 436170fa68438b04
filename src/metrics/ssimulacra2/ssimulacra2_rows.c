/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <math.h>
#include <string.h>

#include "metrics/common/ordered_sum.h"
#include "metrics/ssimulacra2/ssimulacra2_internal.h"
#include "support/cpu.h"
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

void ISA_VARIANT(ssimulacra2_init_colour)(Ssimulacra2Functions *functions)
{
    functions->chroma[SSIMULACRA2_BYTES] = chroma_bytes;
    functions->chroma[SSIMULACRA2_WORDS] = chroma_words;
    functions->linear_rgb[SSIMULACRA2_BYTES] = linear_rgb_bytes;
    functions->linear_rgb[SSIMULACRA2_WORDS] = linear_rgb_words;
    functions->xyb = xyb;
    functions->halve = halve;
}

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

void ISA_VARIANT(ssimulacra2_init_blur)(Ssimulacra2Functions *functions)
{
    functions->gather = gather;
    functions->blur_means = blur_means;
    functions->blur_products = blur_products;
}

/* Kernels of the error maps. A map is made first, then summed up in the order of its pixels. */

static const float c2 = SSIMULACRA2_C2;

static void add_in_order(double *sum, const double *restrict row, unsigned w)
{
    if (ordered_sum_f64(sum, row, w))
        return;
    double s = *sum;
    for (unsigned x = 0; x < w; x++)
        s += row[x];
    *sum = s;
}

/* Adds a row of a map, and its fourth powers, to the sums that are wanted. Makes the powers. */
static void add_map(double *sums, unsigned wanted, int mean, int fourth, double *restrict map,
                    unsigned w)
{
    if (wanted & 1u << mean)
        add_in_order(&sums[mean], map, w);
    if (wanted & 1u << fourth) {
        for (unsigned x = 0; x < w; x++) {
            const double square = map[x] * map[x];
            map[x] = square * square;
        }
        add_in_order(&sums[fourth], map, w);
    }
}

static inline void ssim_map(double *restrict map, const float *restrict ref_mean,
                            const float *restrict dist_mean, const float *restrict ref_ref,
                            const float *restrict dist_dist, const float *restrict ref_dist,
                            unsigned w)
{
    for (unsigned x = 0; x < w; x++) {
        const float u = ref_mean[x], v = dist_mean[x];
        /* No weight is given to dark or bright surroundings: means enter by their difference. */
        const float means = 1 - (u - v) * (u - v);
        const float structure = 2 * (ref_dist[x] - u * v) + c2;
        const float variance = ((ref_ref[x] - u * u) + (dist_dist[x] - v * v)) + c2;
        const double d = 1 - ((double)means * (double)structure) / (double)variance;
        map[x] = d < 0 ? 0 : d;
    }
}

static void add_ssim(double *sums, unsigned wanted, const float *const moments[SSIMULACRA2_MOMENTS],
                     unsigned w, double *const rows[SSIMULACRA2_MAP_ROWS])
{
    ssim_map(rows[0], moments[SSIMULACRA2_REF], moments[SSIMULACRA2_DIST],
             moments[SSIMULACRA2_REF_REF], moments[SSIMULACRA2_DIST_DIST],
             moments[SSIMULACRA2_REF_DIST], w);
    add_map(sums, wanted, SSIMULACRA2_SSIM1, SSIMULACRA2_SSIM4, rows[0], w);
}

/* Positive where the distorted picture has the stronger edge. */
static inline void edge_map(double *restrict map, const float *restrict ref,
                            const float *restrict dist, const float *restrict ref_mean,
                            const float *restrict dist_mean, unsigned w)
{
    for (unsigned x = 0; x < w; x++) {
        const double ref_edge = fabs((double)ref[x] - (double)ref_mean[x]);
        const double dist_edge = fabs((double)dist[x] - (double)dist_mean[x]);
        map[x] = (1 + dist_edge) / (1 + ref_edge) - 1;
    }
}

static void add_edges(double *sums, unsigned wanted, const Ssimulacra2Edges *edges, unsigned w,
                      double *const rows[SSIMULACRA2_MAP_ROWS])
{
    const unsigned ring_norms = 1u << SSIMULACRA2_RING1 | 1u << SSIMULACRA2_RING4;
    const unsigned blur_norms = 1u << SSIMULACRA2_BLUR1 | 1u << SSIMULACRA2_BLUR4;
    double *restrict map = rows[0], *restrict part = rows[1];
    edge_map(map, edges->ref, edges->dist, edges->ref_mean, edges->dist_mean, w);
    if (wanted & ring_norms) {
        for (unsigned x = 0; x < w; x++)
            part[x] = map[x] > 0 ? map[x] : 0;
        add_map(sums, wanted, SSIMULACRA2_RING1, SSIMULACRA2_RING4, part, w);
    }
    if (wanted & blur_norms) {
        for (unsigned x = 0; x < w; x++)
            part[x] = -map[x] > 0 ? -map[x] : 0;
        add_map(sums, wanted, SSIMULACRA2_BLUR1, SSIMULACRA2_BLUR4, part, w);
    }
}

void ISA_VARIANT(ssimulacra2_init_maps)(Ssimulacra2Functions *functions)
{
    functions->add_ssim = add_ssim;
    functions->add_edges = add_edges;
}
