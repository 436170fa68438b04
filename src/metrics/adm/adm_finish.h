/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_ADM_ADM_FINISH_H
#define METRICS_ADM_ADM_FINISH_H

#include "libvmaf/backend_records.h"
#include "metrics/adm/adm.h"
#include "metrics/adm/adm_scores.h"

/* Scores of a frame of w x h luma samples. Thread-safe. */
AdmScores adm_finish(const AdmOptions *options, const VmafRecordAdm *record, unsigned w,
                     unsigned h);

#endif
