/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "adm_scalar.h"

#include "metrics/adm/adm_internal.h"

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
    if (extractor_params_create(&adm_extractor, &plan, &format, variants, 1, 0) == 0 &&
        extractor_scratch_create(&adm_extractor, &scratch, plan) == 0) {
        adm_extractor.accumulate(plan, scratch, &input, (RowBand){0, frame->h}, records);
    }
    extractor_scratch_destroy(&adm_extractor, scratch);
    extractor_params_destroy(&adm_extractor, plan);
    return record;
}
