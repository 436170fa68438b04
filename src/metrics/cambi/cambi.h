/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_CAMBI_CAMBI_H
#define METRICS_CAMBI_CAMBI_H

#include "libvmaf/backend_records.h"
#include "metrics/cambi/cambi_geometry.h"
#include "metrics/framework/extractor.h"

/*
 * CAMBI, the contrast-aware multiscale banding index: how visible false contours are in the luma
 * of a picture. P. Tandon, M. Afonso, J. Sole, L. Krasula: CAMBI: Contrast-aware Multiscale
 * Banding Index, Picture Coding Symposium 2021.
 */
extern const FeatureExtractor cambi_extractor;

enum CambiOutput {
    CAMBI_OUTPUT_SCORE,
    CAMBI_OUTPUT_SOURCE,
    CAMBI_OUTPUT_FULL_REFERENCE,
};

typedef VmafRecordCambiSum CambiSum;

/* Finding the strongest contrasts takes the whole picture, so records do not merge. */
typedef struct CambiRecord {
    VmafRecordCambi sums;
    uint16_t heat_maps[]; /* of the distorted picture, scale by scale; only if requested */
} CambiRecord;

#endif
