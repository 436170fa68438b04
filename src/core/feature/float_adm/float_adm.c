/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "feature/float_adm/float_adm.h"

#include <stddef.h>

#include "definition/adm/adm_options.h"
#include "feature/float_adm/float_adm_accumulate.h"
#include "feature/float_adm/float_adm_finish.h"

/* In the order of ADM_OUTPUT_*. */
static const FeatureOutput outputs[] = {
    {"VMAF_feature_adm2_score", OUTPUT_PROVIDED},
    {"VMAF_feature_aim_score", OUTPUT_PROVIDED},
    {"VMAF_feature_adm3_score", OUTPUT_PROVIDED},
    {"VMAF_feature_adm_scale0_score", OUTPUT_PROVIDED},
    {"VMAF_feature_adm_scale1_score", OUTPUT_PROVIDED},
    {"VMAF_feature_adm_scale2_score", OUTPUT_PROVIDED},
    {"VMAF_feature_adm_scale3_score", OUTPUT_PROVIDED},
    {"adm", 0}, /* never shows options */
    {"adm_num", OUTPUT_PROVIDED},
    {"adm_den", OUTPUT_PROVIDED},
    {"adm_num_scale0", OUTPUT_PROVIDED},
    {"adm_den_scale0", OUTPUT_PROVIDED},
    {"adm_num_scale1", OUTPUT_PROVIDED},
    {"adm_den_scale1", OUTPUT_PROVIDED},
    {"adm_num_scale2", OUTPUT_PROVIDED},
    {"adm_den_scale2", OUTPUT_PROVIDED},
    {"adm_num_scale3", OUTPUT_PROVIDED},
    {"adm_den_scale3", OUTPUT_PROVIDED},
    {0},
};

/* Models may request it, though it is never written under this name. */
static const char *const also_provides[] = {"adm_scale0", NULL};

/* Weight of bands of a scale, instead of the contrast sensitivity. */
#define WEIGHT_OPTION(prefix, bands, scale, field)                                                 \
    {                                                                                              \
        .name = "adm_" prefix #scale, .alias = prefix #scale,                                      \
        .help = "weight of " bands " detail at scale " #scale "; -1: contrast sensitivity",        \
        .type = VMAF_OPTION_TYPE_DOUBLE, .flags = OPTION_NAMED | OPTION_ACCUMULATE,                \
        .offset = offsetof(FloatAdmOptions, field) + scale * sizeof(double), .default_value = -1,  \
        .min = -1, .max = 10,                                                                      \
    }
#define HV_WEIGHT_OPTION(scale)       WEIGHT_OPTION("f1s", "horizontal and vertical", scale, hv_weight)
#define DIAGONAL_WEIGHT_OPTION(scale) WEIGHT_OPTION("f2s", "diagonal", scale, diagonal_weight)

static const OptionSpec option_specs[] = {
    ADM_COMMON_OPTION_SPECS(FloatAdmOptions),
    {
        .name = "adm_ref_display_height",
        .alias = "rdf",
        .help = "height of the display in lines",
        .type = VMAF_OPTION_TYPE_INT,
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
        .type = VMAF_OPTION_TYPE_INT,
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
        .type = VMAF_OPTION_TYPE_INT,
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
        .type = VMAF_OPTION_TYPE_BOOL,
        .flags = OPTION_NAMED,
        .offset = offsetof(FloatAdmOptions, adm3_apply_hm),
    },
    {
        .name = "adm_p_norm",
        .alias = "apn",
        .help = "exponent of the norm by which a band is pooled",
        .type = VMAF_OPTION_TYPE_DOUBLE,
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
        .type = VMAF_OPTION_TYPE_INT,
        .flags = OPTION_NAMED,
        .offset = offsetof(FloatAdmOptions, skip_aim_scale),
        .default_value = -1,
        .min = 0,
        .max = 3,
    },
    {0},
};

static int finish(const FinishInput *input, FeatureSink *sink)
{
    const FloatAdmOptions *options = input->options;
    const AdmScores scores =
        float_adm_finish(options, input->record, input->format->w[0], input->format->h[0]);
    adm_scores_write(&scores, options->debug, sink);
    return 0;
}

const FeatureExtractor float_adm_extractor = {
    .name = "float_adm",
    .summary = "detail loss and additive impairment (ADM), floating point",
    .outputs = outputs,
    .also_provides = also_provides,
    .options = option_specs,
    .options_size = sizeof(FloatAdmOptions),
    .limits = {.size = ADM_MIN_SIZE, .depths = DEPTHS_COMMON},
    .needs = {.planes = PLANE_Y},
    .record = {.size = sizeof(FloatAdmRecord)},
    .plan_create = float_adm_plan_create,
    .scratch_create = float_adm_scratch_create,
    .scratch_destroy = float_adm_scratch_destroy,
    .accumulate = float_adm_accumulate,
    .finish = finish,
};
