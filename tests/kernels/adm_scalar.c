/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "adm_scalar.h"

#include "feature/adm/adm.h"
#include "definition/adm/adm_csf.h"

static AdmOptions library_options(const VmafAdmOptions *options)
{
    return (AdmOptions){
        .enhn_gain_limit = options->enhn_gain_limit,
        .norm_view_dist = options->norm_view_dist,
        .ref_display_height = options->ref_display_height,
        .csf_mode = options->csf_mode,
        .csf_scale = options->csf_scale,
        .csf_diag_scale = options->csf_diag_scale,
        .skip_aim = options->skip_aim,
        .skip_scale0 = options->skip_scale0,
    };
}

VmafRecordAdm adm_scalar_record(const AdmFrame *frame, const VmafAdmOptions *options)
{
    const AdmOptions adm = library_options(options);
    const void *variants[] = {&adm};
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

VmafAdmWeights adm_scalar_weights(const VmafAdmOptions *options, int scale)
{
    const AdmOptions adm = library_options(options);
    const AdmViewing viewing = adm_viewing(&adm);
    uint32_t weights[ADM_BANDS];
    adm_csf_fixed_point(&viewing, scale, weights);
    return (VmafAdmWeights){weights[BAND_H], weights[BAND_D]};
}
