/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_ADM_ADM_TILING_DEVICE_H
#define METRICS_ADM_ADM_TILING_DEVICE_H

#include <stdint.h>

#include "metrics/adm/adm_geometry.h"

/* One direction, columns or rows, of a scale. */
typedef struct AdmTiling {
    AdmAxis axis;
    AdmRange tiled; /* the window and the samples that the next scale needs */
} AdmTiling;

/* Finds the range that tiles cover at each scale of pictures with `samples` columns, or rows. */
void vmaf_adm_tile(AdmTiling tilings[ADM_SCALES], int32_t samples);

#endif
