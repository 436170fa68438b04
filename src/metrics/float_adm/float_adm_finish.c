/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/float_adm/float_adm_finish.h"

#include "metrics/common/math/math_functions.h"

/* The mixture of binary32 and binary64 is part of the definition, and so is math_powf(),
 * which is not always correctly rounded. */

/* Visibility of noise in a window: keeps ratios of very small numbers near 1. */
static float noise_floor(const AdmAxis *columns, const AdmAxis *rows, double noise_weight,
                         float exponent)
{
    const int64_t area =
        (int64_t)adm_range_length(columns->window) * adm_range_length(rows->window);
    return math_powf((float)(area * noise_weight), exponent);
}

/* Sum of the norms of the three bands. */
static float pool(const float sums[ADM_BANDS], float exponent, float noise)
{
    float norm[ADM_BANDS];
    for (int b = 0; b < ADM_BANDS; b++)
        norm[b] = math_powf(sums[b], exponent) + noise;
    return norm[BAND_H] + norm[BAND_V] + norm[BAND_D];
}

/* Not fmin() and fmax(): a score that is not a number becomes the limit. */
static double at_most(double score, double limit)
{
    return score < limit ? score : limit;
}

static double at_least(double score, double limit)
{
    return score > limit ? score : limit;
}

AdmScores float_adm_finish(const FloatAdmOptions *options, const VmafRecordFloatAdm *record,
                           unsigned w, unsigned h)
{
    AdmAxis columns[ADM_SCALES], rows[ADM_SCALES];
    adm_axes_init(columns, (int)w);
    adm_axes_init(rows, (int)h);
    const float exponent = (float)(1.0 / options->p_norm);

    AdmScores scores = {0};
    double impairment = 0.0, impairment_den = 0.0;
    for (int s = 0; s < ADM_SCALES; s++) {
        float num = 0.0F, den = 1e-10F, aim = 0.0F;
        if (s > 0 || !options->skip_scale0) {
            const float noise = noise_floor(&columns[s], &rows[s], options->noise_weight, exponent);
            num = pool(record->num[s], exponent, noise);
            den = pool(record->den[s], exponent, noise);
            aim = pool(record->aim[s], exponent, 0.0F);
        }
        adm_scores_add_scale(&scores, s, num, den);
        if (s != options->skip_aim_scale) {
            impairment += aim;
            impairment_den += den;
        }
    }

    adm_scores_finish_totals(&scores, w, h);
    scores.aim = scores.den == 0.0 ? 0.0 : at_most(impairment / impairment_den, 1.0);

    const double weight = options->dlm_weight;
    const double combined = options->adm3_apply_hm
                                ? 2.0 * scores.adm2 * scores.aim / (scores.adm2 + scores.aim)
                                : scores.adm2 * weight + (1.0 - scores.aim) * (1.0 - weight);
    scores.adm3 = at_least(combined, options->min_val);
    return scores;
}
