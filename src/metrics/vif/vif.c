/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/vif/vif.h"

#include "libvmaf/backend_records.h"
#include "metrics/common/record_bounds.h"
#include "metrics/vif/vif_plan.h"

enum {
    OUTPUT_SCORE, /* of scales 0 to 3 */
    OUTPUT_TOTAL = OUTPUT_SCORE + VIF_SCALES,
    OUTPUT_TOTAL_NUM,
    OUTPUT_TOTAL_DEN,
    OUTPUT_NUM_DEN, /* pairs, of scales 0 to 3 */
};

static const FeatureOutput outputs[] = {
    {"VMAF_integer_feature_vif_scale0_score", OUTPUT_PROVIDED},
    {"VMAF_integer_feature_vif_scale1_score", OUTPUT_PROVIDED},
    {"VMAF_integer_feature_vif_scale2_score", OUTPUT_PROVIDED},
    {"VMAF_integer_feature_vif_scale3_score", OUTPUT_PROVIDED},
    {"integer_vif", OUTPUT_PROVIDED},
    {"integer_vif_num", OUTPUT_PROVIDED},
    {"integer_vif_den", OUTPUT_PROVIDED},
    {"integer_vif_num_scale0", OUTPUT_PROVIDED},
    {"integer_vif_den_scale0", OUTPUT_PROVIDED},
    {"integer_vif_num_scale1", OUTPUT_PROVIDED},
    {"integer_vif_den_scale1", OUTPUT_PROVIDED},
    {"integer_vif_num_scale2", OUTPUT_PROVIDED},
    {"integer_vif_den_scale2", OUTPUT_PROVIDED},
    {"integer_vif_num_scale3", OUTPUT_PROVIDED},
    {"integer_vif_den_scale3", OUTPUT_PROVIDED},
    {0},
};

static const OutputCondition conditions[] = {{OUTPUT_TOTAL, 3 + 2 * VIF_SCALES, "debug"}, {0}};

static bool is_possible(const void *opaque, const void *options, const PictureFormat *format)
{
    enum { LARGEST_LOGARITHM = 28673 };
    const VmafRecordVif *record = opaque;
    const VifOptions *o = options;
    for (unsigned s = 0; s < VIF_SCALES; s++) {
        uint64_t n = (uint64_t)(format->w[0] >> s) * (format->h[0] >> s);
        if (s == 0 && o->skip_scale0)
            n = 0;
        if (!is_between(record->flat_count[s], n) ||
            !is_between(record->log_den[s], LARGEST_LOGARITHM * n) ||
            !is_between(record->log_num[s], LARGEST_LOGARITHM * n) ||
            !is_between(record->flat_variance[s], n << 31))
            return false;
    }
    return true;
}

static int accumulate_shared(const void *plan, void *scratch, const FrameInput *input, RowBand band,
                             void *const records[], ReferenceUse use)
{
    const VifPlane planes[2] = {
        {input->ref->data[0], input->ref->stride[0]},
        {input->dist->data[0], input->dist->stride[0]},
    };
    vif_accumulate_shared(plan, scratch, planes, band, records, use);
    return 0;
}

static int accumulate(const void *plan, void *scratch, const FrameInput *input, RowBand band,
                      void *const records[])
{
    return accumulate_shared(plan, scratch, input, band, records, REFERENCE_ALONE);
}

typedef struct ScaleScore {
    float num, den;
} ScaleScore;

/* Information in the distorted and in the reference picture at one scale. The latter is not 0:
 * every pixel adds at least 1. */
static ScaleScore scale_score(const VmafRecordVif *record, int scale)
{
    /* Flat regions count 1 per pixel, less 4 / 255^2 of flat_variance in squared grey levels. */
    const double flat_loss = record->flat_variance[scale] / 16384.0 / 65025.0;
    const double flat_count = record->flat_count[scale];
    return (ScaleScore){
        .num = (float)(record->log_num[scale] / 2048.0 + (flat_count - flat_loss)),
        .den = (float)(record->log_den[scale] / 2048.0 + flat_count),
    };
}

static int finish(const FinishInput *input, FeatureSink *sink)
{
    const VifOptions *opts = input->options;
    ScaleScore scales[VIF_SCALES];
    double total_num = 0, total_den = 0;
    for (int s = 0; s < VIF_SCALES; s++) {
        if (s == 0 && opts->skip_scale0) {
            scales[s] = (ScaleScore){0, -1}; /* the pair that libvmaf writes for a skipped scale */
            feature_sink_write(sink, OUTPUT_SCORE, 0);
            continue;
        }
        scales[s] = scale_score(input->record, s);
        total_num += (double)scales[s].num;
        total_den += (double)scales[s].den;
        const float score = scales[s].num / scales[s].den;
        feature_sink_write(sink, OUTPUT_SCORE + (unsigned)s, (double)score);
    }
    if (!opts->debug)
        return 0;
    feature_sink_write(sink, OUTPUT_TOTAL, total_num / total_den);
    feature_sink_write(sink, OUTPUT_TOTAL_NUM, total_num);
    feature_sink_write(sink, OUTPUT_TOTAL_DEN, total_den);
    for (unsigned s = 0; s < VIF_SCALES; s++) {
        feature_sink_write(sink, OUTPUT_NUM_DEN + 2 * s, (double)scales[s].num);
        feature_sink_write(sink, OUTPUT_NUM_DEN + 2 * s + 1, (double)scales[s].den);
    }
    return 0;
}

const FeatureExtractor vif_extractor = {
    .name = "vif",
    .summary = "visual information fidelity at four scales, fixed point",
    .outputs = outputs,
    .conditions = conditions,
    .options = vif_option_specs,
    .options_size = sizeof(VifOptions),
    .limits = {.size = VIF_MIN_SIZE, .depths = DEPTHS_8_TO_16},
    .needs = {.planes = PLANE_Y},
    .record = {.id = VMAF_RECORD_VIF,
               .version = VMAF_RECORD_VIF_VERSION,
               .size = sizeof(VmafRecordVif),
               .is_possible = is_possible},
    .plan_create = vif_plan_create,
    .scratch_create = vif_scratch_create,
    .scratch_destroy = vif_scratch_destroy,
    .accumulate = accumulate,
    .accumulate_shared = accumulate_shared,
    .shared_rows = VIF_SHARED_ROWS,
    .merge = record_merge_sums,
    .finish = finish,
};
