/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "feature/adm/adm.h"

#include <errno.h>
#include <stddef.h>

#include "feature/adm/adm_accumulate.h"
#include "feature/adm/adm_csf.h"
#include "feature/adm/adm_finish.h"
#include "libvmaf/backend_records.h"

/* The coarsest scale needs two coefficients in each direction. */
enum { MIN_SIZE = 17 };

/* Viewing conditions with fewer lines per unit of visual angle are refused. */
static const double min_resolution = 3.0 * 1080.0;

enum {
    OUTPUT_ADM2,
    OUTPUT_AIM,
    OUTPUT_ADM3,
    OUTPUT_SCALE, /* scales 0 to 3 */
    OUTPUT_TOTAL = OUTPUT_SCALE + ADM_SCALES,
    OUTPUT_TOTAL_NUM,
    OUTPUT_TOTAL_DEN,
    OUTPUT_NUM_DEN, /* pairs, of scales 0 to 3 */
};

static const FeatureOutput outputs[] = {
    {"VMAF_integer_feature_adm2_score", OUTPUT_PROVIDED},
    {"VMAF_integer_feature_aim_score", OUTPUT_PROVIDED},
    {"VMAF_integer_feature_adm3_score", OUTPUT_PROVIDED},
    {"integer_adm_scale0", OUTPUT_PROVIDED},
    {"integer_adm_scale1", OUTPUT_PROVIDED},
    {"integer_adm_scale2", OUTPUT_PROVIDED},
    {"integer_adm_scale3", OUTPUT_PROVIDED},
    {"integer_adm", OUTPUT_PROVIDED},
    {"integer_adm_num", OUTPUT_PROVIDED},
    {"integer_adm_den", OUTPUT_PROVIDED},
    {"integer_adm_num_scale0", OUTPUT_PROVIDED},
    {"integer_adm_den_scale0", OUTPUT_PROVIDED},
    {"integer_adm_num_scale1", OUTPUT_PROVIDED},
    {"integer_adm_den_scale1", OUTPUT_PROVIDED},
    {"integer_adm_num_scale2", OUTPUT_PROVIDED},
    {"integer_adm_den_scale2", OUTPUT_PROVIDED},
    {"integer_adm_num_scale3", OUTPUT_PROVIDED},
    {"integer_adm_den_scale3", OUTPUT_PROVIDED},
    {0},
};

static const OptionSpec option_specs[] = {
    {
        .name = "debug",
        .help = "also write totals, numerators and denominators",
        .type = VMAF_OPTION_TYPE_BOOL,
        .offset = offsetof(AdmOptions, debug),
    },
    {
        .name = "adm_csf_scale",
        .alias = "scf",
        .help = "factor on the weights of horizontal and vertical detail; adm_csf_mode 1 only",
        .type = VMAF_OPTION_TYPE_DOUBLE,
        .flags = OPTION_NAMED | OPTION_ACCUMULATE,
        .offset = offsetof(AdmOptions, csf_scale),
        .default_value = 1,
        .min = 0,
        .max = 50,
    },
    {
        .name = "adm_csf_diag_scale",
        .alias = "scfd",
        .help = "factor on the weights of diagonal detail; adm_csf_mode 1 only",
        .type = VMAF_OPTION_TYPE_DOUBLE,
        .flags = OPTION_NAMED | OPTION_ACCUMULATE,
        .offset = offsetof(AdmOptions, csf_diag_scale),
        .default_value = 1,
        .min = 0,
        .max = 50,
    },
    {
        .name = "adm_dlm_weight",
        .alias = "dlmw",
        .help = "weight of adm2 in adm3; the rest is that of 1 - aim",
        .type = VMAF_OPTION_TYPE_DOUBLE,
        .flags = OPTION_NAMED,
        .offset = offsetof(AdmOptions, dlm_weight),
        .default_value = 0.5,
        .min = 0,
        .max = 1,
    },
    {
        .name = "adm_enhn_gain_limit",
        .alias = "egl",
        .help = "limit of the gain: 1 gives no credit for enhancement",
        .type = VMAF_OPTION_TYPE_DOUBLE,
        .flags = OPTION_NAMED | OPTION_ACCUMULATE,
        .offset = offsetof(AdmOptions, enhn_gain_limit),
        .default_value = 100,
        .min = 1,
        .max = 100,
    },
    {
        .name = "adm_norm_view_dist",
        .alias = "nvd",
        .help = "viewing distance in display heights",
        .type = VMAF_OPTION_TYPE_DOUBLE,
        .flags = OPTION_NAMED | OPTION_ACCUMULATE,
        .offset = offsetof(AdmOptions, norm_view_dist),
        .default_value = 3,
        .min = 0.75,
        .max = 24,
    },
    {
        .name = "adm_ref_display_height",
        .alias = "rdh",
        .help = "height of the display in lines",
        .type = VMAF_OPTION_TYPE_INT,
        .flags = OPTION_NAMED | OPTION_ACCUMULATE,
        .offset = offsetof(AdmOptions, ref_display_height),
        .default_value = 1080,
        .min = 1,
        .max = 4320,
    },
    {
        .name = "adm_csf_mode",
        .alias = "csf",
        .help = "contrast sensitivity: 0 Watson, 1 Barten, 2 blend of both, 3 second blend",
        .type = VMAF_OPTION_TYPE_INT,
        .flags = OPTION_NAMED | OPTION_ACCUMULATE,
        .offset = offsetof(AdmOptions, csf_mode),
        .default_value = ADM_CSF_WATSON,
        .min = ADM_CSF_WATSON,
        .max = ADM_CSF_BLEND_MAE,
    },
    {
        .name = "adm_noise_weight",
        .alias = "nw",
        .help = "weight of the noise floor in numerators and denominators",
        .type = VMAF_OPTION_TYPE_DOUBLE,
        .flags = OPTION_NAMED,
        .offset = offsetof(AdmOptions, noise_weight),
        .default_value = 0.03125,
        .min = 0,
        .max = 1500,
    },
    {
        .name = "adm_skip_aim",
        .help = "leave out the additive impairment, which then counts as 0",
        .type = VMAF_OPTION_TYPE_BOOL,
        .flags = OPTION_ACCUMULATE,
        .offset = offsetof(AdmOptions, skip_aim),
    },
    {
        .name = "adm_skip_scale0",
        .alias = "ssz",
        .help = "leave out scale 0",
        .type = VMAF_OPTION_TYPE_BOOL,
        .flags = OPTION_NAMED | OPTION_ACCUMULATE,
        .offset = offsetof(AdmOptions, skip_scale0),
    },
    {
        .name = "adm_min_val",
        .alias = "min",
        .help = "lower limit of adm3",
        .type = VMAF_OPTION_TYPE_DOUBLE,
        .flags = OPTION_NAMED,
        .offset = offsetof(AdmOptions, min_val),
        .default_value = 0,
        .min = 0,
        .max = 1,
    },
    {0},
};

static int check_format(const void *opaque, const PictureFormat *format, Reason *why)
{
    const AdmOptions *options = opaque;
    if (format->w[0] < MIN_SIZE || format->h[0] < MIN_SIZE)
        return refuse(why, -EINVAL, "adm needs pictures of at least %dx%d; these are %ux%u",
                      MIN_SIZE, MIN_SIZE, format->w[0], format->h[0]);
    if (format->bpc < 8 || format->bpc > 16)
        return refuse(why, -EINVAL, "adm needs 8 to 16 bits per sample; these have %u",
                      format->bpc);
    const double resolution = options->norm_view_dist * options->ref_display_height;
    if (resolution < min_resolution)
        return refuse(why, -EINVAL,
                      "adm needs adm_norm_view_dist times adm_ref_display_height to be at least "
                      "%g; it is %g",
                      min_resolution, resolution);
    return 0;
}

static FeatureNeeds needs(const void *options, enum VmafPixelFormat pix_fmt)
{
    (void)options;
    (void)pix_fmt;
    return (FeatureNeeds){.planes = PLANE_Y};
}

static size_t record_size(const void *options, const PictureFormat *format)
{
    (void)options;
    (void)format;
    return sizeof(VmafRecordAdm);
}

static int finish(void *state, const FinishInput *input, FeatureSink *sink)
{
    (void)state;
    const AdmOptions *options = input->options;
    const AdmScores scores =
        adm_finish(options, input->record, input->format->w[0], input->format->h[0]);
    feature_sink_write(sink, OUTPUT_ADM2, scores.adm2);
    feature_sink_write(sink, OUTPUT_AIM, scores.aim);
    feature_sink_write(sink, OUTPUT_ADM3, scores.adm3);
    for (unsigned s = 0; s < ADM_SCALES; s++)
        feature_sink_write(sink, OUTPUT_SCALE + s, scores.scale[s]);
    if (!options->debug)
        return 0;

    feature_sink_write(sink, OUTPUT_TOTAL, scores.adm2);
    feature_sink_write(sink, OUTPUT_TOTAL_NUM, scores.num);
    feature_sink_write(sink, OUTPUT_TOTAL_DEN, scores.den);
    for (unsigned s = 0; s < ADM_SCALES; s++) {
        feature_sink_write(sink, OUTPUT_NUM_DEN + 2 * s, scores.num_scale[s]);
        feature_sink_write(sink, OUTPUT_NUM_DEN + 2 * s + 1, scores.den_scale[s]);
    }
    return 0;
}

const FeatureExtractor adm_extractor = {
    .name = "adm",
    .summary = "detail loss and additive impairment (ADM), integer",
    .outputs = outputs,
    .options = option_specs,
    .options_size = sizeof(AdmOptions),
    .check_format = check_format,
    .needs = needs,
    .record_size = record_size,
    .plan_create = adm_plan_create,
    .plan_destroy = adm_plan_destroy,
    .scratch_create = adm_scratch_create,
    .scratch_destroy = adm_scratch_destroy,
    .accumulate = adm_accumulate,
    .merge = record_merge_sums,
    .finish = finish,
};
