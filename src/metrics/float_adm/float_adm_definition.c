/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/float_adm/float_adm.h"

#include <math.h>

#include "metrics/adm/adm.h"
#include "metrics/common/math/math_functions.h"

/* Weight of bands of a scale, instead of the contrast sensitivity. */
#define WEIGHT_OPTION(prefix, bands, scale, field)                                                 \
    {                                                                                              \
        .name = "adm_" prefix #scale, .alias = prefix #scale,                                      \
        .help = "weight of " bands " detail at scale " #scale "; -1: contrast sensitivity",        \
        .type = OPTION_DOUBLE, .flags = OPTION_NAMED | OPTION_ACCUMULATE,                          \
        .offset = offsetof(FloatAdmOptions, field) + scale * sizeof(double), .default_value = -1,  \
        .min = -1, .max = 10,                                                                      \
    }
#define HV_WEIGHT_OPTION(scale)       WEIGHT_OPTION("f1s", "horizontal and vertical", scale, hv_weight)
#define DIAGONAL_WEIGHT_OPTION(scale) WEIGHT_OPTION("f2s", "diagonal", scale, diagonal_weight)

const OptionSpec float_adm_option_specs[] = {
    ADM_COMMON_OPTION_SPECS(FloatAdmOptions),
    {
        .name = "adm_ref_display_height",
        .alias = "rdf",
        .help = "height of the display in lines",
        .type = OPTION_INT,
        .flags = OPTION_NAMED | OPTION_ACCUMULATE,
        .offset = offsetof(FloatAdmOptions, ref_display_height),
        .default_value = 1080,
        .min = 1,
        .max = 4320,
    },
    {
        .name = "adm_csf_mode",
        .alias = "csf",
        .help = "contrast sensitivity: 1 Barten, 2 Li et al., others Watson",
        .type = OPTION_INT,
        .flags = OPTION_NAMED | OPTION_ACCUMULATE,
        .offset = offsetof(FloatAdmOptions, csf_mode),
        .default_value = 0,
        .min = 0,
        .max = 9,
    },
    {
        .name = "adm_bypass_cm",
        .alias = "bcm",
        .help = "1: no contrast masking",
        .type = OPTION_INT,
        .flags = OPTION_NAMED | OPTION_ACCUMULATE,
        .offset = offsetof(FloatAdmOptions, bypass_cm),
        .default_value = 0,
        .min = 0,
        .max = 1,
    },
    {
        .name = "adm_adm3_apply_hm",
        .alias = "aah",
        .help = "make adm3 the harmonic mean of adm2 and aim",
        .type = OPTION_BOOL,
        .flags = OPTION_NAMED,
        .offset = offsetof(FloatAdmOptions, adm3_apply_hm),
    },
    {
        .name = "adm_p_norm",
        .alias = "apn",
        .help = "exponent of the norm by which a band is pooled",
        .type = OPTION_DOUBLE,
        .flags = OPTION_NAMED | OPTION_ACCUMULATE,
        .offset = offsetof(FloatAdmOptions, p_norm),
        .default_value = 3,
        .min = 1,
        .max = 20,
    },
    HV_WEIGHT_OPTION(0),
    HV_WEIGHT_OPTION(1),
    HV_WEIGHT_OPTION(2),
    HV_WEIGHT_OPTION(3),
    DIAGONAL_WEIGHT_OPTION(0),
    DIAGONAL_WEIGHT_OPTION(1),
    DIAGONAL_WEIGHT_OPTION(2),
    DIAGONAL_WEIGHT_OPTION(3),
    {
        .name = "adm_skip_aim_scale",
        .alias = "sasc",
        .help = "scale that does not count for aim",
        .type = OPTION_INT,
        .flags = OPTION_NAMED,
        .offset = offsetof(FloatAdmOptions, skip_aim_scale),
        .default_value = -1,
        .min = 0,
        .max = 3,
    },
    {0},
};

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
