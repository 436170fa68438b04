/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>

#include "libvmaf/backend_records.h"
#include "metrics/common/mirror.h"
#include "metrics/common/row_sums.h"
#include "metrics/float_ansnr/ansnr_kernels.h"
#include "metrics/float_ansnr/float_ansnr.h"
#include "support/memory.h"

/*
 * The reference goes through a 3x3 filter, which is exact in any order, so it is computed in
 * integers, columns first. The distorted picture goes through a 5x5 filter whose sums are rounded:
 * for every output, taps are added from left to right in each of five rows, then the rows from top
 * to bottom. Five rows of taps are only three different ones, so each picture row is summed with
 * those three once, and the sums are kept for the five output rows that need them. Squares are
 * added from left to right, several rows at a time.
 */

enum {
    RADIUS = ANSNR_RADIUS,
    MARGIN = 16, /* samples of room on both sides of a row, of which RADIUS are mirrored */
    TAP_ROWS = 3,
    RING = 8,                   /* rows of sums, at least 2 RADIUS + 1 */
    SUMMED_ROWS = ROW_SUMS / 2, /* rows whose squares are added together: signal and noise */
};

typedef struct AnsnrPlan {
    PictureFormat format;
    float to_8bit;                    /* factor that takes samples to the 8-bit range */
    float taps[TAP_ROWS][ANSNR_TAPS]; /* rows 0 and 4, 1 and 3, and 2 of the filter */
    const AnsnrKernels *kernels;
} AnsnrPlan;

typedef struct AnsnrScratch {
    size_t stride;  /* of the rows below, in samples */
    float *samples; /* a row of the distorted picture with mirrored ends */
    float *sums[RING][TAP_ROWS];
    int32_t *columns;         /* a row of column sums of the reference with mirrored ends */
    float *squares[ROW_SUMS]; /* signal and noise of a row, then those of the next one */
    float rows[];
} AnsnrScratch;

int ansnr_plan_create(void **out, const PictureFormat *format, const void *const variants[],
                      unsigned n_variants, unsigned cpu_flags)
{
    (void)variants;
    (void)n_variants;
    AnsnrPlan *plan = memory_alloc(1, sizeof(*plan));
    if (!plan)
        return -ENOMEM;
    plan->format = *format;
    plan->kernels = ansnr_kernels(cpu_flags);
    plan->to_8bit = 1.0f / (float)(1u << (format->bpc - 8));
    for (int r = 0; r < TAP_ROWS; r++)
        for (int k = -RADIUS; k <= RADIUS; k++)
            plan->taps[r][k + RADIUS] = float_ansnr_tap(r, RADIUS - (k < 0 ? -k : k));
    *out = plan;
    return 0;
}

int ansnr_scratch_create(void **out, const void *opaque)
{
    const AnsnrPlan *plan = opaque;
    enum { N_ROWS = 1 + RING * TAP_ROWS + 1 + ROW_SUMS };
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
    for (int i = 0; i < ROW_SUMS; i++)
        scratch->squares[i] = row += stride;
    *out = scratch;
    return 0;
}

static const void *picture_row(const VmafPicture *pic, unsigned y)
{
    return (const char *)pic->data[0] + (ptrdiff_t)y * pic->stride[0];
}

static void load_sums(const AnsnrPlan *plan, AnsnrScratch *scratch, const VmafPicture *dist,
                      unsigned y)
{
    const unsigned w = plan->format.w[0];
    float *samples = scratch->samples;
    plan->kernels->load(picture_row(dist, y), plan->format.bpc > 8, plan->to_8bit, samples, w);
    for (int k = 1; k <= RADIUS; k++) {
        samples[-k] = samples[mirror_whole_and_half(-k, w)];
        samples[w - 1 + (unsigned)k] = samples[mirror_whole_and_half((int)w - 1 + k, w)];
    }
    for (int r = 0; r < TAP_ROWS; r++)
        plan->kernels->sum_taps(samples, plan->taps[r], scratch->sums[y % RING][r], w);
}

static void load_columns(const AnsnrPlan *plan, const VmafPicture *ref, unsigned y,
                         int32_t *columns)
{
    const unsigned w = plan->format.w[0], h = plan->format.h[0];
    plan->kernels->sum_columns(
        picture_row(ref, mirror_whole_and_half((int)y - 1, h)), picture_row(ref, y),
        picture_row(ref, mirror_whole_and_half((int)y + 1, h)), plan->format.bpc > 8, columns, w);
    columns[-1] = columns[mirror_whole_and_half(-1, w)];
    columns[w] = columns[mirror_whole_and_half((int)w, w)];
}

static void make_squares(const AnsnrPlan *plan, AnsnrScratch *scratch, unsigned y,
                         float *squares[2])
{
    const float *rows[ANSNR_TAPS];
    for (int k = -RADIUS; k <= RADIUS; k++)
        rows[k + RADIUS] = scratch->sums[mirror_whole_and_half((int)y + k, plan->format.h[0]) %
                                         RING][RADIUS - (k < 0 ? -k : k)];
    plan->kernels->squares(scratch->columns, plan->to_8bit / 16, rows, squares[0], squares[1],
                           plan->format.w[0]);
}

int ansnr_accumulate(const void *opaque, void *opaque_scratch, const FrameInput *input,
                     RowBand band, void *const records[])
{
    const AnsnrPlan *plan = opaque;
    AnsnrScratch *scratch = opaque_scratch;
    VmafRecordFloatAnsnrRow *record = records[0];
    const unsigned h = plan->format.h[0];

    unsigned next = band.begin > RADIUS ? band.begin - RADIUS : 0;
    for (unsigned begin = band.begin; begin < band.end; begin += SUMMED_ROWS) {
        const unsigned left = band.end - begin, n = left < SUMMED_ROWS ? left : SUMMED_ROWS;
        float sums[ROW_SUMS];
        for (unsigned i = 0; i < n; i++) {
            for (; next <= begin + i + RADIUS && next < h; next++)
                load_sums(plan, scratch, input->dist, next);
            load_columns(plan, input->ref, begin + i, scratch->columns);
            make_squares(plan, scratch, begin + i, &scratch->squares[2 * i]);
        }
        row_sums_f32((const float *const *)scratch->squares, plan->format.w[0], sums);
        for (unsigned i = 0; i < n; i++) {
            record[begin + i].signal += sums[2 * i];
            record[begin + i].noise += sums[2 * i + 1];
        }
    }
    return 0;
}
