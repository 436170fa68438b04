/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>

#include "libvmaf/backend_records.h"
#include "metrics/common/rows.h"
#include "metrics/psnr/psnr.h"
#include "metrics/psnr/psnr_kernels.h"
#include "support/memory.h"

typedef struct PsnrPlan {
    PictureFormat format;
    PsnrKernels kernels;
    unsigned n_variants;
    unsigned n_planes[]; /* of each variant */
} PsnrPlan;

int psnr_plan_create(void **plan, const PictureFormat *format, const void *const variants[],
                     unsigned n_variants, unsigned cpu_flags)
{
    size_t size;
    if (!size_mul(n_variants, sizeof(unsigned), &size) || !size_add(size, sizeof(PsnrPlan), &size))
        return -ENOMEM;
    PsnrPlan *p = memory_alloc(1, size);
    if (!p)
        return -ENOMEM;
    p->format = *format;
    p->n_variants = n_variants;
    for (unsigned i = 0; i < n_variants; i++)
        p->n_planes[i] = psnr_planes(variants[i], format->pix_fmt != VMAF_PIX_FMT_YUV400P);
    psnr_kernels_init(&p->kernels, format->bpc, cpu_flags);
    *plan = p;
    return 0;
}

static uint64_t plane_sse(const PsnrPlan *plan, const FrameInput *input, unsigned plane,
                          RowBand band)
{
    const VmafPicture *ref = input->ref, *dist = input->dist;
    const unsigned w = plan->format.w[plane];
    const unsigned end = plane_row(&plan->format, plane, band.end);
    uint64_t sse = 0;
    for (unsigned y = plane_row(&plan->format, plane, band.begin); y < end; y++) {
        const char *ref_row = (const char *)ref->data[plane] + (ptrdiff_t)y * ref->stride[plane];
        const char *dist_row = (const char *)dist->data[plane] + (ptrdiff_t)y * dist->stride[plane];
        sse += plan->kernels.row_sse(ref_row, dist_row, w);
    }
    return sse;
}

int psnr_accumulate(const void *plan, void *scratch, const FrameInput *input, RowBand band,
                    void *const records[])
{
    const PsnrPlan *p = plan;
    (void)scratch;

    unsigned n_planes = 0;
    for (unsigned i = 0; i < p->n_variants; i++) {
        if (records[i] && p->n_planes[i] > n_planes)
            n_planes = p->n_planes[i];
    }
    for (unsigned plane = 0; plane < n_planes; plane++) {
        const uint64_t sse = plane_sse(p, input, plane, band);
        for (unsigned i = 0; i < p->n_variants; i++) {
            VmafRecordPsnr *record = records[i];
            if (record && plane < p->n_planes[i])
                record->sse[plane] += sse;
        }
    }
    return 0;
}
