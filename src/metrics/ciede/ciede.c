/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/ciede/ciede_internal.h"

#include <errno.h>
#include <string.h>

#include "metrics/ciede/ciede_formula.h"
#include "metrics/common/math/math_functions.h"
#include "metrics/common/math/math_variants.h"
#include "support/cpu.h"
#include "support/memory.h"

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

ISA_DECLARE(CiedeKernels, ciede_kernels);

void ciede_kernels_init(CiedeKernels *kernels, unsigned cpu_flags)
{
#ifdef VMAF_ISA_VARIANTS
    if (!math_has_fma()) /* those for AVX2 need it */
        cpu_flags &= ~(unsigned)CPU_AVX2;
#endif
    *kernels = *ISA_SELECT(ciede_kernels, cpu_flags);
}

/*
 * Pixels that are equal in both pictures have no difference and are left out: adding zero changes
 * no sum. The others are collected into batches, whose differences are added in order.
 */

typedef struct CiedePlan {
    PictureFormat format;
    CiedeRange range;
    CiedeKernels kernels;
    CiedeTables *tables; /* NULL above 8 bits */
} CiedePlan;

typedef struct CiedeScratch {
    CiedeBatch batch;
    float delta_e[CIEDE_BATCH];
    unsigned n; /* pixels in the batch */
    double sum;
    uint16_t *rows[CIEDE_PICTURES][3]; /* one row with a sample of each plane for every pixel */
    uint16_t *narrow;                  /* a row of subsampled chroma */
    uint16_t samples[];
} CiedeScratch;

static void plan_destroy(void *opaque)
{
    CiedePlan *plan = opaque;
    if (plan)
        memory_free(plan->tables);
    memory_free(plan);
}

static int plan_create(void **out, const PictureFormat *format, const void *const variants[],
                       unsigned n_variants, unsigned cpu_flags)
{
    (void)variants;
    (void)n_variants;
    CiedePlan *plan = memory_alloc_zeroed(1, sizeof(*plan));
    if (!plan)
        return -ENOMEM;
    plan->format = *format;
    plan->range = ciede_range(format->bpc);
    ciede_kernels_init(&plan->kernels, cpu_flags);
    if (format->bpc == 8) {
        plan->tables = memory_alloc(1, sizeof(*plan->tables));
        if (!plan->tables)
            goto fail;
        plan->kernels.fill_tables(plan->tables, &plan->range);
    }
    *out = plan;
    return 0;

fail:
    plan_destroy(plan);
    return -ENOMEM;
}

static int scratch_create(void **out, const void *opaque)
{
    const CiedePlan *plan = opaque;
    const size_t stride = size_round_up((size_t)plan->format.w[0] + 1, MEMORY_ALIGNMENT);
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

static void flush_batch(const CiedePlan *plan, CiedeScratch *scratch)
{
    plan->kernels.delta_e(&plan->range, plan->tables, &scratch->batch, scratch->delta_e);
    plan->kernels.add(scratch->delta_e, scratch->n, &scratch->sum);
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
    const CiedePlan *plan = opaque;
    CiedeScratch *scratch = opaque_scratch;
    CiedeRecord *record = records[0];
    const VmafPicture *const pictures[] = {input->ref, input->dist};
    const unsigned w = plan->format.w[0];

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
                flush_batch(plan, scratch);
        }
    }
    flush_batch(plan, scratch);
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
    .plan_create = plan_create,
    .plan_destroy = plan_destroy,
    .scratch_create = scratch_create,
    .accumulate = accumulate,
    .finish = finish,
};
