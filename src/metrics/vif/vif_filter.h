/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_VIF_VIF_FILTER_H
#define METRICS_VIF_VIF_FILTER_H

/* The window of each scale as a table. */

#include <stdint.h>

#include "metrics/vif/vif_constants.h"

enum {
    VIF_MAX_RADIUS = VIF_RADIUS(0),
    VIF_MAX_TAPS = 2 * VIF_MAX_RADIUS + 1,
};

typedef struct VifFilter {
    unsigned radius;
    uint16_t taps[VIF_MAX_RADIUS + 1]; /* from the centre outwards */
} VifFilter;

/* In the header so that loops over the taps unroll into constants. */
static const VifFilter vif_filters[VIF_SCALES] = {
    {VIF_RADIUS(0), {VIF_WINDOW_0}},
    {VIF_RADIUS(1), {VIF_WINDOW_1}},
    {VIF_RADIUS(2), {VIF_WINDOW_2}},
    {VIF_RADIUS(3), {VIF_WINDOW_3}},
};

#endif
