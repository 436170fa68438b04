/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/cambi/cambi_internal.h"

#include <errno.h>
#include <string.h>

#include "metrics/cambi/cambi_kernel.h"
#include "support/memory.h"

void cambi_functions_init(CambiFunctions *functions, unsigned cpu_flags)
{
    ISA_SELECT(cambi_functions_fill, cpu_flags)(functions);
}

/* -- layout -- */

static int sampling_init(CambiSampling *sampling, const CambiGeometry *g,
                         const PictureFormat *format)
{
    const unsigned w = format->w[0], h = format->h[0];
    if (g->w == w && g->h == h)
        return 0;
    sampling->columns = memory_alloc(g->w, sizeof(uint32_t));
    sampling->rows = memory_alloc(g->h, sizeof(uint32_t));
    if (!sampling->columns || !sampling->rows)
        return -ENOMEM;
    cambi_sample_positions(sampling->columns, g->w, w);
    cambi_sample_positions(sampling->rows, g->h, h);
    return 0;
}

/* A run of pixels adds to each column the number of its pixels under the window there. */
static int trapezium_init(uint16_t **table, size_t *table_stride, unsigned window)
{
    const size_t stride = size_round_up(CAMBI_RUN_LENGTH + window + 2 * CAMBI_LANES, CAMBI_LANES);
    uint16_t *rows = memory_alloc_zeroed(CAMBI_RUN_LENGTH + 1, stride * sizeof(*rows));
    if (!rows)
        return -ENOMEM;
    for (unsigned length = 1; length <= CAMBI_RUN_LENGTH; length++) {
        uint16_t *row = rows + length * stride + CAMBI_LANES;
        for (unsigned pixel = 0; pixel < length; pixel++) {
            for (unsigned i = 0; i < window; i++)
                row[pixel + i]++;
        }
    }
    *table = rows;
    *table_stride = stride;
    return 0;
}

static int variant_init(CambiVariant *variant, const CambiOptions *options,
                        const PictureFormat *format)
{
    if (cambi_geometry(variant->geometry, options, format->w[0], format->h[0]))
        return -EINVAL; /* was checked with the format */
    variant->smooth = cambi_smooths(options, format->bpc);
    variant->full_ref = options->full_ref;
    cambi_band_init(&variant->band, options);
    if (options->heatmaps_path)
        variant->heat_map_gain = cambi_heat_map_gain(variant->geometry[CAMBI_DIST].window,
                                                     (unsigned)options->max_log_contrast);
    for (int which = 0; which < cambi_pictures(options); which++) {
        const CambiGeometry *g = &variant->geometry[which];
        for (int scale = 0; scale < CAMBI_SCALES; scale++)
            variant->pooled[which][scale] = cambi_pooled_pixels(g, scale, options);
        int err = sampling_init(&variant->sampling[which], g, format);
        if (!err)
            err = trapezium_init(&variant->trapezium[which], &variant->trapezium_stride[which],
                                 g->window);
        if (err)
            return err;
    }
    return 0;
}

static void note_sizes(CambiParams *params, const CambiVariant *variant)
{
    for (int which = 0; which < (variant->full_ref ? 2 : 1); which++) {
        const CambiGeometry *g = &variant->geometry[which];
        params->max_w = max_unsigned(params->max_w, g->w);
        params->max_h = max_unsigned(params->max_h, g->h);
        params->max_radius = max_unsigned(params->max_radius, g->window / 2);
    }
    params->max_count_rows = max_unsigned(
        params->max_count_rows, variant->band.below + variant->band.n_codes + variant->band.above);
}

static void cambi_plan_destroy(void *params)
{
    CambiParams *p = params;
    if (!p)
        return;
    for (unsigned i = 0; i < p->n_variants; i++) {
        for (int which = 0; which < CAMBI_PICTURES; which++) {
            memory_free(p->variants[i].sampling[which].columns);
            memory_free(p->variants[i].sampling[which].rows);
            memory_free(p->variants[i].trapezium[which]);
        }
    }
    memory_free(p->reciprocals);
    memory_free(p);
}

static int cambi_plan_create(void **params, const PictureFormat *format,
                             const void *const variants[], unsigned n_variants, unsigned cpu_flags)
{
    size_t size;
    if (!size_mul(n_variants, sizeof(CambiVariant), &size) ||
        !size_add(size, sizeof(CambiParams), &size))
        return -ENOMEM;
    CambiParams *p = memory_alloc_zeroed(1, size);
    if (!p)
        return -ENOMEM;
    cambi_functions_init(&p->functions, cpu_flags);
    p->format = *format;
    p->n_variants = n_variants;
    int err = 0;
    for (unsigned i = 0; i < n_variants; i++) {
        err = variant_init(&p->variants[i], variants[i], format);
        if (err)
            goto fail;
        note_sizes(p, &p->variants[i]);
    }

    const unsigned max_window = 2 * p->max_radius + 1;
    p->reciprocals = memory_alloc(max_window * max_window + 1, sizeof(float));
    if (!p->reciprocals) {
        err = -ENOMEM;
        goto fail;
    }
    cambi_reciprocals(p->reciprocals, max_window * max_window);
    *params = p;
    return 0;

fail:
    cambi_plan_destroy(p);
    return err;
}

/* NULL also if the size does not fit. */
static void *alloc_rows(size_t rows, size_t columns, size_t element_size)
{
    size_t row_size;
    return size_mul(columns, element_size, &row_size) ? memory_alloc_zeroed(rows, row_size) : NULL;
}

static void cambi_scratch_destroy(void *scratch)
{
    CambiScratch *s = scratch;
    if (!s)
        return;
    for (int i = 0; i < 2; i++) {
        memory_free(s->image[i].codes);
        memory_free(s->image[i].mask);
    }
    memory_free(s->rows);
    memory_free(s->flat);
    memory_free(s->flat_sums);
    memory_free(s->samples);
    memory_free(s->band);
    memory_free(s->begins);
    memory_free(s->runs);
    memory_free(s->n_runs);
    memory_free(s->contrasts);
    memory_free(s->counts);
    memory_free(s);
}

static int cambi_scratch_create(void **scratch, const void *params)
{
    const CambiParams *p = params;
    CambiScratch *s = memory_alloc_zeroed(1, sizeof(*s));
    if (!s)
        return -ENOMEM;
    const size_t w = size_round_up(p->max_w, CAMBI_LANES), h = p->max_h;
    const size_t sample_size = p->format.bpc > 8 ? 2 : 1;
    const size_t half_h = h / 2 + 1;
    s->stride = w;
    s->image[0].codes = alloc_rows(h, w, sizeof(uint16_t));
    s->image[0].mask = alloc_rows(h, w, sizeof(uint8_t));
    s->image[1].codes = alloc_rows(half_h, w, sizeof(uint16_t));
    s->image[1].mask = alloc_rows(half_h, w, sizeof(uint8_t));
    s->rows = alloc_rows(3, w, sizeof(uint16_t));
    s->flat = alloc_rows(CAMBI_FLAT_ROWS + 1, w, sizeof(uint8_t));
    s->flat_sums = alloc_rows(1, w + 2 * CAMBI_LANES, sizeof(uint8_t));
    s->samples = alloc_rows(1, w, sample_size);
    s->band = alloc_rows(1, w, sizeof(uint16_t));
    s->begins = alloc_rows(1, w + 1, sizeof(uint32_t));
    s->runs = alloc_rows(2 * (size_t)p->max_radius + 1, w, sizeof(CambiRun));
    s->n_runs = alloc_rows(2 * (size_t)p->max_radius + 1, 1, sizeof(unsigned));
    s->contrasts = alloc_rows(h + 1, w, sizeof(float));

    /* An odd number of cache lines, so that rows of neighbouring codes do not compete for the same.
     */
    s->counts_margin = (unsigned)size_round_up(p->max_radius, CAMBI_LANES);
    s->counts_stride =
        size_round_up(s->counts_margin + w + p->max_radius + CAMBI_LANES, 2 * CAMBI_LANES) +
        CAMBI_LANES;
    s->counts = alloc_rows(p->max_count_rows + 1, s->counts_stride, sizeof(uint16_t));

    if (!s->image[0].codes || !s->image[0].mask || !s->image[1].codes || !s->image[1].mask ||
        !s->rows || !s->flat || !s->flat_sums || !s->samples || !s->band || !s->begins ||
        !s->runs || !s->n_runs || !s->contrasts || !s->counts) {
        cambi_scratch_destroy(s);
        return -ENOMEM;
    }
    *scratch = s;
    return 0;
}

/* -- accumulate -- */

static void accumulate_picture(const CambiParams *params, const CambiVariant *variant, int which,
                               CambiScratch *scratch, const VmafPicture *pic,
                               VmafRecordCambi *record, uint16_t *heat_map)
{
    if (!cambi_samples_fit(params, pic)) {
        record->is_beyond_depth[which] = 1;
        return;
    }
    const CambiGeometry *g = &variant->geometry[which];
    int current = 0;
    cambi_load_codes(params, variant, which, scratch, pic, scratch->image[current].codes);
    cambi_find_flat_parts(params, scratch, &scratch->image[current], g);

    for (int scale = 0; scale < CAMBI_SCALES; scale++) {
        const unsigned w = g->scale_w[scale], h = g->scale_h[scale];
        if (scale > 0 || g->half_resolution) {
            cambi_halve(params, scratch, &scratch->image[!current], &scratch->image[current], w, h);
            current = !current;
        }
        const CambiImage *image = &scratch->image[current];
        cambi_filter_modes(params, scratch, image->codes, w, h);
        record->strongest[which][scale] =
            cambi_sum_contrasts(params, variant, which, scale, scratch, image, heat_map);
        if (heat_map)
            heat_map += (size_t)w * h;
    }
}

static int cambi_accumulate(const void *params, void *scratch, const FrameInput *input,
                            RowBand band, void *const records[])
{
    const CambiParams *p = params;
    (void)band; /* records do not merge: it is the whole frame */
    for (unsigned i = 0; i < p->n_variants; i++) {
        const CambiVariant *variant = &p->variants[i];
        CambiRecord *record = records[i];
        if (!record)
            continue;
        accumulate_picture(p, variant, CAMBI_DIST, scratch, input->dist, &record->sums,
                           variant->heat_map_gain > 0 ? record->heat_maps : NULL);
        if (variant->full_ref)
            accumulate_picture(p, variant, CAMBI_REF, scratch, input->ref, &record->sums, NULL);
    }
    return 0;
}

/* -- finish -- */

static const FeatureOutput outputs[] = {
    [CAMBI_OUTPUT_SCORE] = {"Cambi_feature_cambi_score", OUTPUT_PROVIDED},
    [CAMBI_OUTPUT_SOURCE] = {"cambi_source", 0},
    [CAMBI_OUTPUT_FULL_REFERENCE] = {"cambi_full_reference", 0},
    {0},
};

static const OutputCondition conditions[] = {{CAMBI_OUTPUT_SOURCE, 2, "full_ref"}, {0}};

static int reject_geometry(CambiRejection rejection, const CambiGeometry geometry[CAMBI_PICTURES],
                           Reason *why)
{
    const bool is_dist =
        rejection == CAMBI_DIST_TOO_SMALL || rejection == CAMBI_DIST_WINDOW_TOO_LARGE;
    const CambiGeometry *dist = &geometry[CAMBI_DIST], *ref = &geometry[CAMBI_REF];
    const CambiGeometry *g = is_dist ? dist : ref;
    const char *what = is_dist ? "encode" : "source";
    switch (rejection) {
    case CAMBI_DIST_TOO_SMALL:
    case CAMBI_REF_TOO_SMALL:
        return reason_set(why, -EINVAL,
                          "cambi needs a width or height of at least %d; the %s size is %ux%u",
                          CAMBI_MIN_SIDE, what, g->w, g->h);
    case CAMBI_DIST_WINDOW_TOO_LARGE:
    case CAMBI_REF_WINDOW_TOO_LARGE:
        return reason_set(
            why, -EINVAL,
            "cambi at %s size %ux%u needs a window of %u pixels, at most %d are possible: reduce "
            "window_size or use cambi_high_res_speedup",
            what, g->w, g->h, g->window, CAMBI_MAX_WINDOW);
    case CAMBI_SIZES_CROSS:
        return reason_set(
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
        return reason_set(why, -EINVAL, "unknown eotf \"%s\": must be bt1886 or pq",
                          cambi_eotf_name(o));
    CambiGeometry geometry[CAMBI_PICTURES];
    const CambiRejection rejection = cambi_geometry(geometry, o, format->w[0], format->h[0]);
    return reject_geometry(rejection, geometry, why);
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
    .params_create = cambi_plan_create,
    .params_destroy = cambi_plan_destroy,
    .scratch_create = cambi_scratch_create,
    .scratch_destroy = cambi_scratch_destroy,
    .accumulate = cambi_accumulate,
    .state_size = sizeof(CambiState),
    .state_destroy = state_destroy,
    .finish = finish,
};
