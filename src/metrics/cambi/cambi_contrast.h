/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_CAMBI_CAMBI_CONTRAST_H
#define METRICS_CAMBI_CAMBI_CONTRAST_H

#include "metrics/cambi/cambi_plan.h"

/*
 * Sums the strongest contrasts of one scale.
 *
 * The contrast of a pixel, if its code occurs n times in the window around it and a code that is k
 * larger, or k smaller, m times, is weight(k) n m / (n + m), the largest over all visible steps k.
 * Pixels that are masked out have no contrast and do not count. `heat_map` (NULL: none), zeroed, is
 * filled in.
 */
CambiSum cambi_sum_contrasts(const CambiPlan *plan, const CambiVariant *variant, int which,
                             int scale, CambiScratch *scratch, const CambiImage *image,
                             uint16_t *heat_map);

#endif
