/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <string.h>

#include "libvmaf/backend_records.h"
#include "metrics/psnr_hvs/psnr_hvs.h"
#include "metrics/psnr_hvs/psnr_hvs_kernels.h"
#include "support/isa_variant.h"
#include "support/memory.h"

typedef struct PsnrHvsPlan {
    PictureFormat format;
    PsnrHvsKernels kernels;
    PsnrHvsWeights weights[PSNR_HVS_PLANES];
} PsnrHvsPlan;

ISA_DECLARE_NEON(PsnrHvsKernels, psnr_hvs_kernels);

void psnr_hvs_kernels_init(PsnrHvsKernels *kernels, unsigned cpu_flags)
{
    *kernels = *ISA_SELECT_NEON(psnr_hvs_kernels, cpu_flags);
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
    *out = memory_alloc(1, sizeof(PsnrHvsWork));
    return *out ? 0 : -ENOMEM;
}

static void load_tile(const PsnrHvsPlan *plan, const VmafPicture *pic, unsigned plane, size_t first,
                      unsigned n, PsnrHvsTile samples)
{
    const size_t n_columns = psnr_hvs_blocks(plan->format.w[plane]);
    const unsigned sample_size = pic->bpc == 8 ? 1 : 2;
    const void *blocks[PSNR_HVS_LANES];
    for (unsigned lane = 0; lane < PSNR_HVS_LANES; lane++) {
        const size_t block = first + (lane < n ? lane : n - 1);
        const size_t x = block % n_columns * PSNR_HVS_STEP, y = block / n_columns * PSNR_HVS_STEP;
        blocks[lane] =
            (const char *)pic->data[plane] + (ptrdiff_t)y * pic->stride[plane] + x * sample_size;
    }
    plan->kernels.load(blocks, pic->stride[plane], pic->bpc != 8, samples);
}

/* Blocks from left to right and from top to bottom. */
static float plane_error(const PsnrHvsPlan *plan, PsnrHvsWork *work, const FrameInput *input,
                         unsigned plane)
{
    const size_t n_blocks =
        (size_t)psnr_hvs_blocks(plan->format.w[plane]) * psnr_hvs_blocks(plan->format.h[plane]);
    float sum = 0;
    for (size_t first = 0; first < n_blocks; first += PSNR_HVS_LANES) {
        const size_t left = n_blocks - first;
        const unsigned n = left < PSNR_HVS_LANES ? (unsigned)left : PSNR_HVS_LANES;
        load_tile(plan, input->ref, plane, first, n, work->samples[0]);
        load_tile(plan, input->dist, plane, first, n, work->samples[1]);
        if (!memcmp(work->samples[0], work->samples[1], sizeof(PsnrHvsTile)))
            continue; /* no errors */
        plan->kernels.errors(&plan->weights[plane], work);
        sum = plan->kernels.add_errors(sum, (const float(*)[PSNR_HVS_LANES])work->errors, n);
    }
    return sum;
}

int psnr_hvs_accumulate(const void *opaque, void *scratch, const FrameInput *input, RowBand band,
                        void *const records[])
{
    const PsnrHvsPlan *plan = opaque;
    VmafRecordPsnrHvs *record = records[0];
    (void)band; /* all rows */
    for (unsigned plane = 0; plane < PSNR_HVS_PLANES; plane++)
        record->error[plane] = plane_error(plan, scratch, input, plane);
    return 0;
}
