/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>

#include "feature/psnr_hvs/psnr_hvs.h"
#include "feature/psnr_hvs/psnr_hvs_kernels.h"
#include "support/memory.h"

typedef struct PsnrHvsPlan {
    PictureFormat format;
    PsnrHvsKernels kernels;
    PsnrHvsWeights weights[PSNR_HVS_PLANES];
} PsnrHvsPlan;

int psnr_hvs_plan_create(void **out, const PictureFormat *format, const void *const variants[],
                         unsigned n_variants, unsigned cpu_flags)
{
    (void)variants;
    (void)n_variants;
    PsnrHvsPlan *plan = memory_alloc(1, sizeof(*plan));
    if (!plan)
        return -ENOMEM;
    plan->format = *format;
    psnr_hvs_kernels_init(&plan->kernels, cpu_flags);
    for (unsigned plane = 0; plane < PSNR_HVS_PLANES; plane++)
        psnr_hvs_weights_init(&plan->weights[plane], plane);
    *out = plan;
    return 0;
}

int psnr_hvs_scratch_create(void **out, const void *plan)
{
    (void)plan;
    *out = memory_alloc(1, sizeof(PsnrHvsWork));
    return *out ? 0 : -ENOMEM;
}

/* Samples of the blocks from number `first` of a row of blocks on; the last one is repeated. */
static void load_tile(const VmafPicture *pic, unsigned plane, unsigned y, unsigned first,
                      unsigned n_blocks, PsnrHvsTile tile)
{
    unsigned x[PSNR_HVS_LANES];
    for (unsigned l = 0; l < PSNR_HVS_LANES; l++)
        x[l] = (first + l < n_blocks ? first + l : n_blocks - 1) * PSNR_HVS_STEP;
    for (unsigned i = 0; i < PSNR_HVS_BLOCK; i++) {
        const void *row = (const char *)pic->data[plane] + (ptrdiff_t)(y + i) * pic->stride[plane];
        for (unsigned j = 0; j < PSNR_HVS_BLOCK; j++) {
            int16_t *lanes = tile[i * PSNR_HVS_BLOCK + j];
            if (pic->bpc == 8) {
                for (unsigned l = 0; l < PSNR_HVS_LANES; l++)
                    lanes[l] = ((const uint8_t *)row)[x[l] + j];
            } else { /* samples beyond their depth must not overflow the transform */
                for (unsigned l = 0; l < PSNR_HVS_LANES; l++)
                    lanes[l] = ((const uint16_t *)row)[x[l] + j] & 0xfff;
            }
        }
    }
}

static float plane_error(const PsnrHvsPlan *plan, PsnrHvsWork *work, const FrameInput *input,
                         unsigned plane)
{
    const unsigned n_columns = psnr_hvs_blocks(plan->format.w[plane]);
    const unsigned n_rows = psnr_hvs_blocks(plan->format.h[plane]);
    float sum = 0;
    for (unsigned row = 0; row < n_rows; row++) {
        for (unsigned column = 0; column < n_columns; column += PSNR_HVS_LANES) {
            const unsigned y = row * PSNR_HVS_STEP, left = n_columns - column;
            const unsigned n = left < PSNR_HVS_LANES ? left : PSNR_HVS_LANES;
            load_tile(input->ref, plane, y, column, n_columns, work->samples[0]);
            load_tile(input->dist, plane, y, column, n_columns, work->samples[1]);
            plan->kernels.errors(&plan->weights[plane], work);
            for (unsigned l = 0; l < n; l++)
                for (unsigned k = 0; k < PSNR_HVS_COEFFICIENTS; k++)
                    sum += work->errors[k][l];
        }
    }
    return sum;
}

int psnr_hvs_accumulate(const void *opaque, void *scratch, const FrameInput *input, RowBand band,
                        void *const records[])
{
    const PsnrHvsPlan *plan = opaque;
    PsnrHvsRecord *record = records[0];
    (void)band; /* all rows */
    for (unsigned plane = 0; plane < PSNR_HVS_PLANES; plane++)
        record->error[plane] = plane_error(plan, scratch, input, plane);
    return 0;
}
