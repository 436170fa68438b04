/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "feature/adm/adm.h"

#include <errno.h>

#include "definition/adm/adm_geometry.h"
#include "feature/adm/adm_accumulate.h"
#include "feature/adm/adm_finish.h"
#include "libvmaf/backend_records.h"

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

static int check_format(const void *opaque, const PictureFormat *format, Reason *why)
{
    const AdmOptions *options = opaque;
    if (format->w[0] < ADM_MIN_SIZE || format->h[0] < ADM_MIN_SIZE)
        return refuse(why, -EINVAL, "adm needs pictures of at least %dx%d; these are %ux%u",
                      ADM_MIN_SIZE, ADM_MIN_SIZE, format->w[0], format->h[0]);
    if (format->bpc < ADM_MIN_DEPTH || format->bpc > ADM_MAX_DEPTH)
        return refuse(why, -EINVAL, "adm needs 8 to 16 bits per sample; these have %u",
                      format->bpc);
    const double resolution = options->norm_view_dist * options->ref_display_height;
    if (resolution < ADM_MIN_RESOLUTION)
        return refuse(why, -EINVAL,
                      "adm needs adm_norm_view_dist times adm_ref_display_height to be at least "
                      "%g; it is %g",
                      ADM_MIN_RESOLUTION, resolution);
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
    .options = adm_option_specs,
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
