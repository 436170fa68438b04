/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_FEATURE_ADM_ADM_FINISH_H
#define CORE_FEATURE_ADM_ADM_FINISH_H

#include "feature/adm/adm.h"
#include "feature/adm/adm_scores.h"
#include "libvmaf/backend_records.h"

/* Scores of a frame of w x h luma samples. Thread-safe. */
AdmScores adm_finish(const AdmOptions *options, const VmafRecordAdm *record, unsigned w,
                     unsigned h);

#endif
