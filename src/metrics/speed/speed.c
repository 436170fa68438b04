/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/speed/speed.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "libvmaf/backend_records.h"
#include "metrics/common/resample.h"
#include "metrics/framework/extractor.h"
#include "metrics/speed/speed_internal.h"
#include "support/cpu.h"

ISA_DECLARE(SpeedFunctions, speed_functions);

void speed_functions_init(SpeedFunctions *functions, unsigned cpu_flags)
{
    *functions = *ISA_SELECT(speed_functions, cpu_flags);
}

/* -- limits -- */

int speed_check_options(const void *opaque, Reason *why)
{
    const SpeedOptions *options = opaque;
    ResampleMethod method;
    int err = gaussian_scale_check("speed_kernelscale", options->speed_kernelscale, why);
    if (err)
        return err;
    return resample_method_parse("speed_prescale_method", options->speed_prescale_method, &method,
                                 why);
}

int speed_check_planes(const char *what, const SpeedOptions *options, const PictureFormat *format,
                       unsigned plane, Reason *why)
{
    const SpeedGeometry geometry =
        speed_geometry(format->w[plane], format->h[plane], options->speed_prescale);
    if (speed_geometry_fits(&geometry))
        return 0;
    return reason_set(why, -EINVAL, "%s of at least %dx%d samples%s, not %ux%u", what,
                      SPEED_MIN_SIZE, SPEED_MIN_SIZE,
                      options->speed_prescale == 1 ? "" : " after resizing", geometry.scaled_w,
                      geometry.scaled_h);
}

/* -- records -- */

enum { PICTURES = 2, LARGEST_GAIN = 64 };

size_t speed_record_size(const void *opaque, const PictureFormat *format, unsigned first_plane,
                         unsigned n_planes)
{
    const SpeedOptions *options = opaque;
    const SpeedGeometry g =
        speed_geometry(format->w[first_plane], format->h[first_plane], options->speed_prescale);
    return (size_t)g.blocks_w * g.blocks_h * n_planes * PICTURES * sizeof(float);
}

/* Weights of resized samples add up to less than 16 in absolute value: at most 3.75 along each axis
 * (bilinear, where it extrapolates), 1.375 (bicubic), 1.72 (lanczos4, normalised). The filters have
 * positive taps that add up to 1 but for rounding, and the local mean is subtracted: that is 32 and
 * a little for rounding. */
bool speed_record_is_possible(const void *record, size_t size, const PictureFormat *format)
{
    const float *numbers = record;
    const float most =
        LARGEST_GAIN * (float)largest_sample(format) / (float)(1u << (format->bpc - 8));
    for (size_t i = 0; i < size / sizeof(*numbers); i++) {
        if (!(fabsf(numbers[i]) <= most))
            return false;
    }
    return true;
}

/* Stored somewhere, a truth value may have become anything. */
bool speed_scores_are_possible(const void *condensed)
{
    unsigned char truths[sizeof(((SpeedScores *)NULL)->degenerate)];
    memcpy(truths, (const char *)condensed + offsetof(SpeedScores, degenerate), sizeof(truths));
    bool possible = true;
    for (size_t i = 0; i < sizeof(truths); i++)
        possible &= truths[i] <= 1;
    return possible;
}

/* -- accumulate -- */

static SpeedSource source_of(const SpeedParams *params, const SpeedView *view,
                             const FrameInput *input, int picture, unsigned plane)
{
    SpeedSource source = {
        .picture = picture == SPEED_REFERENCE ? input->ref : input->dist,
        .plane = params->first_plane + plane,
        .bpc = params->bpc,
    };
    if (params->is_temporal) {
        source.less = picture == SPEED_REFERENCE || view->use_ref_diff ? input->ref : input->dist;
        source.picture =
            picture == SPEED_REFERENCE ? input->earlier_ref[0] : input->earlier_dist[0];
    }
    return source;
}

static void store_plane(const SpeedGeometry *g, const SpeedResidualScratch *residual, float *out)
{
    for (unsigned y = 0; y < g->blocks_h; y++)
        memcpy(out + (size_t)y * g->blocks_w, residual->residual + y * residual->stride,
               g->blocks_w * sizeof(*out));
}

int speed_accumulate(const void *opaque, void *opaque_scratch, const FrameInput *input,
                     RowBand band, void *const records[])
{
    (void)band;
    const SpeedParams *params = opaque;
    SpeedScratch *scratch = opaque_scratch;
    if (params->is_temporal && !input->earlier_ref[0])
        return 0;
    for (unsigned v = 0; v < params->n_views; v++) {
        const SpeedView *view = &params->views[v];
        const size_t n = speed_plane_samples(&view->geometry);
        float *const record = speed_record_of_view(params, v, records);
        for (unsigned i = 0; record && i < params->n_planes * SPEED_PICTURES; i++) {
            const SpeedSource source =
                source_of(params, view, input, i % SPEED_PICTURES, i / SPEED_PICTURES);
            speed_residual(view, &params->functions, &source, &scratch->residual);
            store_plane(&view->geometry, &scratch->residual, record + i * n);
        }
        for (unsigned i = 0; record && i < params->n_variants; i++) {
            if (records[i] && records[i] != record && params->variants[i].view == v)
                memcpy(records[i], record, params->n_planes * SPEED_PICTURES * n * sizeof(*record));
        }
    }
    return 0;
}

/* -- speed_chroma -- */

enum { OUTPUT_U, OUTPUT_V, OUTPUT_UV };

enum { LUMA, CHROMA, N_CHROMA = 2 }; /* planes */

static const FeatureOutput chroma_outputs[] = {
    {"Speed_chroma_feature_speed_chroma_u_score", OUTPUT_PROVIDED},
    {"Speed_chroma_feature_speed_chroma_v_score", OUTPUT_PROVIDED},
    {"Speed_chroma_feature_speed_chroma_uv_score", OUTPUT_PROVIDED},
    {0},
};

static size_t chroma_record_size(const void *options, const PictureFormat *format)
{
    return speed_record_size(options, format, CHROMA, N_CHROMA);
}

static bool chroma_is_possible(const void *record, const void *options, const PictureFormat *format)
{
    return speed_record_is_possible(record, chroma_record_size(options, format), format);
}

static int chroma_check_format(const void *options, const PictureFormat *format, Reason *why)
{
    return speed_check_planes("speed_chroma needs chroma planes", options, format, CHROMA, why);
}

/* The mean of both planes, unless only one of them has valid statistics. */
static float combined(const SpeedScores *scores)
{
    const float u = scores->score[0], v = scores->score[1];
    if (scores->degenerate[0] && !scores->degenerate[1])
        return v;
    if (scores->degenerate[1] && !scores->degenerate[0])
        return u;
    return (float)((double)(u + v) / 2.0);
}

/* A score that is not a number becomes the limit. */
static double at_most(float score, double limit)
{
    return (double)score < limit ? (double)score : limit;
}

static int chroma_finish(const FinishInput *input, FeatureSink *sink)
{
    const SpeedOptions *options = input->options;
    const SpeedScores *scores = input->record;
    const double limit = options->speed_max_val;
    feature_sink_write(sink, OUTPUT_U, at_most(scores->score[0], limit));
    feature_sink_write(sink, OUTPUT_V, at_most(scores->score[1], limit));
    feature_sink_write(sink, OUTPUT_UV, at_most(combined(scores), limit));
    return 0;
}

const FeatureExtractor speed_chroma_extractor = {
    .name = "speed_chroma",
    .summary = "entropic difference of chroma (SpEED)",
    .outputs = chroma_outputs,
    .options = speed_chroma_option_specs,
    .options_size = sizeof(SpeedOptions),
    .check_options = speed_check_options,
    .check_format = chroma_check_format,
    .limits = {.depths = DEPTHS_COMMON, .chroma = true},
    .needs = {.planes = PLANE_CHROMA},
    .record = {.id = VMAF_RECORD_SPEED_CHROMA,
               .version = VMAF_RECORD_SPEED_CHROMA_VERSION,
               .is_possible = chroma_is_possible,
               .is_bytes = true,
               .numbers = RECORD_OF_F32},
    .condensed = SPEED_CONDENSED,
    .record_size = chroma_record_size,
    .params_create = speed_chroma_plan_create,
    .params_destroy = speed_params_destroy,
    .scratch_create = speed_scratch_create,
    .scratch_destroy = speed_scratch_destroy,
    .accumulate = speed_accumulate,
    .condense = speed_condense,
    .finish = chroma_finish,
};

/* -- speed_temporal -- */

static const FeatureOutput temporal_outputs[] = {
    {"Speed_temporal_feature_speed_temporal_score", OUTPUT_PROVIDED},
    {0},
};

static size_t temporal_record_size(const void *options, const PictureFormat *format)
{
    return speed_record_size(options, format, LUMA, 1);
}

static bool temporal_is_possible(const void *record, const void *options,
                                 const PictureFormat *format)
{
    return speed_record_is_possible(record, temporal_record_size(options, format), format);
}

static int temporal_check_format(const void *options, const PictureFormat *format, Reason *why)
{
    return speed_check_planes("speed_temporal needs pictures", options, format, LUMA, why);
}

/* The record of the first frame, which has no predecessor, is zero. */
static int temporal_finish(const FinishInput *input, FeatureSink *sink)
{
    const SpeedScores *scores = input->record;
    feature_sink_write(sink, 0, (double)scores->score[0]);
    return 0;
}

const FeatureExtractor speed_temporal_extractor = {
    .name = "speed_temporal",
    .summary = "entropic difference of the change from frame to frame (SpEED)",
    .flags = EXTRACTOR_EVERY_FRAME,
    .outputs = temporal_outputs,
    .options = speed_temporal_option_specs,
    .options_size = sizeof(SpeedOptions),
    .check_options = speed_check_options,
    .check_format = temporal_check_format,
    .limits = {.depths = DEPTHS_COMMON},
    .needs = {.planes = PLANE_Y, .ref_history = 1, .dist_history = 1},
    .record = {.id = VMAF_RECORD_SPEED_TEMPORAL,
               .version = VMAF_RECORD_SPEED_TEMPORAL_VERSION,
               .is_possible = temporal_is_possible,
               .is_bytes = true,
               .numbers = RECORD_OF_F32},
    .condensed = SPEED_CONDENSED,
    .record_size = temporal_record_size,
    .params_create = speed_temporal_plan_create,
    .params_destroy = speed_params_destroy,
    .scratch_create = speed_scratch_create,
    .scratch_destroy = speed_scratch_destroy,
    .accumulate = speed_accumulate,
    .condense = speed_condense,
    .finish = temporal_finish,
};
