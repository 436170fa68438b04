/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* ADM: detail loss and additive impairment, one scale after the other. */
#include <libvmaf/backend_records.h>
#include <stdio.h>
#include <string.h>

#include "metric.h"
#include "metrics/adm/adm.h"
#include "metrics/adm/adm_layout_device.h"

/* Computes the layout of a pass; see vmaf_adm_plan. */
static int plan_pass(VmafAdmPlan *plan, const VmafGeometry *geometry, const VmafMetricPass *pass)
{
    const VmafAdmGeometry luma = {geometry->w[0], geometry->h[0], geometry->depth,
                                  geometry->stride[0], geometry->stride[0]};
    return vmaf_adm_plan(plan, &luma, pass->options, pass->n_requests);
}

static bool admits(const VmafGeometry *geometry, const void *options, VmafBackendReason *why)
{
    VmafAdmPlan plan;
    if (!plan_pass(&plan, geometry, &(VmafMetricPass){&options, 1}))
        return true;
    snprintf(why->text, sizeof(why->text), "pictures of this size");
    return false;
}

static bool is_pass(const VmafGeometry *geometry, const VmafMetricPass *pass)
{
    VmafAdmPlan plan;
    return !plan_pass(&plan, geometry, pass);
}

static void build(VmafProgram *program, const VmafGeometry *geometry, const VmafMetricPass *pass)
{
    VmafAdmPlan plan;
    plan_pass(&plan, geometry, pass);

    const VmafBufferName approx[2] = {vmaf_program_scratch(program, plan.approx_size[0]),
                                      vmaf_program_scratch(program, plan.approx_size[1])};
    uint32_t first[ADM_SCALES];
    for (uint32_t s = 0; s < ADM_SCALES; s++) {
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
            const partial_sum sum = vmaf_adm_sum(&plan, pass->options[r], i, first);
            vmaf_program_result(program, r, &sum);
        }
    }
}

static void decode(const VmafGeometry *geometry, const void *options,
                   const VmafMetricResults *results, void *record)
{
    (void)geometry;
    (void)options;
    _Static_assert(sizeof(VmafRecordAdm) == VMAF_ADM_RESULTS * sizeof(*results->sums),
                   "one by one");
    memcpy(record, results->sums, sizeof(VmafRecordAdm));
}

const VmafMetric vmaf_metric_adm = {
    .name = "adm",
    .record = VMAF_RECORD_ADM,
    .record_version = VMAF_RECORD_ADM_VERSION,
    .record_size = sizeof(VmafRecordAdm),
    .pixel_formats = 1u << VMAF_BACKEND_PIXEL_420 | 1u << VMAF_BACKEND_PIXEL_422 |
                     1u << VMAF_BACKEND_PIXEL_444 | 1u << VMAF_BACKEND_PIXEL_400,
    .depth_min = ADM_MIN_DEPTH,
    .depth_max = ADM_MAX_DEPTH,
    .width_min = ADM_MIN_SIZE,
    .height_min = ADM_MIN_SIZE,
    .planes = VMAF_BACKEND_PLANE_Y,
    .options = adm_option_specs,
    .options_size = sizeof(AdmOptions),
    .admits = admits,
    .is_pass = is_pass,
    .build = build,
    .decode = decode,
};
