/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "adm_scalar.h"

#include "feature/adm/adm.h"

VmafRecordAdm adm_scalar_record(const AdmFrame *frame, const AdmOptions *options)
{
    const void *variants[] = {options};
    VmafPicture pictures[2];
    for (unsigned side = 0; side < 2; side++) {
        pictures[side] = (VmafPicture){
            .pix_fmt = VMAF_PIX_FMT_YUV400P,
            .bpc = frame->depth,
            .w = {frame->w},
            .h = {frame->h},
            .stride = {frame->stride},
            .data = {frame->pixels[side]},
        };
    }
    const FrameInput input = {.ref = &pictures[0], .dist = &pictures[1]};
    const PictureFormat format = picture_format_of(&pictures[0]);
    VmafRecordAdm record = {0};
    void *plan = NULL, *scratch = NULL, *const records[] = {&record};
    if (adm_extractor.plan_create(&plan, &format, variants, 1, 0) == 0 &&
        adm_extractor.scratch_create(&scratch, plan) == 0) {
        adm_extractor.accumulate(plan, scratch, &input, (RowBand){0, frame->h}, records);
    }
    adm_extractor.scratch_destroy(scratch);
    adm_extractor.plan_destroy(plan);
    return record;
}
