/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* float_adm: detail loss and additive impairment in binary32, one scale after the other. */
#include <libvmaf/backend_records.h>
#include <stdio.h>
#include <string.h>

#include "metric.h"
#include "metrics/float_adm/float_adm_layout_device.h"

/* Computes the layout of a pass; see vmaf_float_adm_plan. */
static int plan_pass(VmafFloatAdmPlan *plan, const VmafGeometry *geometry,
                     const VmafMetricPass *pass)
{
    const VmafFloatAdmGeometry luma = {geometry->w[0], geometry->h[0], geometry->depth,
                                       geometry->stride[0]};
    return vmaf_float_adm_plan(plan, &luma, pass->options, pass->n_requests);
}

static bool admits(const VmafGeometry *geometry, const void *options, VmafBackendReason *why)
{
    VmafFloatAdmPlan plan;
    if (!vmaf_float_adm_has_norm(options)) {
        snprintf(why->text, sizeof(why->text),
                 "adm_p_norm is neither 3 nor 1: powers as powf of the library computes them");
        return false;
    }
    if (!plan_pass(&plan, geometry, &(VmafMetricPass){&options, 1}))
        return true;
    snprintf(why->text, sizeof(why->text), "pictures of this size");
    return false;
}

static bool is_pass(const VmafGeometry *geometry, const VmafMetricPass *pass)
{
    VmafFloatAdmPlan plan;
    return !plan_pass(&plan, geometry, pass);
}

/* Buffers of a pass. Chunks write terms to one buffer while the rows of the other are added up.
 */
typedef struct Buffers {
    VmafBufferName approx[2], terms[2], sums;
} Buffers;

static Buffers make_buffers(VmafProgram *program, const VmafFloatAdmPlan *plan)
{
    uint64_t terms_size[2] = {0};
    uint32_t n = 0;
    for (uint32_t s = 0; s < ADM_SCALES; s++) {
        for (uint32_t i = 0; i < plan->scales[s].n_chunks; i++, n++) {
            const VmafFloatAdmChunk chunk = vmaf_float_adm_chunk(&plan->scales[s], i);
            if (chunk.terms_size > terms_size[n % 2])
                terms_size[n % 2] = chunk.terms_size;
        }
    }
    Buffers buffers = {.sums = vmaf_program_scratch(program, plan->n_sums * sizeof(float))};
    for (uint32_t i = 0; i < 2; i++) {
        buffers.approx[i] = vmaf_program_scratch(program, plan->approx_size[i]);
        buffers.terms[i] = vmaf_program_scratch(program, terms_size[i]);
    }
    return buffers;
}

static void add_rows(VmafProgram *program, uint32_t stage, VmafBufferName terms,
                     VmafBufferName sums, const float_adm_rows_args *args)
{
    if (args->rows == 0)
        return;
    const VmafProgramRun run = {
        .kernel = "float_adm_rows",
        .buffers = {terms, sums},
        .args = args,
        .args_size = sizeof(*args),
        .groups = {((uint32_t)args->rows + FLOAT_ADM_ROWS - 1) / FLOAT_ADM_ROWS, 1, 1},
    };
    vmaf_program_run(program, stage, &run);
}

/* Adds the kernels of chunk i of scale s, in this stage and the next. */
static void add_chunk(VmafProgram *program, uint32_t stage, const VmafFloatAdmScale *scale,
                      uint32_t s, uint32_t i, const Buffers *buffers)
{
    const VmafFloatAdmChunk chunk = vmaf_float_adm_chunk(scale, i);
    VmafProgramRun run = {
        .kernel = scale->kernel,
        .args = &chunk.args,
        .args_size = sizeof(chunk.args),
        .groups = {chunk.groups[0], chunk.groups[1], chunk.groups[2]},
    };
    uint32_t slot = 0;
    if (s == 0) {
        run.buffers[slot++] = vmaf_program_plane(program, VMAF_BUFFER_REF, 0, 0);
        run.buffers[slot++] = vmaf_program_plane(program, VMAF_BUFFER_DIST, 0, 0);
    } else {
        run.buffers[slot++] = buffers->approx[(s - 1) % 2];
    }
    run.buffers[slot++] = vmaf_program_table(program, scale->variants, sizeof(scale->variants));
    run.buffers[slot++] = buffers->approx[s % 2];
    run.buffers[slot] = buffers->terms[stage % 2];
    vmaf_program_run(program, stage, &run);
    add_rows(program, stage + 1, buffers->terms[stage % 2], buffers->sums, &chunk.rows);
}

static void add_record(VmafProgram *program, uint32_t stage, const VmafFloatAdmPlan *plan,
                       const VmafMetricPass *pass, uint32_t request, const Buffers *buffers)
{
    float_adm_column columns[VMAF_FLOAT_ADM_MEMBERS];
    vmaf_float_adm_columns(plan, pass->options[request], columns);
    const VmafBufferName record = vmaf_program_bytes(program, sizeof(VmafRecordFloatAdm));
    const float_adm_total_args args = {VMAF_FLOAT_ADM_MEMBERS};
    const VmafProgramRun run = {
        .kernel = "float_adm_total",
        .buffers = {buffers->sums, vmaf_program_table(program, columns, sizeof(columns)), record},
        .args = &args,
        .args_size = sizeof(args),
        .groups = {1, 1, 1},
    };
    vmaf_program_run(program, stage, &run);
    vmaf_program_result_bytes(program, request, &record);
}

static void build(VmafProgram *program, const VmafGeometry *geometry, const VmafMetricPass *pass)
{
    VmafFloatAdmPlan plan;
    plan_pass(&plan, geometry, pass);
    const Buffers buffers = make_buffers(program, &plan);
    uint32_t stage = 0;
    for (uint32_t s = 0; s < ADM_SCALES; s++)
        for (uint32_t i = 0; i < plan.scales[s].n_chunks; i++)
            add_chunk(program, stage++, &plan.scales[s], s, i, &buffers);
    for (uint32_t r = 0; r < pass->n_requests; r++)
        add_record(program, stage + 1, &plan, pass, r, &buffers);
}

static uint64_t record_size_of(const VmafGeometry *geometry, const void *options)
{
    (void)geometry;
    (void)options;
    return sizeof(VmafRecordFloatAdm);
}

static void decode(const VmafGeometry *geometry, const void *options,
                   const VmafMetricResults *results, void *record)
{
    (void)geometry;
    (void)options;
    memcpy(record, results->bytes[0], sizeof(VmafRecordFloatAdm));
}

const VmafMetric vmaf_metric_float_adm = {
    .name = "float_adm",
    .record = VMAF_RECORD_FLOAT_ADM,
    .record_version = VMAF_RECORD_FLOAT_ADM_VERSION,
    .pixel_formats = 1u << VMAF_BACKEND_PIXEL_420 | 1u << VMAF_BACKEND_PIXEL_422 |
                     1u << VMAF_BACKEND_PIXEL_444 | 1u << VMAF_BACKEND_PIXEL_400,
    .depth_min = ADM_MIN_DEPTH,
    .depth_max = ADM_MAX_DEPTH,
    .width_min = ADM_MIN_SIZE,
    .height_min = ADM_MIN_SIZE,
    .width_max = VMAF_METRIC_MAX_SIDE,
    .height_max = VMAF_METRIC_MAX_SIDE,
    .planes = VMAF_BACKEND_PLANE_Y,
    .options = float_adm_option_specs,
    .options_size = sizeof(FloatAdmOptions),
    .declines = "`adm_p_norm` other than 3 and 1: powers as `powf` of the library computes them",
    .admits = admits,
    .is_pass = is_pass,
    .build = build,
    .record_size_of = record_size_of,
    .decode = decode,
};
