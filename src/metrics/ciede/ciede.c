/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/ciede/ciede_internal.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "metrics/common/math/math_functions.h"
#include "support/cpu.h"
#include "support/memory.h"

CiedeRange ciede_range(unsigned bpc)
{
    const double q = 1u << (bpc - 8);
    return (CiedeRange){
        .luma_offset = 16 * q,
        .luma_scale = 1 / (219 * q),
        .chroma_offset = 128 * q,
        .chroma_scale = 1 / (224 * q),
    };
}

/* Components out of gamut are not clipped. */
static double linear_light(double c)
{
    if (c > CIEDE_GAMMA_THRESHOLD)
        return math_pow((c + CIEDE_GAMMA_OFFSET) * CIEDE_GAMMA_SCALE, CIEDE_GAMMA);
    return c * CIEDE_GAMMA_SLOPE;
}

static float lightness(double c)
{
    if (c > CIEDE_LIGHTNESS_THRESHOLD)
        return (float)math_pow(c, 1.0 / 3);
    return (float)((CIEDE_LIGHTNESS_SLOPE * c + CIEDE_LIGHTNESS_OFFSET) * CIEDE_LIGHTNESS_SCALE);
}

CiedeLab ciede_lab(const CiedeRange *range, unsigned y_code, unsigned u_code, unsigned v_code)
{
    const double y = (y_code - range->luma_offset) * range->luma_scale;
    const double u = (u_code - range->chroma_offset) * range->chroma_scale;
    const double v = (v_code - range->chroma_offset) * range->chroma_scale;
    const double r = linear_light(y + CIEDE_R_OF_V * v);
    const double g = linear_light(y - CIEDE_G_OF_U * u - CIEDE_G_OF_V * v);
    const double b = linear_light(y + CIEDE_B_OF_U * u);
    const double fx =
        lightness((r * CIEDE_X_OF_R + g * CIEDE_X_OF_G + b * CIEDE_X_OF_B) * CIEDE_WHITE_X);
    const double fy = lightness(r * CIEDE_Y_OF_R + g * CIEDE_Y_OF_G + b * CIEDE_Y_OF_B);
    const double fz =
        lightness((r * CIEDE_Z_OF_R + g * CIEDE_Z_OF_G + b * CIEDE_Z_OF_B) * CIEDE_WHITE_Z);
    return (CiedeLab){
        .l = (float)(116 * fy - 16),
        .a = (float)(500 * (fx - fy)),
        .b = (float)(200 * (fy - fz)),
    };
}

static double square(double x)
{
    return x * x;
}

static float length(float a, float b)
{
    return (float)sqrt(square(a) + square(b));
}

/* 0 to 2 pi. */
static float hue(float b, float a)
{
    if (b == 0 && a == 0)
        return 0;
    const float angle = (float)math_atan2(b, a);
    return angle < 0 ? (float)(angle + 2 * CIEDE_PI) : angle;
}

static float hue_difference(float h1, float h2, float c1, float c2)
{
    const float d = h2 - h1;
    if (c1 == 0 || c2 == 0)
        return 0;
    if (fabsf(h1 - h2) <= CIEDE_PI)
        return d;
    return (float)(h2 <= h1 ? d + 2 * CIEDE_PI : d - 2 * CIEDE_PI);
}

/* Not reduced to 2 pi. */
static float mean_hue(float h1, float h2)
{
    const float sum = h1 + h2;
    return (float)((fabsf(h1 - h2) > CIEDE_PI ? sum + 2 * CIEDE_PI : (double)sum) / 2);
}

/* Weight of differences of hue that depends on the hue. */
static float hue_weight(double h)
{
    return (float)(1 - 0.17 * math_cos(h - CIEDE_PI / 6) + 0.24 * math_cos(2 * h) +
                   0.32 * math_cos(3 * h + CIEDE_PI / 30) -
                   0.20 * math_cos(4 * h - 7 * CIEDE_PI / 20));
}

/* Interaction of chroma and hue in the blue. */
static float rotation(float mean_h, float mean_c)
{
    const float degrees = (float)(mean_h * (180 / CIEDE_PI));
    const float e = (float)((degrees - 275.0) * (1.0 / 25));
    const float angle = (float)(60 * math_exp(-(e * e)));
    const float radians = (float)(angle * (CIEDE_PI / 180));
    /* Not pow: powf is not always the rounded value of it. */
    const float c7 = math_powf(mean_c, 7);
    return (float)(-2 * sqrt(c7 / (c7 + CIEDE_25_TO_7F)) * math_sin(radians));
}

float ciede_delta_e(CiedeLab ref, CiedeLab dist)
{
    const float c1 = length(ref.a, ref.b), c2 = length(dist.a, dist.b);
    const double c7 = math_pow((c1 + c2) / 2, 7);
    const double gain = 1 - sqrt(c7 / (c7 + CIEDE_25_TO_7));
    const float a1 = (float)(ref.a + ref.a / 2 * gain);
    const float a2 = (float)(dist.a + dist.a / 2 * gain);
    const float d1 = length(a1, ref.b), d2 = length(a2, dist.b);
    const float h1 = hue(ref.b, a1), h2 = hue(dist.b, a2);

    const float mean_c = (d1 + d2) / 2, mean_h = mean_hue(h1, h2);
    const double z2 = square((ref.l + dist.l) / 2 - 50);
    const float weight_l = (float)(1 + 0.015 * z2 / sqrt(20 + z2));
    const float weight_c = (float)(1 + 0.045 * mean_c);
    const float weight_h = (float)(1 + 0.015 * mean_c * hue_weight(mean_h));

    const float d_h = (float)(2 * sqrt(d1 * d2) * math_sin(hue_difference(h1, h2, c1, c2) / 2));
    const float l = (dist.l - ref.l) / (CIEDE_K_L * weight_l);
    const float c = (d2 - d1) / (CIEDE_K_C * weight_c);
    const float h = d_h / (CIEDE_K_H * weight_h);
    const float cross = rotation(mean_h, mean_c) * c * h;
    return (float)sqrt(square(l) + square(c) + square(h) + cross);
}

static const FeatureOutput outputs[] = {
    {"ciede2000", OUTPUT_PROVIDED},
    {0},
};

/* Infinite for equal pictures. */
static int finish(const FinishInput *input, FeatureSink *sink)
{
    const CiedeRecord *record = input->record;
    const unsigned n_pixels = input->format->w[0] * input->format->h[0];
    feature_sink_write(sink, 0, 45 - 20 * math_log10(record->sum / (double)n_pixels));
    return 0;
}

/* -- accumulate -- */

ISA_DECLARE(CiedeFunctions, ciede_functions);

void ciede_functions_init(CiedeFunctions *functions, unsigned cpu_flags)
{
#ifdef VMAF_ISA_VARIANTS
    if (!math_has_fma()) /* those for AVX2 need it */
        cpu_flags &= ~(unsigned)CPU_AVX2;
#endif
    *functions = *ISA_SELECT(ciede_functions, cpu_flags);
}

/*
 * Pixels that are equal in both pictures have no difference and are left out: adding zero changes
 * no sum. The others are collected into batches, whose differences are added in order.
 */

typedef struct CiedeParams {
    PictureFormat format;
    CiedeRange range;
    CiedeFunctions functions;
    CiedeTables *tables; /* NULL above 8 bits */
} CiedeParams;

typedef struct CiedeScratch {
    CiedeBatch batch;
    float delta_e[CIEDE_BATCH];
    unsigned n; /* pixels in the batch */
    double sum;
    uint16_t *rows[CIEDE_PICTURES][3]; /* one row with a sample of each plane for every pixel */
    uint16_t *narrow;                  /* a row of subsampled chroma */
    uint16_t samples[];
} CiedeScratch;

static void params_destroy(void *opaque)
{
    CiedeParams *params = opaque;
    if (params)
        memory_free(params->tables);
    memory_free(params);
}

static int params_create(void **out, const PictureFormat *format, const void *const variants[],
                         unsigned n_variants, unsigned cpu_flags)
{
    (void)variants;
    (void)n_variants;
    CiedeParams *params = memory_alloc_zeroed(1, sizeof(*params));
    if (!params)
        return -ENOMEM;
    params->format = *format;
    params->range = ciede_range(format->bpc);
    ciede_functions_init(&params->functions, cpu_flags);
    if (format->bpc == 8) {
        params->tables = memory_alloc(1, sizeof(*params->tables));
        if (!params->tables)
            goto fail;
        params->functions.fill_tables(params->tables, &params->range);
    }
    *out = params;
    return 0;

fail:
    params_destroy(params);
    return -ENOMEM;
}

static int scratch_create(void **out, const void *opaque)
{
    const CiedeParams *params = opaque;
    const size_t stride = size_round_up((size_t)params->format.w[0] + 1, MEMORY_ALIGNMENT);
    size_t size;
    if (!size_mul(stride, (CIEDE_PICTURES * 3 + 1) * sizeof(uint16_t), &size) ||
        !size_add(size, sizeof(CiedeScratch), &size))
        return -ENOMEM;
    CiedeScratch *scratch = memory_alloc_zeroed(1, size);
    if (!scratch)
        return -ENOMEM;
    for (unsigned i = 0; i < CIEDE_PICTURES * 3; i++)
        scratch->rows[i / 3][i % 3] = scratch->samples + i * stride;
    scratch->narrow = scratch->samples + CIEDE_PICTURES * 3 * stride;
    *out = scratch;
    return 0;
}

static void load(const VmafPicture *pic, unsigned plane, unsigned x, unsigned y, unsigned n,
                 uint16_t *restrict samples)
{
    const char *row = (const char *)pic->data[plane] + (ptrdiff_t)y * pic->stride[plane];
    if (pic->bpc == 8) {
        const uint8_t *source = (const uint8_t *)row + x;
        for (unsigned i = 0; i < n; i++)
            samples[i] = source[i];
    } else {
        memcpy(samples, (const uint16_t *)row + x, n * sizeof(*samples));
    }
}

/*
 * libvmaf reads chroma at places where there is none: one column or row beyond subsampled planes
 * of pictures with an odd side, and up to the whole luma width in rows of 4:2:2. Scores depend on
 * what it finds there, which is defined by the layout of its pictures: rows padded with zeros to a
 * multiple of 32 samples, the plane of Cr right behind that of Cb. `position` counts samples from
 * the start of the plane in that layout; behind Cr we take zeros.
 */
static void load_flat(const VmafPicture *pic, unsigned plane, size_t position, unsigned n,
                      uint16_t *restrict samples)
{
    const size_t stride = size_round_up(pic->w[plane], 32), plane_size = stride * pic->h[plane];
    while (n) {
        while (plane < 2 && position >= plane_size) {
            plane++;
            position -= plane_size;
        }
        if (position >= plane_size) {
            memset(samples, 0, n * sizeof(*samples));
            return;
        }
        const unsigned y = (unsigned)(position / stride), x = (unsigned)(position % stride);
        const bool padding = x >= pic->w[plane];
        const size_t left = (padding ? stride : pic->w[plane]) - x;
        const unsigned here = n < left ? n : (unsigned)left;
        if (padding)
            memset(samples, 0, here * sizeof(*samples));
        else
            load(pic, plane, x, y, here, samples);
        samples += here;
        position += here;
        n -= here;
    }
}

/* Each sample twice; may write one sample more than w. */
static void repeat_columns(const uint16_t *restrict narrow, unsigned w, uint16_t *restrict wide)
{
    for (unsigned x = 0; x < (w + 1) / 2; x++)
        wide[2 * x] = wide[2 * x + 1] = narrow[x];
}

static void load_chroma(const VmafPicture *pic, unsigned plane, unsigned y, uint16_t *narrow,
                        uint16_t *samples)
{
    const unsigned w = pic->w[0];
    const size_t stride = size_round_up(pic->w[plane], 32);
    switch (pic->pix_fmt) {
    case VMAF_PIX_FMT_YUV420P:
        if (y % 2)
            return; /* the row is loaded */
        load_flat(pic, plane, y / 2 * stride, (w + 1) / 2, narrow);
        repeat_columns(narrow, w, samples);
        return;
    case VMAF_PIX_FMT_YUV422P: /* subsampled in the wrong direction, as libvmaf does */
        if (y % 2)
            return;
        load_flat(pic, plane, y / 2 * stride, w, samples);
        return;
    default:
        load(pic, plane, 0, y, w, samples);
        return;
    }
}

static void flush_batch(const CiedeParams *params, CiedeScratch *scratch)
{
    params->functions.delta_e(&params->range, params->tables, &scratch->batch, scratch->delta_e);
    params->functions.add(scratch->delta_e, scratch->n, &scratch->sum);
    scratch->n = 0;
}

/* A pixel of both pictures: where its samples are, and where they go. */
enum { SAMPLES = CIEDE_PICTURES * 3, BLOCK = 32 };

static unsigned count_different(const uint16_t *const rows[SAMPLES], unsigned x)
{
    uint16_t n = 0;
    for (unsigned i = x; i < x + BLOCK; i++)
        n += ((rows[0][i] ^ rows[3][i]) | (rows[1][i] ^ rows[4][i]) | (rows[2][i] ^ rows[5][i])) !=
             0;
    return n;
}

/* Adds pixels that differ to the batch, which has room for all of them. Mostly all neighbours
 * differ, or none. */
static void collect(CiedeScratch *scratch, unsigned begin, unsigned end)
{
    const uint16_t *rows[SAMPLES];
    uint16_t *batch[SAMPLES];
    for (int i = 0; i < SAMPLES; i++) {
        rows[i] = scratch->rows[i / 3][i % 3];
        batch[i] = scratch->batch.samples[i / 3][i % 3];
    }
    unsigned n = scratch->n;
    for (unsigned x = begin; x < end;) {
        const unsigned size = end - x < BLOCK ? end - x : BLOCK;
        const unsigned n_different = size == BLOCK ? count_different(rows, x) : 1;
        if (n_different == BLOCK) {
            for (int i = 0; i < SAMPLES; i++)
                memcpy(batch[i] + n, rows[i] + x, BLOCK * sizeof(*batch[i]));
            n += BLOCK;
        } else if (n_different) {
            for (unsigned k = x; k < x + size; k++) {
                for (int i = 0; i < SAMPLES; i++)
                    batch[i][n] = rows[i][k];
                n += ((rows[0][k] ^ rows[3][k]) | (rows[1][k] ^ rows[4][k]) |
                      (rows[2][k] ^ rows[5][k])) != 0;
            }
        }
        x += size;
    }
    scratch->n = n;
}

static int accumulate(const void *opaque, void *opaque_scratch, const FrameInput *input,
                      RowBand band, void *const records[])
{
    const CiedeParams *params = opaque;
    CiedeScratch *scratch = opaque_scratch;
    CiedeRecord *record = records[0];
    const VmafPicture *const pictures[] = {input->ref, input->dist};
    const unsigned w = params->format.w[0];

    scratch->n = 0;
    scratch->sum = 0;
    for (unsigned y = band.begin; y < band.end; y++) {
        for (int i = 0; i < CIEDE_PICTURES; i++) {
            load(pictures[i], 0, 0, y, w, scratch->rows[i][0]);
            for (unsigned plane = 1; plane < 3; plane++)
                load_chroma(pictures[i], plane, y, scratch->narrow, scratch->rows[i][plane]);
        }
        for (unsigned x = 0; x < w;) {
            const unsigned room = CIEDE_BATCH - scratch->n, left = w - x;
            const unsigned n = room < left ? room : left;
            collect(scratch, x, x + n);
            x += n;
            if (scratch->n == CIEDE_BATCH)
                flush_batch(params, scratch);
        }
    }
    flush_batch(params, scratch);
    record->sum = scratch->sum;
    return 0;
}

const FeatureExtractor ciede_extractor = {
    .name = "ciede",
    .summary = "CIEDE2000 colour difference",
    .outputs = outputs,
    .options = no_options,
    .limits = {.depths = DEPTHS_COMMON, .chroma = true},
    .needs = {.planes = PLANE_Y | PLANE_CHROMA},
    .record = {.size = sizeof(CiedeRecord)},
    .params_create = params_create,
    .params_destroy = params_destroy,
    .scratch_create = scratch_create,
    .accumulate = accumulate,
    .finish = finish,
};
