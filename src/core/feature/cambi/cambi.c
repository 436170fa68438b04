/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "feature/cambi/cambi.h"

#include <errno.h>
#include <string.h>

#include "feature/cambi/cambi_heat_map.h"
#include "feature/cambi/cambi_plan.h"
#include "feature/cambi/cambi_pool.h"

static const FeatureOutput outputs[] = {
    [CAMBI_OUTPUT_SCORE] = {"Cambi_feature_cambi_score", OUTPUT_PROVIDED},
    [CAMBI_OUTPUT_SOURCE] = {"cambi_source", 0},
    [CAMBI_OUTPUT_FULL_REFERENCE] = {"cambi_full_reference", 0},
    {0},
};

static const OptionSpec option_specs[] = {
    {.name = "cambi_max_val",
     .alias = "cmxv",
     .help = "larger scores are clipped to this",
     .type = VMAF_OPTION_TYPE_DOUBLE,
     .flags = OPTION_NAMED,
     .offset = offsetof(CambiOptions, max_val),
     .default_value = 1000,
     .min = 0,
     .max = 1000},
    {.name = "enc_width",
     .alias = "encw",
     .help = "width at which the distorted video was encoded; default: its own",
     .type = VMAF_OPTION_TYPE_INT,
     .flags = OPTION_NAMED | OPTION_ACCUMULATE,
     .offset = offsetof(CambiOptions, enc_width),
     .min = 180,
     .max = 7680},
    {.name = "enc_height",
     .alias = "ench",
     .help = "height at which the distorted video was encoded; default: its own",
     .type = VMAF_OPTION_TYPE_INT,
     .flags = OPTION_NAMED | OPTION_ACCUMULATE,
     .offset = offsetof(CambiOptions, enc_height),
     .min = 150,
     .max = 7680},
    {.name = "enc_bitdepth",
     .alias = "encbd",
     .help = "bit depth of the encode; below 10 dithering is smoothed away; default: the video's",
     .type = VMAF_OPTION_TYPE_INT,
     .flags = OPTION_NAMED | OPTION_ACCUMULATE,
     .offset = offsetof(CambiOptions, enc_bitdepth),
     .min = 6,
     .max = 16},
    {.name = "src_width",
     .alias = "srcw",
     .help = "width at which full_ref analyses the reference; default: its own",
     .type = VMAF_OPTION_TYPE_INT,
     .flags = OPTION_NAMED | OPTION_ACCUMULATE,
     .offset = offsetof(CambiOptions, src_width),
     .min = 320,
     .max = 7680},
    {.name = "src_height",
     .alias = "srch",
     .help = "height at which full_ref analyses the reference; default: its own",
     .type = VMAF_OPTION_TYPE_INT,
     .flags = OPTION_NAMED | OPTION_ACCUMULATE,
     .offset = offsetof(CambiOptions, src_height),
     .min = 200,
     .max = 4320},
    {.name = "window_size",
     .alias = "ws",
     .help = "side of the window at 3840x2160, in pixels; 65 is about one degree of view",
     .type = VMAF_OPTION_TYPE_INT,
     .flags = OPTION_NAMED | OPTION_ACCUMULATE,
     .offset = offsetof(CambiOptions, window_size),
     .default_value = 65,
     .min = 15,
     .max = 127},
    {.name = "topk",
     .help = "fraction of pixels that is averaged; goes before cambi_topk unless it is 0.6",
     .type = VMAF_OPTION_TYPE_DOUBLE,
     .flags = OPTION_NAMED | OPTION_ACCUMULATE,
     .offset = offsetof(CambiOptions, topk),
     .default_value = 0.6,
     .min = 0.0001,
     .max = 1},
    {.name = "cambi_topk",
     .alias = "ctpk",
     .help = "fraction of pixels, those of strongest contrast, that is averaged",
     .type = VMAF_OPTION_TYPE_DOUBLE,
     .flags = OPTION_NAMED | OPTION_ACCUMULATE,
     .offset = offsetof(CambiOptions, cambi_topk),
     .default_value = 0.6,
     .min = 0.0001,
     .max = 1},
    {.name = "tvi_threshold",
     .alias = "tvit",
     .help = "relative change of luminance from which a step is visible",
     .type = VMAF_OPTION_TYPE_DOUBLE,
     .flags = OPTION_NAMED | OPTION_ACCUMULATE,
     .offset = offsetof(CambiOptions, tvi_threshold),
     .default_value = 0.019,
     .min = 0.0001,
     .max = 1},
    {.name = "cambi_vis_lum_threshold",
     .alias = "vlt",
     .help = "luminance in cd/m2 below which banding is invisible",
     .type = VMAF_OPTION_TYPE_DOUBLE,
     .flags = OPTION_NAMED | OPTION_ACCUMULATE,
     .offset = offsetof(CambiOptions, vis_lum_threshold),
     .min = 0,
     .max = 300},
    {.name = "max_log_contrast",
     .alias = "mlc",
     .help = "steps of up to 2 to this power codes, at 10 bits, are looked at",
     .type = VMAF_OPTION_TYPE_INT,
     .flags = OPTION_NAMED | OPTION_ACCUMULATE,
     .offset = offsetof(CambiOptions, max_log_contrast),
     .default_value = 2,
     .min = 0,
     .max = 5},
    {.name = "heatmaps_path",
     .help = "folder for heat maps: raw 16-bit video of the contrasts, a file per scale",
     .type = VMAF_OPTION_TYPE_STRING,
     .flags = OPTION_ACCUMULATE,
     .offset = offsetof(CambiOptions, heatmaps_path)},
    {.name = "full_ref",
     .help = "also score the reference, and by how much the distorted video exceeds it",
     .type = VMAF_OPTION_TYPE_BOOL,
     .flags = OPTION_ACCUMULATE,
     .offset = offsetof(CambiOptions, full_ref)},
    {.name = "eotf",
     .help = "transfer function of the display, bt1886 or pq; if cambi_eotf is bt1886",
     .type = VMAF_OPTION_TYPE_STRING,
     .flags = OPTION_NAMED | OPTION_ACCUMULATE,
     .offset = offsetof(CambiOptions, eotf),
     .default_string = "bt1886"},
    {.name = "cambi_eotf",
     .alias = "ceot",
     .help = "transfer function of the display, bt1886 or pq",
     .type = VMAF_OPTION_TYPE_STRING,
     .flags = OPTION_NAMED | OPTION_ACCUMULATE,
     .offset = offsetof(CambiOptions, cambi_eotf),
     .default_string = "bt1886"},
    {.name = "cambi_high_res_speedup",
     .alias = "hrs",
     .help = "1080, 1440 or 2160: begin at half resolution for pictures of so many lines or more",
     .type = VMAF_OPTION_TYPE_INT,
     .flags = OPTION_NAMED | OPTION_ACCUMULATE,
     .offset = offsetof(CambiOptions, high_res_speedup),
     .min = 0,
     .max = 2160},
    {0},
};

const char *cambi_eotf_name(const CambiOptions *options)
{
    return strcmp(options->cambi_eotf, "bt1886") ? options->cambi_eotf : options->eotf;
}

static int check_format(const void *options, const PictureFormat *format, Reason *why)
{
    const CambiOptions *o = options;
    enum CambiEotf eotf;
    if (!cambi_eotf_find(cambi_eotf_name(o), &eotf))
        return refuse(why, -EINVAL, "unknown eotf \"%s\": must be bt1886 or pq",
                      cambi_eotf_name(o));
    CambiGeometry geometry[CAMBI_PICTURES];
    return cambi_geometry(geometry, o, format, why);
}

static size_t record_size(const void *options, const PictureFormat *format)
{
    const CambiOptions *o = options;
    if (!o->heatmaps_path)
        return sizeof(CambiRecord);
    CambiGeometry geometry[CAMBI_PICTURES];
    (void)cambi_geometry(geometry, o, format, NULL); /* the format was checked */
    return sizeof(CambiRecord) + cambi_pixels(&geometry[CAMBI_DIST]) * sizeof(uint16_t);
}

typedef struct CambiState {
    CambiHeatMaps *heat_maps; /* NULL: none */
} CambiState;

static int state_init(void *state, const void *options, const PictureFormat *format, Reason *why)
{
    CambiState *s = state;
    const CambiOptions *o = options;
    if (!o->heatmaps_path)
        return 0;
    CambiGeometry geometry[CAMBI_PICTURES];
    int err = cambi_geometry(geometry, o, format, why);
    if (!err)
        err = cambi_heat_maps_create(&s->heat_maps, o->heatmaps_path, &geometry[CAMBI_DIST], why);
    return err;
}

static void state_destroy(void *state)
{
    CambiState *s = state;
    cambi_heat_maps_destroy(s->heat_maps);
}

/* Mean contrasts of the strongest pixels, weighted by the side of a pixel at that scale, over the
 * largest contrast that the window allows. */
static double score(const CambiSum strongest[CAMBI_SCALES], const CambiGeometry *geometry,
                    const CambiOptions *options)
{
    double sum = 0;
    for (int scale = 0; scale < CAMBI_SCALES; scale++) {
        const double pooled = (double)cambi_pooled_pixels(geometry, scale, options);
        const double mean = cambi_sum_value(&strongest[scale]) / pooled;
        sum += mean * (1 << (CAMBI_SCALES - 1 - scale));
    }
    return sum / (double)(geometry->window * geometry->window);
}

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

static int finish(const FinishInput *input, FeatureSink *sink)
{
    CambiState *s = input->state;
    const CambiOptions *o = input->options;
    const CambiRecord *record = input->record;
    CambiGeometry geometry[CAMBI_PICTURES];
    int err = cambi_geometry(geometry, o, input->format, NULL);
    if (!err && s->heat_maps)
        err = cambi_heat_maps_write(s->heat_maps, input->index, record->heat_maps);
    if (err)
        return err;

    const double dist = score(record->strongest[CAMBI_DIST], &geometry[CAMBI_DIST], o);
    feature_sink_write(sink, CAMBI_OUTPUT_SCORE, smaller(dist, o->max_val));
    if (o->full_ref) {
        const double ref = score(record->strongest[CAMBI_REF], &geometry[CAMBI_REF], o);
        const double excess = dist > ref ? dist - ref : 0;
        feature_sink_write(sink, CAMBI_OUTPUT_SOURCE, smaller(ref, o->max_val));
        feature_sink_write(sink, CAMBI_OUTPUT_FULL_REFERENCE, smaller(excess, o->max_val));
    }
    return 0;
}

const FeatureExtractor cambi_extractor = {
    .name = "cambi",
    .summary = "visibility of banding in the distorted video (CAMBI)",
    .outputs = outputs,
    .options = option_specs,
    .options_size = sizeof(CambiOptions),
    .check_format = check_format,
    .needs = {.planes = PLANE_Y},
    .record_size = record_size,
    .plan_create = cambi_plan_create,
    .plan_destroy = cambi_plan_destroy,
    .scratch_create = cambi_scratch_create,
    .scratch_destroy = cambi_scratch_destroy,
    .accumulate = cambi_accumulate,
    .state_size = sizeof(CambiState),
    .state_init = state_init,
    .state_destroy = state_destroy,
    .finish = finish,
};
