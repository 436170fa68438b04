/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_CAMBI_CAMBI_IMAGE_H
#define METRICS_CAMBI_CAMBI_IMAGE_H

/*
 * The images that CAMBI looks at: luma at 10 bits and the mask of its flat parts, at five scales.
 */

#include "metrics/cambi/cambi_plan.h"

/* True if all samples of the luma plane fit the bit depth. */
bool cambi_samples_fit(const CambiPlan *plan, const VmafPicture *pic);

/* Luma, resized, converted to 10 bits and, if the variant wants it, smoothed against dithering. */
void cambi_load_codes(const CambiPlan *plan, const CambiVariant *variant, int which,
                      CambiScratch *scratch, const VmafPicture *pic, uint16_t *codes);

/* The mask: pixels around which many pixels equal their neighbours, so that banding is visible. */
void cambi_find_flat_parts(const CambiPlan *plan, CambiScratch *scratch, const CambiImage *image,
                           const CambiGeometry *geometry);

/* Keeps the even columns of the even rows: w and h are the size of the output. */
void cambi_halve(const CambiPlan *plan, const CambiScratch *scratch, const CambiImage *out,
                 const CambiImage *in, unsigned w, unsigned h);

/* Replaces codes by the most frequent of three neighbours, in each direction. */
void cambi_filter_modes(const CambiPlan *plan, CambiScratch *scratch, uint16_t *codes, unsigned w,
                        unsigned h);

#endif
