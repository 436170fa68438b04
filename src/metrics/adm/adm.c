/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/adm/adm.h"

#include <errno.h>

#include "libvmaf/backend_records.h"
#include "metrics/adm/adm_accumulate.h"
#include "metrics/adm/adm_finish.h"
#include "metrics/adm/adm_geometry.h"

/* In the order of ADM_OUTPUT_*. */
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

static const OutputCondition conditions[] = {{ADM_OUTPUT_TOTAL, 3 + 2 * ADM_SCALES, "debug"}, {0}};

static int check_format(const void *opaque, const PictureFormat *format, Reason *why)
{
    (void)format;
    const AdmOptions *options = opaque;
    const double resolution = options->norm_view_dist * options->ref_display_height;
    if (resolution < ADM_MIN_RESOLUTION)
        return refuse(why, -EINVAL,
                      "adm needs adm_norm_view_dist times adm_ref_display_height to be at least "
                      "%g; it is %g",
                      ADM_MIN_RESOLUTION, resolution);
    return 0;
}

static bool is_possible(const void *opaque, const void *options, const PictureFormat *format)
{
    (void)format;
    const VmafRecordAdm *record = opaque;
    const AdmOptions *o = options;
    for (unsigned s = 0; s < ADM_SCALES; s++) {
        const bool skipped = s == 0 && o->skip_scale0;
        for (unsigned band = 0; band < ADM_BANDS; band++) {
            if ((skipped || o->skip_aim) && record->aim[s][band])
                return false;
            if (skipped && (record->den[s][band] || record->num[s][band]))
                return false;
        }
    }
    return true;
}

static int finish(const FinishInput *input, FeatureSink *sink)
{
    const AdmOptions *options = input->options;
    const AdmScores scores =
        adm_finish(options, input->record, input->format->w[0], input->format->h[0]);
    adm_scores_write(&scores, options->debug, sink);
    return 0;
}

const FeatureExtractor adm_extractor = {
    .name = "adm",
    .summary = "detail loss and additive impairment (ADM), integer",
    .outputs = outputs,
    .conditions = conditions,
    .options = adm_option_specs,
    .options_size = sizeof(AdmOptions),
    .check_format = check_format,
    .limits = {.size = ADM_MIN_SIZE, .depths = DEPTHS_8_TO_16},
    .needs = {.planes = PLANE_Y},
    .record = {.id = VMAF_RECORD_ADM,
               .version = VMAF_RECORD_ADM_VERSION,
               .size = sizeof(VmafRecordAdm),
               .is_possible = is_possible},
    .plan_create = adm_plan_create,
    .scratch_create = adm_scratch_create,
    .scratch_destroy = adm_scratch_destroy,
    .accumulate = adm_accumulate,
    .accumulate_shared = adm_accumulate_shared,
    .shared_rows = ADM_SHARED_ROWS,
    .merge = record_merge_sums,
    .finish = finish,
};
