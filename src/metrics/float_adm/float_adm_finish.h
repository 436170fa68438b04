/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_FLOAT_ADM_FLOAT_ADM_FINISH_H
#define METRICS_FLOAT_ADM_FLOAT_ADM_FINISH_H

#include "metrics/adm/adm_scores.h"
#include "metrics/float_adm/float_adm.h"

/* Scores of a frame of w x h luma samples. Thread-safe. */
AdmScores float_adm_finish(const FloatAdmOptions *options, const VmafRecordFloatAdm *record,
                           unsigned w, unsigned h);

#endif
