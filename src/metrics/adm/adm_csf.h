/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_ADM_ADM_CSF_H
#define METRICS_ADM_ADM_CSF_H

/*
 * Contrast sensitivity: how much each wavelet band weighs for a viewer at a given distance.
 *
 * A. B. Watson, G. Y. Yang, J. A. Solomon, J. Villasenor: "Visibility of Wavelet Quantization
 * Noise", IEEE Trans. Image Processing 6(8), 1997.
 * R. Mantiuk, K. J. Kim, A. G. Rempel, W. Heidrich: "HDR-VDP-2", ACM Trans. Graphics 30(4), 2011.
 */

#include <stdint.h>

#include "metrics/adm/adm_geometry.h"
#include "metrics/adm/adm_options.h"

typedef enum AdmCsfMode {
    ADM_CSF_WATSON,    /* thresholds of Watson et al. */
    ADM_CSF_BARTEN,    /* Barten's function with the parameters of HDR-VDP 2.2.1 */
    ADM_CSF_BLEND,     /* both, blended; tabulated for some viewing conditions */
    ADM_CSF_BLEND_MAE, /* the same with another blend */
} AdmCsfMode;

typedef struct AdmViewing {
    double distance; /* in display heights */
    int height;      /* of the display, in lines */
    AdmCsfMode mode;
    double scale, diagonal_scale; /* factors of the weights; ADM_CSF_BARTEN only */
} AdmViewing;

AdmViewing adm_viewing(const AdmOptions *options);

/* Lines of the display per degree of visual angle, as used for the weights. */
float adm_pixels_per_degree(const AdmViewing *viewing);

enum { ADM_HORIZONTAL_VERTICAL, ADM_DIAGONAL };

/*
 * Weight of bands h and v, or d, of a scale from 0 (finest). -22 where a tabulated mode has no
 * entry for the viewing condition.
 */
float adm_csf_weight(const AdmViewing *viewing, int scale, int orientation);

/* Fixed-point weights of bands h, v, d: 16 bits at scale 0, 32 bits at the others. */
void adm_csf_fixed_point(const AdmViewing *viewing, int scale, uint32_t weights[ADM_BANDS]);

#endif
