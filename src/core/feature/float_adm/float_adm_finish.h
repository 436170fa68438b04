/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_FEATURE_FLOAT_ADM_FLOAT_ADM_FINISH_H
#define CORE_FEATURE_FLOAT_ADM_FLOAT_ADM_FINISH_H

#include "feature/adm/adm_scores.h"
#include "feature/float_adm/float_adm.h"

/* Scores of a frame of w x h luma samples. Thread-safe. */
AdmScores float_adm_finish(const FloatAdmOptions *options, const VmafRecordFloatAdm *record,
                           unsigned w, unsigned h);

#endif
