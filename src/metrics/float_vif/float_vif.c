/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>

#include "metrics/common/format_check.h"
#include "metrics/common/gaussian_scale.h"
#include "metrics/common/resample.h"
#include "metrics/float_vif/float_vif_plan.h"
#include "metrics/float_vif/float_vif_window.h"

enum { MAXIMUM_BILINEAR_WIDTH = 7680 };

enum {
    OUTPUT_SCALE0,
    OUTPUT_TOTAL = OUTPUT_SCALE0 + FLOAT_VIF_SCALES,
    OUTPUT_TOTAL_NUM,
    OUTPUT_TOTAL_DEN,
    OUTPUT_NUM_SCALE0, /* num and den of each scale alternate */
    OUTPUT_DEN_SCALE0,
};

static const FeatureOutput outputs[] = {
    {"VMAF_feature_vif_scale0_score", OUTPUT_PROVIDED},
    {"VMAF_feature_vif_scale1_score", OUTPUT_PROVIDED},
    {"VMAF_feature_vif_scale2_score", OUTPUT_PROVIDED},
    {"VMAF_feature_vif_scale3_score", OUTPUT_PROVIDED},
    {"vif", OUTPUT_PROVIDED},
    {"vif_num", OUTPUT_PROVIDED},
    {"vif_den", OUTPUT_PROVIDED},
    {"vif_num_scale0", OUTPUT_PROVIDED},
    {"vif_den_scale0", OUTPUT_PROVIDED},
    {"vif_num_scale1", OUTPUT_PROVIDED},
    {"vif_den_scale1", OUTPUT_PROVIDED},
    {"vif_num_scale2", OUTPUT_PROVIDED},
    {"vif_den_scale2", OUTPUT_PROVIDED},
    {"vif_num_scale3", OUTPUT_PROVIDED},
    {"vif_den_scale3", OUTPUT_PROVIDED},
    {0},
};

static const OutputCondition conditions[] = {{OUTPUT_TOTAL, 3 + 2 * FLOAT_VIF_SCALES, "debug"},
                                             {0}};

/* A ratio that is not a number becomes the limit. */
static double at_least(double value, double limit)
{
    return value > limit ? value : limit;
}

static void write_debug(const VmafRecordFloatVif *record, bool skip_scale0, FeatureSink *sink)
{
    double num = 0, den = 0;
    for (int s = skip_scale0 ? 1 : 0; s < FLOAT_VIF_SCALES; s++) {
        num += (double)record->num[s];
        den += (double)record->den[s];
    }
    feature_sink_write(sink, OUTPUT_TOTAL, den == 0 ? 1 : num / den);
    feature_sink_write(sink, OUTPUT_TOTAL_NUM, num);
    feature_sink_write(sink, OUTPUT_TOTAL_DEN, den);
    for (int s = 0; s < FLOAT_VIF_SCALES; s++) {
        const bool skipped = s == 0 && skip_scale0;
        feature_sink_write(sink, OUTPUT_NUM_SCALE0 + 2 * (unsigned)s,
                           skipped ? 0 : (double)record->num[s]);
        feature_sink_write(sink, OUTPUT_DEN_SCALE0 + 2 * (unsigned)s,
                           skipped ? -1 : (double)record->den[s]);
    }
}

static int finish(const FinishInput *input, FeatureSink *sink)
{
    const FloatVifOptions *o = input->options;
    const VmafRecordFloatVif *record = input->record;
    for (int s = 0; s < FLOAT_VIF_SCALES; s++) {
        double score = (double)record->num[s] / (double)record->den[s];
        if (s == 0 && o->vif_skip_scale0)
            score = 0;
        else if (s > 0)
            score = at_least(score, o->vif_scale_min_val[s]);
        feature_sink_write(sink, OUTPUT_SCALE0 + (unsigned)s, score);
    }
    if (o->debug)
        write_debug(record, o->vif_skip_scale0, sink);
    return 0;
}

static size_t record_size(const void *options, const PictureFormat *format)
{
    (void)options;
    (void)format;
    return sizeof(VmafRecordFloatVif);
}

static bool is_possible(const void *opaque, const void *options, const PictureFormat *format)
{
    const VmafRecordFloatVif *record = opaque;
    const FloatVifOptions *o = options;
    unsigned w, h;
    float_vif_size(o, format->w[0], format->h[0], &w, &h);
    for (unsigned s = 0; s < FLOAT_VIF_SCALES; s++) {
        float n = (float)(w >> s) * (float)(h >> s);
        if (s == 0 && o->vif_skip_scale0)
            n = 0;
        const float most = 256 * n, least = -1048576 * n;
        const bool is_within = record->den[s] >= 0 && record->den[s] <= most &&
                               record->num[s] >= least && record->num[s] <= most;
        if (!is_within)
            return false;
    }
    return true;
}

static int check_options(const void *opaque, Reason *why)
{
    const FloatVifOptions *o = opaque;
    ResampleMethod method;
    int err = gaussian_scale_check("vif_kernelscale", o->vif_kernelscale, why);
    if (err)
        return err;
    return resample_method_parse("vif_prescale_method", o->vif_prescale_method, &method, why);
}

/* Every window must fit into its scale, with one mirrored side at most. */
static int check_windows(const FloatVifOptions *o, unsigned w, unsigned h, Reason *why)
{
    unsigned minimum = 0;
    for (int s = o->vif_skip_scale0 ? 1 : 0; s < FLOAT_VIF_SCALES; s++) {
        const unsigned needed = ((unsigned)float_vif_window(o->vif_kernelscale, s).radius + 1) << s;
        minimum = needed > minimum ? needed : minimum;
    }
    if (w >= minimum && h >= minimum)
        return 0;
    return refuse(why, -EINVAL,
                  "float_vif with such a window needs pictures of at least %ux%u samples%s, not "
                  "%ux%u",
                  minimum, minimum, o->vif_prescale == 1 ? "" : " after resizing", w, h);
}

/* Mirroring needs a few samples of the source in each direction. */
static int check_resampling(const FloatVifOptions *o, const PictureFormat *format, unsigned w,
                            unsigned h, Reason *why)
{
    static const unsigned minimum_source[] = {
        [RESAMPLE_NEAREST] = 1,
        [RESAMPLE_BILINEAR] = 2,
        [RESAMPLE_BICUBIC] = 3,
        [RESAMPLE_LANCZOS4] = 6,
    };
    const ResampleMethod method = resample_method(o->vif_prescale_method);
    if (method == RESAMPLE_BILINEAR && w > MAXIMUM_BILINEAR_WIDTH)
        return refuse(why, -EINVAL,
                      "float_vif with bilinear resizing makes at most %d columns, not %u",
                      MAXIMUM_BILINEAR_WIDTH, w);
    const bool resizes = w != format->w[0] || h != format->h[0];
    return resizes
               ? check_minimum_size("float_vif with resizing", format, minimum_source[method], why)
               : 0;
}

static int check_format(const void *opaque, const PictureFormat *format, Reason *why)
{
    const FloatVifOptions *o = opaque;
    unsigned w, h;
    float_vif_size(o, format->w[0], format->h[0], &w, &h);
    const int err = check_windows(o, w, h, why);
    if (err)
        return err;
    return check_resampling(o, format, w, h, why);
}

const FeatureExtractor float_vif_extractor = {
    .name = "float_vif",
    .summary = "visual information fidelity at four scales, in floating point",
    .outputs = outputs,
    .conditions = conditions,
    .options = float_vif_option_specs,
    .options_size = sizeof(FloatVifOptions),
    .check_options = check_options,
    .check_format = check_format,
    .limits = {.depths = DEPTHS_COMMON},
    .needs = {.planes = PLANE_Y},
    .record = {.id = VMAF_RECORD_FLOAT_VIF,
               .version = VMAF_RECORD_FLOAT_VIF_VERSION,
               .is_possible = is_possible,
               .is_bytes = true,
               .numbers = RECORD_OF_F32},
    .record_size = record_size,
    .plan_create = float_vif_plan_create,
    .plan_destroy = float_vif_plan_destroy,
    .scratch_create = float_vif_scratch_create,
    .scratch_destroy = float_vif_scratch_destroy,
    .accumulate = float_vif_accumulate,
    .finish = finish,
};
