/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/adm/adm_finish.h"

#include <math.h>

#include "metrics/adm/adm_csf.h"
#include "metrics/common/math/math_functions.h"

/* The mixture of binary32 and binary64 is part of the definition, and so are math_powf(),
 * which is not always correctly rounded, and math_pow(). */

static const float third = 1.0F / 3.0F;

static float cube_root(float x)
{
    return math_powf(x, third);
}

/* Visibility of noise in a window: keeps ratios of very small numbers near 1. */
static float noise_floor(const AdmAxis *columns, const AdmAxis *rows, double noise_weight)
{
    const int64_t area =
        (int64_t)adm_range_length(columns->window) * adm_range_length(rows->window);
    return cube_root((float)(area * noise_weight));
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
        norm[b] = cube_root(energy) + noise;
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
        norm[b] = cube_root((float)(cubes * math_pow(weight, 3.0))) + noise;
    }
    return norm[BAND_H] + norm[BAND_V] + norm[BAND_D];
}

AdmScores adm_finish(const AdmOptions *options, const VmafRecordAdm *record, unsigned w, unsigned h)
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
