/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/float_adm/float_adm.h"

#include <math.h>

#include "libvmaf/backend_records.h"
#include "metrics/float_adm/float_adm_accumulate.h"
#include "metrics/float_adm/float_adm_finish.h"

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

static const OutputCondition conditions[] = {{ADM_OUTPUT_TOTAL, 3 + 2 * ADM_SCALES, "debug"}, {0}};

/* Models may request it, though it is never written under this name. */
static const char *const also_provides[] = {"adm_scale0", NULL};

static size_t record_size(const void *options, const PictureFormat *format)
{
    (void)options;
    (void)format;
    return sizeof(VmafRecordFloatAdm);
}

static bool is_possible(const void *opaque, const void *options, const PictureFormat *format)
{
    (void)format;
    const VmafRecordFloatAdm *record = opaque;
    const FloatAdmOptions *o = options;
    for (unsigned s = 0; s < ADM_SCALES; s++) {
        const bool skipped = s == 0 && o->skip_scale0;
        for (unsigned band = 0; band < ADM_BANDS; band++) {
            const float sums[] = {record->den[s][band], record->num[s][band], record->aim[s][band]};
            for (unsigned i = 0; i < sizeof(sums) / sizeof(sums[0]); i++)
                if (!(sums[i] >= 0) || (o->p_norm <= 3 && isinf(sums[i])) ||
                    (skipped && sums[i] != 0))
                    return false;
        }
    }
    return true;
}

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
    .conditions = conditions,
    .also_provides = also_provides,
    .options = float_adm_option_specs,
    .options_size = sizeof(FloatAdmOptions),
    .limits = {.size = ADM_MIN_SIZE, .depths = DEPTHS_COMMON},
    .needs = {.planes = PLANE_Y},
    .record = {.id = VMAF_RECORD_FLOAT_ADM,
               .version = VMAF_RECORD_FLOAT_ADM_VERSION,
               .is_possible = is_possible,
               .is_bytes = true,
               .numbers = RECORD_OF_F32},
    .record_size = record_size,
    .plan_create = float_adm_plan_create,
    .scratch_create = float_adm_scratch_create,
    .scratch_destroy = float_adm_scratch_destroy,
    .accumulate = float_adm_accumulate,
    .finish = finish,
};
