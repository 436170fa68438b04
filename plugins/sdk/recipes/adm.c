/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* ADM: detail loss and additive impairment, scale after scale. */
#include <errno.h>
#include <libvmaf/backend_records.h>
#include <stdio.h>
#include <string.h>

#include "adm_plan.h"
#include "recipe.h"

static VmafAdmOptions options_of(const VmafBackendRequest *request)
{
    return (VmafAdmOptions){
        .enhn_gain_limit = vmaf_request_double(request, "adm_enhn_gain_limit", 100.0),
        .norm_view_dist = vmaf_request_double(request, "adm_norm_view_dist", 3.0),
        .ref_display_height = (int)vmaf_request_int(request, "adm_ref_display_height", 1080),
        .csf_mode = (int)vmaf_request_int(request, "adm_csf_mode", 0),
        .csf_scale = vmaf_request_double(request, "adm_csf_scale", 1.0),
        .csf_diag_scale = vmaf_request_double(request, "adm_csf_diag_scale", 1.0),
        .skip_aim = vmaf_request_int(request, "adm_skip_aim", 0) != 0,
        .skip_scale0 = vmaf_request_int(request, "adm_skip_scale0", 0) != 0,
    };
}

/* The plan of kernels for a pass; see vmaf_adm_plan. `options` has room for each request. */
static int plan_pass(VmafAdmPlan *plan, const VmafGeometry *geometry, const VmafRecipePass *pass,
                     VmafAdmOptions options[])
{
    const VmafAdmGeometry luma = {geometry->w[0], geometry->h[0], geometry->depth,
                                  geometry->stride[0], geometry->stride[0]};
    for (uint32_t r = 0; r < pass->n_requests; r++)
        options[r] = options_of(pass->requests[r]);
    return vmaf_adm_plan(plan, &luma, options, pass->n_requests);
}

static bool admits(const VmafGeometry *geometry, const VmafBackendRequest *request,
                   VmafBackendReason *why)
{
    VmafAdmPlan plan;
    VmafAdmOptions options;
    const int error = plan_pass(&plan, geometry, &(VmafRecipePass){&request, 1}, &options);
    if (error)
        snprintf(why->text, sizeof(why->text), "%s",
                 error == -ENOTSUP ? "pictures of this size" : "options");
    return !error;
}

static bool is_pass(const VmafGeometry *geometry, const VmafRecipePass *pass)
{
    VmafAdmPlan plan;
    VmafAdmOptions options[VMAF_PROGRAM_MAX_REQUESTS];
    return !plan_pass(&plan, geometry, pass, options);
}

static void build(VmafProgram *program, const VmafGeometry *geometry, const VmafRecipePass *pass)
{
    VmafAdmPlan plan;
    VmafAdmOptions adm[VMAF_PROGRAM_MAX_REQUESTS];
    plan_pass(&plan, geometry, pass, adm);

    const VmafBufferName approx[2] = {vmaf_program_scratch(program, plan.approx_size[0]),
                                      vmaf_program_scratch(program, plan.approx_size[1])};
    uint32_t first[VMAF_ADM_SCALES];
    for (uint32_t s = 0; s < VMAF_ADM_SCALES; s++) {
        const VmafAdmScale *scale = &plan.scales[s];
        VmafProgramRun run = {
            .kernel = scale->kernel,
            .args = &scale->args,
            .args_size = sizeof(scale->args),
            .groups = {scale->groups[0], scale->groups[1], scale->groups[2]},
        };
        uint32_t slot = 0;
        if (s == 0) {
            run.buffers[slot++] = vmaf_program_plane(program, VMAF_BUFFER_REF, 0, 0);
            run.buffers[slot++] = vmaf_program_plane(program, VMAF_BUFFER_DIST, 0, 0);
        } else {
            run.buffers[slot++] = approx[(s - 1) % 2];
        }
        run.buffers[slot++] = approx[s % 2];
        run.buffers[slot] = vmaf_program_partials(program, scale->n_partials, &first[s]);
        vmaf_program_run(program, s, &run);
    }
    for (uint32_t r = 0; r < pass->n_requests; r++) {
        for (uint32_t i = 0; i < VMAF_ADM_RESULTS; i++) {
            const partial_sum sum = vmaf_adm_sum(&plan, &adm[r], i, first);
            vmaf_program_result(program, r, &sum);
        }
    }
}

static void decode(const VmafGeometry *geometry, const VmafBackendRequest *request,
                   const uint64_t *results, void *record)
{
    (void)geometry;
    (void)request;
    _Static_assert(sizeof(VmafRecordAdm) == VMAF_ADM_RESULTS * sizeof(*results), "one by one");
    memcpy(record, results, sizeof(VmafRecordAdm));
}

static const struct VmafRecipeOption options[] = {
    {"adm_csf_scale", VMAF_BACKEND_TYPE_DOUBLE},
    {"adm_csf_diag_scale", VMAF_BACKEND_TYPE_DOUBLE},
    {"adm_enhn_gain_limit", VMAF_BACKEND_TYPE_DOUBLE},
    {"adm_norm_view_dist", VMAF_BACKEND_TYPE_DOUBLE},
    {"adm_ref_display_height", VMAF_BACKEND_TYPE_INT},
    {"adm_csf_mode", VMAF_BACKEND_TYPE_INT},
    {"adm_skip_aim", VMAF_BACKEND_TYPE_BOOL},
    {"adm_skip_scale0", VMAF_BACKEND_TYPE_BOOL},
    {0},
};

const VmafRecipe vmaf_recipe_adm = {
    .name = "adm",
    .record = VMAF_RECORD_ADM,
    .record_version = VMAF_RECORD_ADM_VERSION,
    .record_size = sizeof(VmafRecordAdm),
    .pixel_formats = 1u << VMAF_BACKEND_PIXEL_420 | 1u << VMAF_BACKEND_PIXEL_422 |
                     1u << VMAF_BACKEND_PIXEL_444 | 1u << VMAF_BACKEND_PIXEL_400,
    .depth_min = 8,
    .depth_max = 16,
    .width_min = 17,
    .height_min = 17,
    .planes = VMAF_BACKEND_PLANE_Y,
    .options = options,
    .admits = admits,
    .is_pass = is_pass,
    .build = build,
    .decode = decode,
};
