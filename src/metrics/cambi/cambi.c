/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/cambi/cambi.h"

#include <errno.h>
#include <string.h>

#include "metrics/cambi/cambi_constants.h"
#include "metrics/cambi/cambi_heat_map.h"
#include "metrics/cambi/cambi_plan.h"
#include "metrics/cambi/cambi_pool.h"

static const FeatureOutput outputs[] = {
    [CAMBI_OUTPUT_SCORE] = {"Cambi_feature_cambi_score", OUTPUT_PROVIDED},
    [CAMBI_OUTPUT_SOURCE] = {"cambi_source", 0},
    [CAMBI_OUTPUT_FULL_REFERENCE] = {"cambi_full_reference", 0},
    {0},
};

static const OutputCondition conditions[] = {{CAMBI_OUTPUT_SOURCE, 2, "full_ref"}, {0}};

static int refuse_geometry(CambiRefusal refusal, const CambiGeometry geometry[CAMBI_PICTURES],
                           Reason *why)
{
    const bool is_dist = refusal == CAMBI_DIST_TOO_SMALL || refusal == CAMBI_DIST_WINDOW_TOO_LARGE;
    const CambiGeometry *dist = &geometry[CAMBI_DIST], *ref = &geometry[CAMBI_REF];
    const CambiGeometry *g = is_dist ? dist : ref;
    const char *what = is_dist ? "encode" : "source";
    switch (refusal) {
    case CAMBI_DIST_TOO_SMALL:
    case CAMBI_REF_TOO_SMALL:
        return refuse(why, -EINVAL,
                      "cambi needs a width or height of at least %d; the %s size is %ux%u",
                      CAMBI_MIN_SIDE, what, g->w, g->h);
    case CAMBI_DIST_WINDOW_TOO_LARGE:
    case CAMBI_REF_WINDOW_TOO_LARGE:
        return refuse(
            why, -EINVAL,
            "cambi at %s size %ux%u needs a window of %u pixels, at most %d are possible: reduce "
            "window_size or use cambi_high_res_speedup",
            what, g->w, g->h, g->window, CAMBI_MAX_WINDOW);
    case CAMBI_SIZES_CROSS:
        return refuse(
            why, -EINVAL,
            "cambi: neither of source size %ux%u and encode size %ux%u contains the other", ref->w,
            ref->h, dist->w, dist->h);
    case CAMBI_ACCEPTED:
        break;
    }
    return 0;
}

static int check_format(const void *options, const PictureFormat *format, Reason *why)
{
    const CambiOptions *o = options;
    enum CambiEotf eotf;
    if (!cambi_eotf_find(cambi_eotf_name(o), &eotf))
        return refuse(why, -EINVAL, "unknown eotf \"%s\": must be bt1886 or pq",
                      cambi_eotf_name(o));
    CambiGeometry geometry[CAMBI_PICTURES];
    const CambiRefusal refusal = cambi_geometry(geometry, o, format->w[0], format->h[0]);
    return refuse_geometry(refusal, geometry, why);
}

/* The geometry for a format that was checked. */
static void geometry_of(CambiGeometry geometry[CAMBI_PICTURES], const CambiOptions *options,
                        const PictureFormat *format)
{
    (void)cambi_geometry(geometry, options, format->w[0], format->h[0]);
}

static size_t record_size(const void *options, const PictureFormat *format)
{
    const CambiOptions *o = options;
    if (!o->heatmaps_path)
        return sizeof(CambiRecord);
    CambiGeometry geometry[CAMBI_PICTURES];
    geometry_of(geometry, o, format);
    return sizeof(CambiRecord) + cambi_pixels(&geometry[CAMBI_DIST]) * sizeof(uint16_t);
}

static bool is_zero(const CambiSum sums[CAMBI_SCALES])
{
    uint64_t bits = 0;
    for (int scale = 0; scale < CAMBI_SCALES; scale++)
        bits |= sums[scale].whole | sums[scale].fraction;
    return !bits;
}

/* n m / (n + m) is at most a quarter of n + m, which is at most the window's area. */
static bool are_possible_sums(const CambiSum sums[CAMBI_SCALES], const CambiGeometry *geometry,
                              const CambiOptions *options)
{
    const uint64_t weight = cambi_step_weights[(1u << options->max_log_contrast) - 1];
    const uint64_t most = weight * geometry->window * geometry->window / 4 + 1;
    for (int scale = 0; scale < CAMBI_SCALES; scale++) {
        if (sums[scale].whole > most * cambi_pooled_pixels(geometry, scale, options) ||
            sums[scale].fraction >> CAMBI_CONTRAST_FRACTION_BITS)
            return false;
    }
    return true;
}

static bool is_possible(const void *opaque, const void *options, const PictureFormat *format)
{
    const VmafRecordCambi *record = opaque;
    const CambiOptions *o = options;
    CambiGeometry geometry[CAMBI_PICTURES];
    geometry_of(geometry, o, format);
    const bool can_be_beyond = format->bpc != 8 && format->bpc != 16;
    for (int which = 0; which < CAMBI_PICTURES; which++) {
        const bool is_scored = which < cambi_pictures(o);
        const bool is_beyond = record->is_beyond_depth[which];
        if (record->is_beyond_depth[which] > (is_scored && can_be_beyond) ||
            ((!is_scored || is_beyond) && !is_zero(record->strongest[which])) ||
            !are_possible_sums(record->strongest[which], &geometry[which], o))
            return false;
    }
    return true;
}

typedef struct CambiState {
    CambiHeatMaps *heat_maps; /* NULL before the first is written */
} CambiState;

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
    const VmafRecordCambi *sums = &record->sums;
    if (sums->is_beyond_depth[CAMBI_DIST] || sums->is_beyond_depth[CAMBI_REF])
        return -EINVAL;
    CambiGeometry geometry[CAMBI_PICTURES];
    geometry_of(geometry, o, input->format);
    if (o->heatmaps_path) {
        int err = 0;
        if (!s->heat_maps)
            err = cambi_heat_maps_create(&s->heat_maps, o->heatmaps_path, &geometry[CAMBI_DIST],
                                         input->why);
        if (!err)
            err = cambi_heat_maps_write(s->heat_maps, input->index, record->heat_maps);
        if (err)
            return err;
    }

    const double dist = score(sums->strongest[CAMBI_DIST], &geometry[CAMBI_DIST], o);
    feature_sink_write(sink, CAMBI_OUTPUT_SCORE, smaller(dist, o->max_val));
    if (o->full_ref) {
        const double ref = score(sums->strongest[CAMBI_REF], &geometry[CAMBI_REF], o);
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
    .conditions = conditions,
    .options = cambi_option_specs,
    .options_size = sizeof(CambiOptions),
    .check_format = check_format,
    .needs = {.planes = PLANE_Y},
    .record = {.id = VMAF_RECORD_CAMBI,
               .version = VMAF_RECORD_CAMBI_VERSION,
               .size = sizeof(VmafRecordCambi),
               .is_possible = is_possible,
               .is_bytes = true,
               .numbers = {.size = sizeof(uint64_t),
                           .rest_size = sizeof(uint16_t),
                           .rest = sizeof(VmafRecordCambi)}},
    .record_size = record_size,
    .plan_create = cambi_plan_create,
    .plan_destroy = cambi_plan_destroy,
    .scratch_create = cambi_scratch_create,
    .scratch_destroy = cambi_scratch_destroy,
    .accumulate = cambi_accumulate,
    .state_size = sizeof(CambiState),
    .state_destroy = state_destroy,
    .finish = finish,
};
