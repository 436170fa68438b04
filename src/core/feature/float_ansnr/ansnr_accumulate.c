/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>

#include "feature/float_ansnr/float_ansnr.h"
#include "support/memory.h"

/*
 * The reference goes through a 3x3 filter, which is exact in any order, so it is computed in
 * integers, columns first. The distorted picture goes through a 5x5 filter whose sums are rounded:
 * for every output, taps are added from left to right in each of five rows, then the rows from top
 * to bottom. Five rows of taps are only three different ones, so each picture row is summed with
 * those three once, and the sums are kept for the five output rows that need them.
 */

enum {
    RADIUS = 2,
    MARGIN = 16, /* samples of room on both sides of a row, of which RADIUS are mirrored */
    TAP_ROWS = 3,
    RING = 8, /* rows of sums, at least 2 RADIUS + 1 */
};

/* Rows 0 and 4, 1 and 3, and 2 of the filter, which is symmetric: divided by 571. */
static const double taps[TAP_ROWS][RADIUS + 1] = {{2, 7, 12}, {7, 31, 52}, {12, 52, 127}};
static const double taps_divisor = 571;

typedef struct AnsnrPlan {
    PictureFormat format;
    float to_8bit; /* factor that takes samples to the 8-bit range */
    float taps[TAP_ROWS][2 * RADIUS + 1];
} AnsnrPlan;

typedef struct AnsnrScratch {
    size_t stride;  /* of the rows below, in samples */
    float *samples; /* a row of the distorted picture with mirrored ends */
    float *sums[RING][TAP_ROWS];
    int32_t *columns; /* a row of column sums of the reference with mirrored ends */
    float *squares[2];
    float rows[];
} AnsnrScratch;

int ansnr_plan_create(void **out, const PictureFormat *format, const void *const variants[],
                      unsigned n_variants, unsigned cpu_flags)
{
    (void)variants;
    (void)n_variants;
    (void)cpu_flags;
    AnsnrPlan *plan = memory_alloc(1, sizeof(*plan));
    if (!plan)
        return -ENOMEM;
    plan->format = *format;
    plan->to_8bit = 1.0f / (float)(1u << (format->bpc - 8));
    for (int r = 0; r < TAP_ROWS; r++)
        for (int k = -RADIUS; k <= RADIUS; k++)
            plan->taps[r][k + RADIUS] = (float)(taps[r][RADIUS - (k < 0 ? -k : k)] / taps_divisor);
    *out = plan;
    return 0;
}

int ansnr_scratch_create(void **out, const void *opaque)
{
    const AnsnrPlan *plan = opaque;
    enum { N_ROWS = 1 + RING * TAP_ROWS + 1 + 2 };
    size_t stride = size_round_up((size_t)plan->format.w[0] + 2 * MARGIN, MARGIN);
    size_t size;
    if (!size_mul(stride, N_ROWS * sizeof(float), &size) ||
        !size_add(size, sizeof(AnsnrScratch), &size))
        return -ENOMEM;
    AnsnrScratch *scratch = memory_alloc(1, size);
    if (!scratch)
        return -ENOMEM;
    scratch->stride = stride;
    float *row = scratch->rows + MARGIN;
    scratch->samples = row;
    for (int i = 0; i < RING; i++)
        for (int r = 0; r < TAP_ROWS; r++)
            scratch->sums[i][r] = row += stride;
    scratch->columns = (int32_t *)(row += stride);
    for (int i = 0; i < 2; i++)
        scratch->squares[i] = row += stride;
    *out = scratch;
    return 0;
}

/* The border repeats neither sample at the beginning nor skips one at the end: -1 is 1, n is n - 1.
 */
static unsigned mirror(int i, unsigned n)
{
    if (i < 0)
        return (unsigned)-i;
    return (unsigned)i < n ? (unsigned)i : 2 * n - (unsigned)i - 1;
}

static const void *picture_row(const VmafPicture *pic, unsigned y)
{
    return (const char *)pic->data[0] + (ptrdiff_t)y * pic->stride[0];
}

/* Samples in the 8-bit range around 0, which is exact. */
static void load_samples(const AnsnrPlan *plan, const void *source, float *restrict samples)
{
    const unsigned w = plan->format.w[0];
    const float factor = plan->to_8bit;
    if (plan->format.bpc == 8) {
        const uint8_t *row = source;
        for (unsigned x = 0; x < w; x++)
            samples[x] = (float)row[x] - 128;
    } else {
        const uint16_t *row = source;
        for (unsigned x = 0; x < w; x++)
            samples[x] = (float)row[x] * factor - 128;
    }
    for (int k = 1; k <= RADIUS; k++) {
        samples[-k] = samples[mirror(-k, w)];
        samples[w - 1 + (unsigned)k] = samples[mirror((int)w - 1 + k, w)];
    }
}

static void sum_taps(const float *restrict v, const float tap[2 * RADIUS + 1], unsigned w,
                     float *restrict sums)
{
    for (unsigned x = 0; x < w; x++) {
        const float *p = v + x;
        sums[x] =
            (((p[-2] * tap[0] + p[-1] * tap[1]) + p[0] * tap[2]) + p[1] * tap[3]) + p[2] * tap[4];
    }
}

static void load_sums(const AnsnrPlan *plan, AnsnrScratch *scratch, const VmafPicture *dist,
                      unsigned y)
{
    load_samples(plan, picture_row(dist, y), scratch->samples);
    for (int r = 0; r < TAP_ROWS; r++)
        sum_taps(scratch->samples, plan->taps[r], plan->format.w[0], scratch->sums[y % RING][r]);
}

static void load_columns(const AnsnrPlan *plan, const VmafPicture *ref, unsigned y,
                         int32_t *restrict columns)
{
    const unsigned w = plan->format.w[0], h = plan->format.h[0];
    const void *above = picture_row(ref, mirror((int)y - 1, h)), *here = picture_row(ref, y);
    const void *below = picture_row(ref, mirror((int)y + 1, h));
    if (plan->format.bpc == 8) {
        const uint8_t *a = above, *b = here, *c = below;
        for (unsigned x = 0; x < w; x++)
            columns[x] = a[x] + 2 * b[x] + c[x];
    } else {
        const uint16_t *a = above, *b = here, *c = below;
        for (unsigned x = 0; x < w; x++)
            columns[x] = a[x] + 2 * b[x] + c[x];
    }
    columns[-1] = columns[mirror(-1, w)];
    columns[w] = columns[mirror((int)w, w)];
}

static AnsnrRow row_sums(const AnsnrPlan *plan, AnsnrScratch *scratch, unsigned y)
{
    const unsigned w = plan->format.w[0], h = plan->format.h[0];
    const float *s[2 * RADIUS + 1];
    for (int k = -RADIUS; k <= RADIUS; k++)
        s[k + RADIUS] = scratch->sums[mirror((int)y + k, h) % RING][RADIUS - (k < 0 ? -k : k)];
    const float *s0 = s[0], *s1 = s[1], *s2 = s[2], *s3 = s[3], *s4 = s[4];
    const int32_t *columns = scratch->columns;
    const float factor = plan->to_8bit / 16;
    float *restrict signal = scratch->squares[0], *restrict noise = scratch->squares[1];
    for (unsigned x = 0; x < w; x++) {
        const int32_t sum = columns[(int)x - 1] + 2 * columns[x] + columns[x + 1];
        const float ref = (float)sum * factor - 128;
        const float dist = (((s0[x] + s1[x]) + s2[x]) + s3[x]) + s4[x];
        const float difference = ref - dist;
        signal[x] = ref * ref;
        noise[x] = difference * difference;
    }
    AnsnrRow sums = {0, 0};
    for (unsigned x = 0; x < w; x++) {
        sums.signal += signal[x];
        sums.noise += noise[x];
    }
    return sums;
}

int ansnr_accumulate(const void *opaque, void *opaque_scratch, const FrameInput *input,
                     RowBand band, void *const records[])
{
    const AnsnrPlan *plan = opaque;
    AnsnrScratch *scratch = opaque_scratch;
    AnsnrRow *record = records[0];
    const unsigned h = plan->format.h[0];

    unsigned next = band.begin > RADIUS ? band.begin - RADIUS : 0;
    for (unsigned y = band.begin; y < band.end; y++) {
        for (; next <= y + RADIUS && next < h; next++)
            load_sums(plan, scratch, input->dist, next);
        load_columns(plan, input->ref, y, scratch->columns);
        const AnsnrRow sums = row_sums(plan, scratch, y);
        record[y].signal += sums.signal;
        record[y].noise += sums.noise;
    }
    return 0;
}
