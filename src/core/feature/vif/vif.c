/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "feature/vif/vif.h"

#include <errno.h>

#include "feature/vif/vif_plan.h"
#include "libvmaf/backend_records.h"

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

static int check_format(const void *opaque, const PictureFormat *format, Reason *why)
{
    (void)opaque;
    if (format->w[0] < VIF_MIN_SIZE || format->h[0] < VIF_MIN_SIZE)
        return refuse(why, -EINVAL, "vif needs pictures of at least %dx%d; these are %ux%u",
                      VIF_MIN_SIZE, VIF_MIN_SIZE, format->w[0], format->h[0]);
    if (format->bpc < VIF_MIN_DEPTH || format->bpc > VIF_MAX_DEPTH)
        return refuse(why, -EINVAL, "vif needs 8 to 16 bits per sample; these have %u",
                      format->bpc);
    return 0;
}

static FeatureNeeds needs(const void *opaque, enum VmafPixelFormat pix_fmt)
{
    (void)opaque;
    (void)pix_fmt;
    return (FeatureNeeds){.planes = PLANE_Y};
}

static size_t record_size(const void *opaque, const PictureFormat *format)
{
    (void)opaque;
    (void)format;
    return sizeof(VmafRecordVif);
}

static int accumulate(const void *plan, void *scratch, const FrameInput *input, RowBand band,
                      void *const records[])
{
    const VifPlane planes[2] = {
        {input->ref->data[0], input->ref->stride[0]},
        {input->dist->data[0], input->dist->stride[0]},
    };
    vif_accumulate(plan, scratch, planes, band, records);
    return 0;
}

typedef struct ScaleScore {
    float num, den;
} ScaleScore;

/* Information in the distorted and in the reference picture, of one scale. The latter is not 0:
 * every pixel adds at least 1. */
static ScaleScore scale_score(const VmafRecordVif *record, int scale)
{
    /* Flat regions count 1 per pixel, less what the distortion adds: in units of record variance
     * over 4 * 255^2. */
    const double flat_loss = record->flat_variance[scale] / 16384.0 / 65025.0;
    const double flat_count = record->flat_count[scale];
    return (ScaleScore){
        .num = (float)(record->log_num[scale] / 2048.0 + (flat_count - flat_loss)),
        .den = (float)(record->log_den[scale] / 2048.0 + flat_count),
    };
}

static int finish(void *state, const FinishInput *input, FeatureSink *sink)
{
    (void)state;
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
    .options = vif_option_specs,
    .options_size = sizeof(VifOptions),
    .check_format = check_format,
    .needs = needs,
    .record_size = record_size,
    .plan_create = vif_plan_create,
    .plan_destroy = vif_plan_destroy,
    .scratch_create = vif_scratch_create,
    .scratch_destroy = vif_scratch_destroy,
    .accumulate = accumulate,
    .merge = record_merge_sums,
    .finish = finish,
};
