/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_FEATURE_ADM_ADM_FINISH_H
#define CORE_FEATURE_ADM_ADM_FINISH_H

#include "definition/adm/adm_geometry.h"
#include "feature/adm/adm.h"
#include "libvmaf/backend_records.h"

typedef struct AdmScores {
    double adm2, aim, adm3;
    double scale[ADM_SCALES];
    double num, den; /* totals over the scales */
    double num_scale[ADM_SCALES], den_scale[ADM_SCALES];
} AdmScores;

/* Scores of a frame of w x h luma samples. Thread-safe. */
AdmScores adm_finish(const AdmOptions *options, const VmafRecordAdm *record, unsigned w,
                     unsigned h);

#endif
