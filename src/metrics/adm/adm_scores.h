/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_ADM_ADM_SCORES_H
#define METRICS_ADM_ADM_SCORES_H

/* Scores of ADM, in integers or in floating point, and the order in which they are written. */

#include "metrics/adm/adm.h"
#include "metrics/framework/extractor.h"

enum {
    ADM_OUTPUT_ADM2,
    ADM_OUTPUT_AIM,
    ADM_OUTPUT_ADM3,
    ADM_OUTPUT_SCALE, /* scales 0 to 3 */
    ADM_OUTPUT_TOTAL = ADM_OUTPUT_SCALE + ADM_SCALES,
    ADM_OUTPUT_TOTAL_NUM,
    ADM_OUTPUT_TOTAL_DEN,
    ADM_OUTPUT_NUM_DEN, /* pairs, of scales 0 to 3 */
};

typedef struct AdmScores {
    double adm2, aim, adm3;
    double scale[ADM_SCALES];
    double num, den; /* totals over the scales */
    double num_scale[ADM_SCALES], den_scale[ADM_SCALES];
} AdmScores;

/* Sets the score of a scale, and adds to the totals. */
void adm_scores_add_scale(AdmScores *scores, int scale, float num, float den);
/* Sets adm2 of the totals, for a frame of w x h luma samples; very small totals become 0. */
void adm_scores_finish_totals(AdmScores *scores, unsigned w, unsigned h);
/* `debug`: also totals, numerators and denominators. */
void adm_scores_write(const AdmScores *scores, bool debug, FeatureSink *sink);

#endif
