/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/float_adm/float_adm_csf.h"

#include <math.h>

#include "metrics/adm/adm_csf.h"
#include "metrics/common/math/math_functions.h"

enum { MODE_BARTEN = 1, MODE_LI = 2 };

/* Sensitivity at a frequency in cycles per degree, as Li et al. give it in section III. Diagonal
 * detail counts as detail of a higher frequency. Roundings to binary32 are part of the definition.
 */
static float li_weight(const AdmViewing *viewing, int scale, int orientation)
{
    float frequency = (float)(adm_pixels_per_degree(viewing) / ldexp(1.0, scale + 1));
    if (orientation == ADM_DIAGONAL)
        frequency = (float)(frequency / 0.7);
    return (float)((0.31 + 0.69 * frequency) * math_exp(-0.29 * frequency));
}

static float sensitivity(const FloatAdmOptions *options, int scale, int orientation)
{
    const AdmViewing viewing = {
        .distance = options->norm_view_dist,
        .height = options->ref_display_height,
        .mode = options->csf_mode == MODE_BARTEN ? ADM_CSF_BARTEN : ADM_CSF_WATSON,
        .scale = options->csf_scale,
        .diagonal_scale = options->csf_diag_scale,
    };
    if (options->csf_mode == MODE_LI)
        return li_weight(&viewing, scale, orientation);
    return adm_csf_weight(&viewing, scale, orientation);
}

void float_adm_weights(const FloatAdmOptions *options, int scale, float weights[ADM_BANDS])
{
    const double hv = options->hv_weight[scale], diagonal = options->diagonal_weight[scale];
    weights[BAND_H] = hv >= 0.0 ? (float)hv : sensitivity(options, scale, ADM_HORIZONTAL_VERTICAL);
    weights[BAND_V] = weights[BAND_H];
    weights[BAND_D] = diagonal >= 0.0 ? (float)diagonal : sensitivity(options, scale, ADM_DIAGONAL);
}
