/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/adm/adm.h"

#include <errno.h>
#include <math.h>

#include "libvmaf/backend_records.h"
#include "metrics/adm/adm_internal.h"
#include "metrics/common/math/math_functions.h"

/* -- scores -- */

void adm_scores_add_scale(AdmScores *scores, int scale, float num, float den)
{
    scores->num += num;
    scores->den += den;
    scores->num_scale[scale] = num;
    scores->den_scale[scale] = den;
    scores->scale[scale] = scores->num_scale[scale] / scores->den_scale[scale];
}

void adm_scores_finish_totals(AdmScores *scores, unsigned w, unsigned h)
{
    /* The threshold was set for 1080p. */
    const double limit = 1e-10 * ((double)w * h) / (1920.0 * 1080.0);
    if (scores->num < limit)
        scores->num = 0.0;
    if (scores->den < limit)
        scores->den = 0.0;
    scores->adm2 = scores->den == 0.0 ? 1.0 : scores->num / scores->den;
}

void adm_scores_write(const AdmScores *scores, bool debug, FeatureSink *sink)
{
    feature_sink_write(sink, ADM_OUTPUT_ADM2, scores->adm2);
    feature_sink_write(sink, ADM_OUTPUT_AIM, scores->aim);
    feature_sink_write(sink, ADM_OUTPUT_ADM3, scores->adm3);
    for (unsigned s = 0; s < ADM_SCALES; s++)
        feature_sink_write(sink, ADM_OUTPUT_SCALE + s, scores->scale[s]);
    if (!debug)
        return;
    feature_sink_write(sink, ADM_OUTPUT_TOTAL, scores->adm2);
    feature_sink_write(sink, ADM_OUTPUT_TOTAL_NUM, scores->num);
    feature_sink_write(sink, ADM_OUTPUT_TOTAL_DEN, scores->den);
    for (unsigned s = 0; s < ADM_SCALES; s++) {
        feature_sink_write(sink, ADM_OUTPUT_NUM_DEN + 2 * s, scores->num_scale[s]);
        feature_sink_write(sink, ADM_OUTPUT_NUM_DEN + 2 * s + 1, scores->den_scale[s]);
    }
}

/* -- finish -- */

/* The mixture of binary32 and binary64 is part of the definition, and so are math_powf(),
 * which is not always correctly rounded, and math_pow(). */

static const float third = 1.0F / 3.0F;

/* Visibility of noise in a window: keeps ratios of very small numbers near 1. */
static float noise_floor(const AdmAxis *columns, const AdmAxis *rows, double noise_weight)
{
    const int64_t area =
        (int64_t)adm_range_length(columns->window) * adm_range_length(rows->window);
    return math_powf((float)(area * noise_weight), third);
}

/* Sum of the 3-norms of the three bands. */
static float pool_masked(const int64_t sums[ADM_BANDS], int scale, const AdmShifts *shifts,
                         float noise)
{
    /* Fraction bits of the cubes. */
    static const int bits[ADM_SCALES][ADM_BANDS] = {
        {52, 52, 57}, {45, 45, 45}, {39, 39, 39}, {36, 36, 36}};
    float norm[ADM_BANDS];
    for (int b = 0; b < ADM_BANDS; b++) {
        const int exponent = -(bits[scale][b] - shifts->term[b] - shifts->row);
        const float energy =
            scale == 0 ? (float)ldexp((double)sums[b], exponent) : ldexpf((float)sums[b], exponent);
        norm[b] = math_powf(energy, third) + noise;
    }
    return norm[BAND_H] + norm[BAND_V] + norm[BAND_D];
}

static float pool_reference(const uint64_t sums[ADM_BANDS], int scale, const AdmShifts *shifts,
                            const AdmViewing *viewing, float noise)
{
    static const int bits[ADM_SCALES] = {18, 32, 27, 23};
    float norm[ADM_BANDS];
    for (int b = 0; b < ADM_BANDS; b++) {
        const float weight =
            adm_csf_weight(viewing, scale, b == BAND_D ? ADM_DIAGONAL : ADM_HORIZONTAL_VERTICAL);
        const double cubes =
            ldexp((double)sums[b], shifts->den_term + shifts->den_row - bits[scale]);
        norm[b] = math_powf((float)(cubes * math_pow(weight, 3.0)), third) + noise;
    }
    return norm[BAND_H] + norm[BAND_V] + norm[BAND_D];
}

static AdmScores adm_finish(const AdmOptions *options, const VmafRecordAdm *record, unsigned w,
                            unsigned h)
{
    AdmAxis columns[ADM_SCALES], rows[ADM_SCALES];
    adm_axes_init(columns, (int)w);
    adm_axes_init(rows, (int)h);
    const AdmViewing viewing = adm_viewing(options);

    AdmScores scores = {0};
    double impairment = 0.0;
    for (int s = 0; s < ADM_SCALES; s++) {
        const AdmShifts shifts = adm_shifts_init(s, &columns[s], &rows[s]);
        const float noise = noise_floor(&columns[s], &rows[s], options->noise_weight);
        float num = 0.0F, den = 1e-10F, aim = 0.0F;
        if (s > 0 || !options->skip_scale0) {
            num = pool_masked(record->num[s], s, &shifts, noise);
            den = pool_reference(record->den[s], s, &shifts, &viewing, noise);
            if (!options->skip_aim)
                aim = pool_masked(record->aim[s], s, &shifts, 0.0F);
        }
        adm_scores_add_scale(&scores, s, num, den);
        impairment += aim;
    }

    adm_scores_finish_totals(&scores, w, h);
    scores.aim = scores.den == 0.0 ? 0.0 : impairment / scores.den;
    const double weight = options->dlm_weight;
    const double combined = scores.adm2 * weight + (1.0 - scores.aim) * (1.0 - weight);
    /* Not fmax(): a score that is not a number becomes the minimum. */
    scores.adm3 = combined > options->min_val ? combined : options->min_val;
    return scores;
}

/* In the order of ADM_OUTPUT_*. */
static const FeatureOutput outputs[] = {
    {"VMAF_integer_feature_adm2_score", OUTPUT_PROVIDED},
    {"VMAF_integer_feature_aim_score", OUTPUT_PROVIDED},
    {"VMAF_integer_feature_adm3_score", OUTPUT_PROVIDED},
    {"integer_adm_scale0", OUTPUT_PROVIDED},
    {"integer_adm_scale1", OUTPUT_PROVIDED},
    {"integer_adm_scale2", OUTPUT_PROVIDED},
    {"integer_adm_scale3", OUTPUT_PROVIDED},
    {"integer_adm", OUTPUT_PROVIDED},
    {"integer_adm_num", OUTPUT_PROVIDED},
    {"integer_adm_den", OUTPUT_PROVIDED},
    {"integer_adm_num_scale0", OUTPUT_PROVIDED},
    {"integer_adm_den_scale0", OUTPUT_PROVIDED},
    {"integer_adm_num_scale1", OUTPUT_PROVIDED},
    {"integer_adm_den_scale1", OUTPUT_PROVIDED},
    {"integer_adm_num_scale2", OUTPUT_PROVIDED},
    {"integer_adm_den_scale2", OUTPUT_PROVIDED},
    {"integer_adm_num_scale3", OUTPUT_PROVIDED},
    {"integer_adm_den_scale3", OUTPUT_PROVIDED},
    {0},
};

static const OutputCondition conditions[] = {{ADM_OUTPUT_TOTAL, 3 + 2 * ADM_SCALES, "debug"}, {0}};

static int check_format(const void *opaque, const PictureFormat *format, Reason *why)
{
    (void)format;
    const AdmOptions *options = opaque;
    const double resolution = options->norm_view_dist * options->ref_display_height;
    if (resolution < ADM_MIN_RESOLUTION)
        return reason_set(
            why, -EINVAL,
            "adm needs adm_norm_view_dist times adm_ref_display_height to be at least "
            "%g; it is %g",
            ADM_MIN_RESOLUTION, resolution);
    return 0;
}

static bool is_possible(const void *opaque, const void *options, const PictureFormat *format)
{
    (void)format;
    const VmafRecordAdm *record = opaque;
    const AdmOptions *o = options;
    for (unsigned s = 0; s < ADM_SCALES; s++) {
        const bool skipped = s == 0 && o->skip_scale0;
        for (unsigned band = 0; band < ADM_BANDS; band++) {
            if ((skipped || o->skip_aim) && record->aim[s][band])
                return false;
            if (skipped && (record->den[s][band] || record->num[s][band]))
                return false;
        }
    }
    return true;
}

static int finish(const FinishInput *input, FeatureSink *sink)
{
    const AdmOptions *options = input->options;
    const AdmScores scores =
        adm_finish(options, input->record, input->format->w[0], input->format->h[0]);
    adm_scores_write(&scores, options->debug, sink);
    return 0;
}

const FeatureExtractor adm_extractor = {
    .name = "adm",
    .summary = "detail loss and additive impairment (ADM), integer",
    .outputs = outputs,
    .conditions = conditions,
    .options = adm_option_specs,
    .options_size = sizeof(AdmOptions),
    .check_format = check_format,
    .limits = {.size = ADM_MIN_SIZE, .depths = DEPTHS_8_TO_16},
    .needs = {.planes = PLANE_Y},
    .record = {.id = VMAF_RECORD_ADM,
               .version = VMAF_RECORD_ADM_VERSION,
               .size = sizeof(VmafRecordAdm),
               .is_possible = is_possible},
    .params_create = adm_plan_create,
    .scratch_create = adm_scratch_create,
    .scratch_destroy = adm_scratch_destroy,
    .accumulate = adm_accumulate,
    .shared_rows = ADM_SHARED_ROWS,
    .merge = record_merge_sums,
    .finish = finish,
};
