/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * CAMBI. Each scored picture takes these steps: the image of flat parts, five scales by mode
 * filters, contrasts of all scales at once, and the sums of the strongest in four steps.
 */

#include <errno.h>
#include <libvmaf/backend_records.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "metric.h"
#include "metrics/cambi/cambi.h"
#include "metrics/cambi/cambi_kernel.h"
#include "program.h"

enum {
    TALLY_PIXELS = 8192,
    SCALE_ALIGNMENT = 64, /* contrasts: 256 bytes, the alignment of bindings */
};

/* Stages. Mode filters wait for each other; contrasts wait for the last of them, so that those of
 * all scales run at once. */
enum {
    STAGE_FLAT,
    STAGE_MODE,
    STAGE_CONTRAST = STAGE_MODE + CAMBI_SCALES,
    STAGE_TALLY,
    STAGE_STRONGEST = STAGE_TALLY + 3,
};

static bool admits(const VmafGeometry *geometry, const void *options, VmafBackendReason *why)
{
    const CambiOptions *o = options;
    CambiGeometry unused[CAMBI_PICTURES];
    enum CambiEotf eotf;
    const char *reason = NULL;
    if (o->heatmaps_path)
        reason = "heat maps are made by the CPU";
    else if (!cambi_eotf_find(cambi_eotf_name(o), &eotf))
        reason = "unknown eotf";
    else if (cambi_geometry(unused, o, geometry->w[0], geometry->h[0]))
        reason = "sizes at which cambi cannot analyse pictures";
    if (reason)
        snprintf(why->text, sizeof(why->text), "%s", reason);
    return !reason;
}

/* Requests share no pass, since their kernels compute different numbers. */
static bool is_pass(const VmafGeometry *geometry, const VmafMetricPass *pass)
{
    (void)geometry;
    (void)pass;
    return false;
}

/* One picture of a request. */
typedef struct Builder {
    VmafProgram *program;
    const VmafGeometry *geometry;
    const CambiOptions *options;
    const CambiGeometry *sizes;
    const CambiBand *band;
    VmafBufferName luma;
    VmafBufferName images[CAMBI_SCALES + 1], bands[CAMBI_SCALES];
    VmafBufferName contrasts, scales, counters;
    cambi_scale scale[CAMBI_SCALES];
} Builder;

static void run(const Builder *b, uint32_t stage, VmafProgramRun run, const void *args, size_t size)
{
    run.args = args;
    run.args_size = size;
    vmaf_program_run(b->program, stage, &run);
}

/* -- images -- */

static VmafBufferName positions(const Builder *b, bool is_resized)
{
    const CambiGeometry *g = b->sizes;
    static const uint32_t none = 0;
    uint32_t *both = is_resized ? malloc((g->w + g->h) * sizeof(*both)) : NULL;
    if (!both) {
        if (is_resized && !b->program->status)
            b->program->status = -ENOMEM;
        return vmaf_program_table(b->program, &none, sizeof(none));
    }
    cambi_sample_positions(both, g->w, b->geometry->w[0]);
    cambi_sample_positions(both + g->w, g->h, b->geometry->h[0]);
    const VmafBufferName name = vmaf_program_table(b->program, both, (g->w + g->h) * sizeof(*both));
    free(both);
    return name;
}

static void find_flat_parts(const Builder *b)
{
    const CambiGeometry *g = b->sizes;
    const bool is_resized = g->w != b->geometry->w[0] || g->h != b->geometry->h[0];
    const cambi_flat_args args = {
        .w = (int32_t)g->w,
        .h = (int32_t)g->h,
        .stride = (int32_t)(b->geometry->stride[0] / b->geometry->bytes_per_sample),
        .depth = (int32_t)b->geometry->depth,
        .is_resized = is_resized,
        .smooths = cambi_smooths(b->options, b->geometry->depth),
        .threshold = (int32_t)cambi_flatness_threshold(g),
        .step = g->half_resolution ? 2 : 1,
        .out_w = (int32_t)g->scale_w[0],
    };
    run(b, STAGE_FLAT,
        (VmafProgramRun){
            .kernel = b->geometry->bytes_per_sample == 1 ? "cambi_flat_8" : "cambi_flat_16",
            .buffers = {b->luma, positions(b, is_resized), b->images[0]},
            .groups = {ceil_div(g->w, CAMBI_FLAT_COLUMNS), ceil_div(g->h, CAMBI_FLAT_ROWS), 1},
        },
        &args, sizeof(args));
}

static void filter_modes(const Builder *b, uint32_t s)
{
    const uint32_t w = b->sizes->scale_w[s], h = b->sizes->scale_h[s];
    const cambi_mode_args args = {
        .w = (int32_t)w,
        .h = (int32_t)h,
        .first_code = (int32_t)b->band->first_code,
        .n_codes = (int32_t)b->band->n_codes,
    };
    run(b, STAGE_MODE + s,
        (VmafProgramRun){
            .kernel = "cambi_mode",
            .buffers = {b->images[s], b->bands[s], b->images[s + 1]},
            .groups = {ceil_div(w, CAMBI_MODE_COLUMNS), ceil_div(h, CAMBI_MODE_ROWS), 1},
        },
        &args, sizeof(args));
}

/* -- contrasts -- */

/* Chooses the columns and rows of a tile, and the codes of a slice. The constants are rough counts
 * of operations for a pixel: counting in the slices that a tile has codes of, one or two, and
 * looking for those codes in each slice. */
static void choose_tile(const Builder *b, cambi_contrast_args *args, uint32_t *n_slices)
{
    const uint32_t halo = b->sizes->window - 1;
    const uint32_t reach = ceil_div(1u << b->options->max_log_contrast, 4);
    const uint32_t most_words = ceil_div(b->band->n_codes, 4) + 2 * reach;
    /* Mesa's software devices end a kernel's loops after 65535 iterations. */
    const uint32_t turns_of_row = 4 * b->sizes->window * (1 + reach);
    uint32_t rows = halo <= 16 ? 16 : halo <= 48 ? 32 : 64;
    while (rows * turns_of_row > 60000)
        rows /= 2;
    uint32_t best = UINT32_MAX;
    for (uint32_t columns = 32; columns <= 512; columns += 32) {
        const uint32_t fitting = CAMBI_CONTRAST_WORDS / columns;
        const uint32_t words = fitting < most_words ? fitting : most_words;
        if (columns < halo + 16 || words <= 2 * reach)
            continue;
        const uint32_t slices = ceil_div(b->band->n_codes, 4 * (words - 2 * reach));
        const uint32_t cost =
            16 * 40 * columns * (rows + halo) / ((columns - halo) * rows) + 16 * 6 * slices;
        if (cost >= best)
            continue;
        best = cost;
        *n_slices = slices;
        args->columns = args->stride = (int32_t)columns;
        args->out_columns = (int32_t)(columns - halo);
        args->words = (int32_t)words;
    }
    args->rows = (int32_t)rows;
    args->reach = (int32_t)reach;
    args->radius = (int32_t)halo / 2;
    args->at_once = (int32_t)(255 / b->sizes->window);
}

static VmafBufferName steps_table(const Builder *b)
{
    uint32_t steps[CAMBI_CONTRAST_STEPS + CAMBI_CODES + 1];
    for (int i = 0; i < CAMBI_CONTRAST_STEPS; i++)
        steps[i] = cambi_step_weights[i];
    memcpy(steps + CAMBI_CONTRAST_STEPS, b->band->steps, sizeof(b->band->steps));
    return vmaf_program_table(b->program, steps, sizeof(steps));
}

static VmafBufferName reciprocals_table(const Builder *b)
{
    const uint32_t n = b->sizes->window * b->sizes->window;
    float *reciprocals = malloc((n + 1) * sizeof(*reciprocals));
    if (!reciprocals) {
        if (!b->program->status)
            b->program->status = -ENOMEM;
        return (VmafBufferName){.kind = VMAF_BUFFER_TABLE};
    }
    cambi_reciprocals(reciprocals, n);
    const VmafBufferName name =
        vmaf_program_table(b->program, reciprocals, (n + 1) * sizeof(*reciprocals));
    free(reciprocals);
    return name;
}

static void find_contrasts(const Builder *b)
{
    cambi_contrast_args args = {0};
    uint32_t n_slices = 0;
    choose_tile(b, &args, &n_slices);
    const VmafBufferName steps = steps_table(b), reciprocals = reciprocals_table(b);
    for (uint32_t s = 0; s < CAMBI_SCALES; s++) {
        const uint32_t w = b->sizes->scale_w[s], h = b->sizes->scale_h[s];
        VmafBufferName own = b->contrasts;
        own.offset = (uint64_t)b->scale[s].first * sizeof(uint32_t);
        own.size = (uint64_t)w * h * sizeof(uint32_t);
        args.w = (int32_t)w;
        args.h = (int32_t)h;
        run(b, STAGE_CONTRAST,
            (VmafProgramRun){
                .kernel = "cambi_contrast",
                .buffers = {b->bands[s], steps, reciprocals, own},
                .groups = {ceil_div(w, (uint32_t)args.out_columns),
                           ceil_div(h, (uint32_t)args.rows), n_slices},
            },
            &args, sizeof(args));
    }
}

/* -- sums -- */

static void clear_counters(const Builder *b)
{
    const cambi_clear_args args = {.n = CAMBI_SCALES * CAMBI_COUNTERS};
    run(b, STAGE_FLAT,
        (VmafProgramRun){
            .kernel = "cambi_clear",
            .buffers = {b->counters},
            .groups = {ceil_div((uint32_t)args.n, CAMBI_CLEAR_WORDS), 1, 1},
        },
        &args, sizeof(args));
}

static void sum_strongest(const Builder *b)
{
    static const char *const tallies[] = {"cambi_tally_1", "cambi_tally_2", "cambi_tally_3"};
    const uint32_t slices = ceil_div(b->sizes->scale_w[0] * b->sizes->scale_h[0], TALLY_PIXELS);
    const cambi_tally_args args = {.pixels = TALLY_PIXELS};
    for (uint32_t level = 0; level < 3; level++)
        run(b, STAGE_TALLY + level,
            (VmafProgramRun){
                .kernel = tallies[level],
                .buffers = {b->contrasts, b->scales, b->counters},
                .groups = {slices, CAMBI_SCALES, 1},
            },
            &args, sizeof(args));
    uint32_t first;
    const VmafBufferName partials =
        vmaf_program_partials(b->program, 2 * CAMBI_SCALES * slices, &first);
    run(b, STAGE_STRONGEST,
        (VmafProgramRun){
            .kernel = "cambi_strongest",
            .buffers = {b->contrasts, b->scales, b->counters, partials},
            .groups = {slices, CAMBI_SCALES, 1},
        },
        &args, sizeof(args));
    for (uint32_t i = 0; i < 2 * CAMBI_SCALES; i++) {
        const partial_sum sum = {.first = first + i * slices,
                                 .rows = slices,
                                 .row_stride = 1,
                                 .columns = 1,
                                 .is_unsigned = 1};
        vmaf_program_result(b->program, 0, &sum);
    }
}

static partial_sum count_beyond(const Builder *b)
{
    const uint32_t w = b->geometry->w[0], h = b->geometry->h[0], depth = b->geometry->depth;
    if (depth == 8 || depth == 16)
        return (partial_sum){.rows = 0};
    const uint32_t across = ceil_div(w, CAMBI_BEYOND_COLUMNS),
                   down = ceil_div(h, CAMBI_BEYOND_ROWS);
    const cambi_beyond_args args = {
        .w = (int32_t)w,
        .h = (int32_t)h,
        .stride = (int32_t)(b->geometry->stride[0] / sizeof(uint16_t)),
        .depth = (int32_t)depth,
    };
    uint32_t first;
    const VmafBufferName partials = vmaf_program_partials(b->program, across * down, &first);
    run(b, STAGE_FLAT,
        (VmafProgramRun){
            .kernel = "cambi_beyond",
            .buffers = {b->luma, partials},
            .groups = {across, down, 1},
        },
        &args, sizeof(args));
    return (partial_sum){
        .first = first, .rows = across * down, .row_stride = 1, .columns = 1, .is_unsigned = 1};
}

/* -- */

static void allocate(Builder *b)
{
    int32_t end = 0;
    for (uint32_t s = 0; s <= CAMBI_SCALES; s++) {
        const bool is_last = s == CAMBI_SCALES; /* the image that the last mode filter writes */
        const uint32_t w = is_last ? (b->sizes->scale_w[s - 1] + 1) / 2 : b->sizes->scale_w[s];
        const uint32_t h = is_last ? (b->sizes->scale_h[s - 1] + 1) / 2 : b->sizes->scale_h[s];
        const uint64_t size = (uint64_t)w * h * sizeof(uint16_t);
        b->images[s] = vmaf_program_scratch(b->program, (size + 3) & ~UINT64_C(3));
        if (is_last)
            break;
        b->bands[s] = vmaf_program_scratch(b->program, (size + 3) & ~UINT64_C(3));
        const int32_t first = (end + SCALE_ALIGNMENT - 1) / SCALE_ALIGNMENT * SCALE_ALIGNMENT;
        end = first + (int32_t)(w * h);
        b->scale[s] =
            (cambi_scale){first, end, (uint32_t)cambi_pooled_pixels(b->sizes, (int)s, b->options)};
    }
    b->contrasts = vmaf_program_scratch(b->program, (uint64_t)end * sizeof(uint32_t));
    b->scales = vmaf_program_table(b->program, b->scale, sizeof(b->scale));
    b->counters =
        vmaf_program_scratch(b->program, CAMBI_SCALES * CAMBI_COUNTERS * sizeof(uint32_t));
}

/* Results of a picture: 1 if samples are beyond the depth, then whole numbers and fractions of each
 * scale. */
enum { RESULTS_OF_PICTURE = 1 + 2 * CAMBI_SCALES };

static void build_picture(Builder *b)
{
    const partial_sum beyond = count_beyond(b), none = {.rows = 0};
    vmaf_program_result(b->program, 0, &beyond);
    if (!b->band->n_codes) {
        for (int i = 1; i < RESULTS_OF_PICTURE; i++)
            vmaf_program_result(b->program, 0, &none);
        return;
    }
    allocate(b);
    clear_counters(b);
    find_flat_parts(b);
    for (uint32_t s = 0; s < CAMBI_SCALES; s++)
        filter_modes(b, s);
    find_contrasts(b);
    sum_strongest(b);
}

static void build(VmafProgram *program, const VmafGeometry *geometry, const VmafMetricPass *pass)
{
    const CambiOptions *options = pass->options[0];
    CambiGeometry sizes[CAMBI_PICTURES];
    CambiBand band;
    (void)cambi_geometry(sizes, options, geometry->w[0], geometry->h[0]);
    cambi_band_init(&band, options);
    for (int which = 0; which < cambi_pictures(options); which++) {
        const enum VmafBufferKind side = which == CAMBI_DIST ? VMAF_BUFFER_DIST : VMAF_BUFFER_REF;
        Builder b = {
            .program = program,
            .geometry = geometry,
            .options = options,
            .sizes = &sizes[which],
            .band = &band,
            .luma = vmaf_program_plane(program, side, 0, 0),
        };
        build_picture(&b);
    }
}

static uint64_t record_size_of(const VmafGeometry *geometry, const void *options)
{
    (void)geometry;
    (void)options;
    return sizeof(VmafRecordCambi);
}

static void decode(const VmafGeometry *geometry, const void *options,
                   const VmafMetricResults *results, void *record)
{
    (void)geometry;
    VmafRecordCambi cambi = {0};
    for (int which = 0; which < cambi_pictures(options); which++) {
        const uint64_t *sums = results->sums + which * RESULTS_OF_PICTURE;
        if (sums[0]) {
            cambi.is_beyond_depth[which] = 1;
            continue;
        }
        for (int s = 0; s < CAMBI_SCALES; s++) {
            const uint64_t whole = sums[1 + 2 * s], fraction = sums[2 + 2 * s];
            cambi.strongest[which][s] = (VmafRecordCambiSum){
                .whole = whole + (fraction >> CAMBI_CONTRAST_FRACTION_BITS),
                .fraction = fraction & ((1u << CAMBI_CONTRAST_FRACTION_BITS) - 1),
            };
        }
    }
    memcpy(record, &cambi, sizeof(cambi));
}

const VmafMetric vmaf_metric_cambi = {
    .name = "cambi",
    .record = VMAF_RECORD_CAMBI,
    .record_version = VMAF_RECORD_CAMBI_VERSION,
    .pixel_formats = 1u << VMAF_BACKEND_PIXEL_420 | 1u << VMAF_BACKEND_PIXEL_422 |
                     1u << VMAF_BACKEND_PIXEL_444 | 1u << VMAF_BACKEND_PIXEL_400,
    .depth_min = 8,
    .depth_max = 16,
    .width_min = 1,
    .height_min = 1,
    .planes = VMAF_BACKEND_PLANE_Y,
    .options = cambi_option_specs,
    .options_size = sizeof(CambiOptions),
    .declines = "`heatmaps_path`",
    .admits = admits,
    .is_pass = is_pass,
    .build = build,
    .record_size_of = record_size_of,
    .decode = decode,
};
