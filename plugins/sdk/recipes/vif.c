/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* VIF: four scales, one after the other. */
#include <libvmaf/backend_records.h>
#include <string.h>

#include "recipe.h"
#include "vif/vif_scale_args.h"
#include "vif_constants.h"

enum { SCALES = 4, ALIGNMENT = 256 /* of bindings, in bytes */ };

static uint32_t groups(uint32_t size, uint32_t covered)
{
    return (size + covered - 1) / covered;
}

static uint64_t round_up(uint64_t size, uint64_t multiple)
{
    return (size + multiple - 1) / multiple * multiple;
}

/* Both pictures of a scale above the first: rows of 16-bit samples, then the leftovers. There is
 * room for a second row and column where there is only one; see vif_scale.c. */
typedef struct Image {
    uint32_t w, h, stride; /* in samples */
    uint64_t dist;         /* where the distorted picture begins, in samples */
    uint64_t leftovers;
    uint64_t size; /* in bytes */
} Image;

static Image image_of(const VmafGeometry *geometry, uint32_t scale)
{
    Image image = {.w = geometry->w[0] >> scale, .h = geometry->h[0] >> scale};
    image.stride = (uint32_t)round_up(image.w, 32);
    const uint64_t plane = (uint64_t)image.stride * (image.h > 1 ? image.h : 2);
    image.dist = round_up(plane, ALIGNMENT / sizeof(uint16_t));
    image.leftovers = image.dist + plane;
    image.size = (image.leftovers + 8) * sizeof(uint16_t);
    return image;
}

typedef struct Builder {
    VmafProgram *program;
    const VmafGeometry *geometry;
    vif_limit limit;
    VmafBufferName log_steps;
    VmafBufferName images[2]; /* of scales 1 and 3, of scale 2 */
} Builder;

static vif_scale_args args_of(const Builder *builder, uint32_t scale)
{
    const VmafGeometry *geometry = builder->geometry;
    const Image image = image_of(geometry, scale);
    vif_scale_args args = {
        .limit = builder->limit,
        .w = (int32_t)image.w,
        .h = (int32_t)image.h,
        .ref_stride = (int32_t)image.stride,
        .dist_stride = (int32_t)image.stride,
        .depth = 16,
        .leftovers = (int32_t)image.leftovers,
    };
    if (scale == 0) {
        args.ref_stride = (int32_t)(geometry->stride[0] / geometry->bytes_per_sample);
        args.dist_stride = args.ref_stride;
        args.depth = (int32_t)geometry->depth;
    }
    if (scale + 1 < SCALES) {
        const Image next = image_of(geometry, scale + 1);
        args.next_w = (int32_t)next.w;
        args.next_h = (int32_t)next.h;
        args.next_stride = (int32_t)next.stride;
        args.next_dist = (int32_t)next.dist;
        args.leftovers = (int32_t)next.leftovers;
    }
    return args;
}

static void bind_pictures(const Builder *builder, uint32_t scale, VmafBufferName buffers[2])
{
    if (scale == 0) {
        buffers[0] = vmaf_program_plane(builder->program, VMAF_BUFFER_REF, 0, 0);
        buffers[1] = vmaf_program_plane(builder->program, VMAF_BUFFER_DIST, 0, 0);
        return;
    }
    buffers[0] = buffers[1] = builder->images[(scale - 1) % 2];
    buffers[1].offset = image_of(builder->geometry, scale).dist * sizeof(uint16_t);
}

static void decimate(const Builder *builder)
{
    const vif_scale_args args = args_of(builder, 0);
    VmafProgramRun run = {
        .kernel = builder->geometry->bytes_per_sample == 1 ? "vif_decimate_8" : "vif_decimate_16",
        .buffers = {{0}, {0}, builder->images[0]},
        .args = &args,
        .args_size = sizeof(args),
        .groups = {groups((uint32_t)args.w, VIF_TILE_COLUMNS),
                   groups((uint32_t)args.h, VIF_TILE_ROWS), 1},
    };
    bind_pictures(builder, 0, run.buffers);
    vmaf_program_run(builder->program, 0, &run);
}

/* Also makes the next scale. */
static void measure(const Builder *builder, uint32_t scale, partial_sum sums[VIF_SUMS])
{
    static const char *const names[SCALES] = {"vif_scale_0_16", "vif_scale_1", "vif_scale_2",
                                              "vif_scale_3"};
    const vif_scale_args args = args_of(builder, scale);
    const uint32_t across = groups((uint32_t)args.w, VIF_TILE_COLUMNS);
    const uint32_t down = groups((uint32_t)args.h, VIF_TILE_ROWS);
    uint32_t first;
    VmafProgramRun run = {
        .kernel = args.depth == 8 ? "vif_scale_0_8" : names[scale],
        .buffers = {{0},
                    {0},
                    builder->log_steps,
                    builder->images[scale % 2],
                    vmaf_program_partials(builder->program, VIF_SUMS * across * down, &first)},
        .args = &args,
        .args_size = sizeof(args),
        .groups = {across, down, 1},
    };
    bind_pictures(builder, scale, run.buffers);
    vmaf_program_run(builder->program, scale, &run);
    for (uint32_t k = 0; k < VIF_SUMS; k++)
        sums[k] = (partial_sum){.first = first + k * across * down,
                                .rows = across * down,
                                .row_stride = 1,
                                .columns = 1,
                                .is_unsigned = 1};
}

static int32_t build(VmafProgram *program, const VmafGeometry *geometry,
                     const VmafBackendRequest *request, VmafBackendReason *why)
{
    (void)why;
    const bool skip_scale0 = vmaf_request_int(request, "vif_skip_scale0", 0) != 0;
    uint16_t steps[VIF_LOG_ENTRIES];
    vmaf_vif_log_steps(steps);
    const Builder builder = {
        .program = program,
        .geometry = geometry,
        .limit = vmaf_vif_limit(vmaf_request_double(request, "vif_enhn_gain_limit", 100.0)),
        .log_steps = vmaf_program_table(program, steps, sizeof(steps)),
        .images = {vmaf_program_scratch(program, image_of(geometry, 1).size),
                   vmaf_program_scratch(program, image_of(geometry, 2).size)},
    };
    partial_sum sums[SCALES][VIF_SUMS] = {{{0}}}; /* of no rows: 0 */
    for (uint32_t s = 0; s < SCALES; s++) {
        if (s == 0 && skip_scale0)
            decimate(&builder);
        else
            measure(&builder, s, sums[s]);
    }
    for (uint32_t s = 0; s < SCALES; s++) {
        for (uint32_t k = 0; k < VIF_SUMS; k++)
            vmaf_program_result(program, &sums[s][k]);
    }
    return VMAF_BACKEND_OK;
}

static void decode(const VmafGeometry *geometry, const VmafBackendRequest *request,
                   const uint64_t *results, void *record)
{
    (void)geometry;
    (void)request;
    VmafRecordVif vif;
    for (uint32_t s = 0; s < SCALES; s++) {
        vif.log_num[s] = (int64_t)results[s * VIF_SUMS + VIF_SUM_LOG_NUM];
        vif.log_den[s] = (int64_t)results[s * VIF_SUMS + VIF_SUM_LOG_DEN];
        vif.flat_variance[s] = (int64_t)results[s * VIF_SUMS + VIF_SUM_FLAT_VARIANCE];
        vif.flat_count[s] = (int64_t)results[s * VIF_SUMS + VIF_SUM_FLAT_COUNT];
    }
    memcpy(record, &vif, sizeof(vif));
}

static const struct VmafRecipeOption options[] = {
    {"vif_enhn_gain_limit", VMAF_BACKEND_TYPE_DOUBLE},
    {"vif_skip_scale0", VMAF_BACKEND_TYPE_BOOL},
    {0},
};

const VmafRecipe vmaf_recipe_vif = {
    .name = "vif",
    .record = VMAF_RECORD_VIF,
    .record_version = VMAF_RECORD_VIF_VERSION,
    .record_size = sizeof(VmafRecordVif),
    .pixel_formats = 1u << VMAF_BACKEND_PIXEL_420 | 1u << VMAF_BACKEND_PIXEL_422 |
                     1u << VMAF_BACKEND_PIXEL_444 | 1u << VMAF_BACKEND_PIXEL_400,
    .depth_min = 8,
    .depth_max = 16,
    .width_min = 8,
    .height_min = 8,
    .width_max = 32768, /* kernels count samples with 31 bits */
    .height_max = 32768,
    .planes = VMAF_BACKEND_PLANE_Y,
    .options = options,
    .build = build,
    .decode = decode,
};
