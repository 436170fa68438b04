/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_FEATURE_FLOAT_ADM_FLOAT_ADM_FINISH_H
#define CORE_FEATURE_FLOAT_ADM_FLOAT_ADM_FINISH_H

#include "feature/float_adm/float_adm.h"

typedef struct FloatAdmScores {
    double adm2, aim, adm3;
    double scale[ADM_SCALES];
    double num, den; /* totals over the scales */
    double num_scale[ADM_SCALES], den_scale[ADM_SCALES];
} FloatAdmScores;

/* Scores of a frame of w x h luma samples. Thread-safe. */
FloatAdmScores float_adm_finish(const FloatAdmOptions *options, const FloatAdmRecord *record,
                                unsigned w, unsigned h);

#endif
