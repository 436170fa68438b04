/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>

#include "feature/psnr_hvs/psnr_hvs.h"
#include "feature/psnr_hvs/psnr_hvs_kernels.h"
#include "support/isa_twin.h"
#include "support/memory.h"

typedef struct PsnrHvsPlan {
    PictureFormat format;
    PsnrHvsKernels kernels;
    PsnrHvsWeights weights[PSNR_HVS_PLANES];
} PsnrHvsPlan;

ISA_DECLARE(PsnrHvsKernels, psnr_hvs_kernels);

void psnr_hvs_kernels_init(PsnrHvsKernels *kernels, unsigned cpu_flags)
{
    *kernels = *ISA_SELECT(psnr_hvs_kernels, cpu_flags);
}

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
    *out = memory_alloc_zeroed(1, sizeof(PsnrHvsWork)); /* lanes without a block are computed */
    return *out ? 0 : -ENOMEM;
}

/* Samples of the block at (x, y). */
static void load_block(const VmafPicture *pic, unsigned plane, unsigned x, unsigned y,
                       int16_t *lane)
{
    for (unsigned i = 0; i < PSNR_HVS_BLOCK; i++) {
        const char *row = (const char *)pic->data[plane] + (ptrdiff_t)(y + i) * pic->stride[plane];
        int16_t *samples = lane + (size_t)i * PSNR_HVS_BLOCK * PSNR_HVS_LANES;
        if (pic->bpc == 8) {
            for (unsigned j = 0; j < PSNR_HVS_BLOCK; j++)
                samples[j * PSNR_HVS_LANES] = ((const uint8_t *)row)[x + j];
        } else { /* samples beyond their depth must not overflow the transform */
            for (unsigned j = 0; j < PSNR_HVS_BLOCK; j++)
                samples[j * PSNR_HVS_LANES] = ((const uint16_t *)row)[x + j] & 0xfff;
        }
    }
}

/* Blocks from left to right and from top to bottom. */
static float plane_error(const PsnrHvsPlan *plan, PsnrHvsWork *work, const FrameInput *input,
                         unsigned plane)
{
    const size_t n_columns = psnr_hvs_blocks(plan->format.w[plane]);
    const size_t n_blocks = n_columns * psnr_hvs_blocks(plan->format.h[plane]);
    float sum = 0;
    for (size_t first = 0; first < n_blocks; first += PSNR_HVS_LANES) {
        const size_t left = n_blocks - first;
        const unsigned n = left < PSNR_HVS_LANES ? (unsigned)left : PSNR_HVS_LANES;
        for (unsigned lane = 0; lane < n; lane++) {
            const unsigned x = (unsigned)((first + lane) % n_columns) * PSNR_HVS_STEP;
            const unsigned y = (unsigned)((first + lane) / n_columns) * PSNR_HVS_STEP;
            load_block(input->ref, plane, x, y, &work->samples[0][0][lane]);
            load_block(input->dist, plane, x, y, &work->samples[1][0][lane]);
        }
        plan->kernels.errors(&plan->weights[plane], work);
        for (unsigned lane = 0; lane < n; lane++)
            for (unsigned k = 0; k < PSNR_HVS_COEFFICIENTS; k++)
                sum += work->errors[k][lane];
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
