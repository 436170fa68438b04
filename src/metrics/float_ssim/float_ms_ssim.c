/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/float_ssim/ssim_internal.h"

#include <errno.h>

#include "libvmaf/backend_records.h"
#include "metrics/common/math/math_functions.h"
#include "metrics/float_ssim/float_ssim.h"
#include "support/memory.h"

enum { N_SCALES = MS_SSIM_SCALES };

enum {
    OUTPUT_MS_SSIM,
    OUTPUT_LUMINANCE,
    OUTPUT_CONTRAST = OUTPUT_LUMINANCE + N_SCALES,
    OUTPUT_STRUCTURE = OUTPUT_CONTRAST + N_SCALES,
};

static const FeatureOutput outputs[] = {
    {"float_ms_ssim", OUTPUT_PROVIDED},
    {"float_ms_ssim_l_scale0", 0},
    {"float_ms_ssim_l_scale1", 0},
    {"float_ms_ssim_l_scale2", 0},
    {"float_ms_ssim_l_scale3", 0},
    {"float_ms_ssim_l_scale4", 0},
    {"float_ms_ssim_c_scale0", 0},
    {"float_ms_ssim_c_scale1", 0},
    {"float_ms_ssim_c_scale2", 0},
    {"float_ms_ssim_c_scale3", 0},
    {"float_ms_ssim_c_scale4", 0},
    {"float_ms_ssim_s_scale0", 0},
    {"float_ms_ssim_s_scale1", 0},
    {"float_ms_ssim_s_scale2", 0},
    {"float_ms_ssim_s_scale3", 0},
    {"float_ms_ssim_s_scale4", 0},
    {0},
};

static const OutputCondition conditions[] = {{OUTPUT_LUMINANCE, 3 * N_SCALES, "enable_lcs"}, {0}};

static size_t record_size(const void *options, const PictureFormat *format)
{
    (void)options;
    (void)format;
    return sizeof(VmafRecordFloatMsSsim);
}

static bool is_possible(const void *opaque, const void *options, const PictureFormat *format)
{
    const VmafRecordFloatMsSsim *record = opaque;
    const FloatMsSsimOptions *o = options;
    for (unsigned s = 0; s < N_SCALES; s++) {
        const bool with_luminance = o->enable_lcs || s == N_SCALES - 1;
        if (!ssim_is_possible_mean(record->luminance[s], -SSIM_LARGEST, with_luminance) ||
            !ssim_is_possible_mean(record->contrast[s], 0, true) ||
            !ssim_is_within(record->structure[s], ssim_largest_structure(format, s)))
            return false;
    }
    return true;
}

typedef struct FloatMsSsimParams {
    unsigned w[N_SCALES], h[N_SCALES];
    SsimFunctions functions;
    bool with_luminance; /* of all scales, for any variant */
    unsigned n_variants;
    bool wants_luminance[]; /* each variant */
} FloatMsSsimParams;

typedef struct FloatMsSsimScratch {
    SsimCore *core;
    SsimPyramid *pyramid;
    float *planes[SSIM_PICTURES][N_SCALES]; /* from scale 1 */
} FloatMsSsimScratch;

static int params_create(void **created, const PictureFormat *format, const void *const variants[],
                         unsigned n_variants, unsigned cpu_flags)
{
    size_t size;
    if (!size_mul(n_variants, sizeof(bool), &size) ||
        !size_add(size, sizeof(FloatMsSsimParams), &size))
        return -ENOMEM;
    FloatMsSsimParams *params = memory_alloc_zeroed(1, size);
    if (!params)
        return -ENOMEM;
    params->w[0] = format->w[0];
    params->h[0] = format->h[0];
    for (int s = 1; s < N_SCALES; s++) {
        params->w[s] = ssim_pyramid_size(params->w[s - 1]);
        params->h[s] = ssim_pyramid_size(params->h[s - 1]);
    }
    params->n_variants = n_variants;
    for (unsigned i = 0; i < n_variants; i++) {
        params->wants_luminance[i] = ((const FloatMsSsimOptions *)variants[i])->enable_lcs;
        params->with_luminance |= params->wants_luminance[i];
    }
    ssim_functions_init(&params->functions, cpu_flags);
    *created = params;
    return 0;
}

static void scratch_destroy(void *opaque)
{
    FloatMsSsimScratch *scratch = opaque;
    if (!scratch)
        return;
    for (int p = 0; p < SSIM_PICTURES; p++) {
        for (int s = 1; s < N_SCALES; s++)
            memory_free(scratch->planes[p][s]);
    }
    ssim_pyramid_destroy(scratch->pyramid);
    ssim_core_destroy(scratch->core);
    memory_free(scratch);
}

static int scratch_create(void **created, const void *opaque)
{
    const FloatMsSsimParams *params = opaque;
    FloatMsSsimScratch *scratch = memory_alloc_zeroed(1, sizeof(*scratch));
    if (!scratch)
        return -ENOMEM;
    int err = ssim_core_create(&scratch->core, &params->functions, params->w[0]);
    if (!err)
        err = ssim_pyramid_create(&scratch->pyramid, params->w[0]);
    for (int p = 0; p < SSIM_PICTURES && !err; p++) {
        for (int s = 1; s < N_SCALES && !err; s++) {
            size_t size;
            if (size_mul(ssim_row_size(params->w[s]), params->h[s], &size))
                scratch->planes[p][s] = memory_alloc(size, sizeof(float));
            if (!scratch->planes[p][s])
                err = -ENOMEM;
        }
    }
    if (err) {
        scratch_destroy(scratch);
        return err;
    }
    *created = scratch;
    return 0;
}

static VmafRecordFloatMsSsim compare(const FloatMsSsimParams *params, FloatMsSsimScratch *scratch,
                                     const FrameInput *input)
{
    SsimImage images[SSIM_PICTURES] = {ssim_image_of_picture(input->ref),
                                       ssim_image_of_picture(input->dist)};
    VmafRecordFloatMsSsim record;
    for (int s = 0; s < N_SCALES; s++) {
        for (int p = 0; p < SSIM_PICTURES && s > 0; p++) {
            float *plane = scratch->planes[p][s];
            ssim_pyramid_step(scratch->pyramid, &params->functions, &images[p], plane);
            images[p] = ssim_image_of_plane(plane, params->w[s], params->h[s]);
        }
        const bool with_luminance = params->with_luminance || s == N_SCALES - 1;
        const SsimMeans means = ssim_compare(scratch->core, &images[0], &images[1], with_luminance);
        record.luminance[s] = means.luminance;
        record.contrast[s] = means.contrast;
        record.structure[s] = means.structure;
    }
    return record;
}

static int accumulate(const void *opaque, void *scratch, const FrameInput *input, RowBand band,
                      void *const records[])
{
    const FloatMsSsimParams *params = opaque;
    (void)band; /* the whole frame */
    const VmafRecordFloatMsSsim means = compare(params, scratch, input);
    for (unsigned i = 0; i < params->n_variants; i++) {
        VmafRecordFloatMsSsim *record = records[i];
        if (!record)
            continue;
        *record = means;
        for (int s = 0; s < N_SCALES - 1 && !params->wants_luminance[i]; s++)
            record->luminance[s] = 0;
    }
    return 0;
}

/* Exponents of contrast and structure, from the paper; that of luminance is the last one at the
 * last scale, and 0 before. */
static const float exponents[N_SCALES] = {0.0448f, 0.2856f, 0.3001f, 0.2363f, 0.1333f};

static double combine(const VmafRecordFloatMsSsim *record)
{
    double product = 1;
    for (int s = 0; s < N_SCALES; s++) {
        const double exponent = (double)exponents[s];
        double contrast = math_pow((double)record->contrast[s], exponent);
        if (s == N_SCALES - 1)
            contrast = math_pow((double)record->luminance[s], exponent) * contrast;
        product *= contrast * math_pow((double)record->structure[s], exponent);
    }
    return product;
}

static int finish(const FinishInput *input, FeatureSink *sink)
{
    const FloatMsSsimOptions *o = input->options;
    const VmafRecordFloatMsSsim *record = input->record;
    double index = combine(record);
    if (o->enable_db)
        index = ssim_decibels(index, input->format, o->clip_db);
    feature_sink_write(sink, OUTPUT_MS_SSIM, index);
    for (unsigned s = 0; s < N_SCALES && o->enable_lcs; s++)
        feature_sink_write(sink, OUTPUT_LUMINANCE + s, (double)record->luminance[s]);
    for (unsigned s = 0; s < N_SCALES && o->enable_lcs; s++)
        feature_sink_write(sink, OUTPUT_CONTRAST + s, (double)record->contrast[s]);
    for (unsigned s = 0; s < N_SCALES && o->enable_lcs; s++)
        feature_sink_write(sink, OUTPUT_STRUCTURE + s, (double)record->structure[s]);
    return 0;
}

const FeatureExtractor float_ms_ssim_extractor = {
    .name = "float_ms_ssim",
    .summary = "structural similarity of luma over five scales",
    .outputs = outputs,
    .conditions = conditions,
    .options = float_ms_ssim_option_specs,
    .options_size = sizeof(FloatMsSsimOptions),
    .limits = {.size = MS_SSIM_MINIMUM_SIZE, .depths = DEPTHS_COMMON},
    .needs = {.planes = PLANE_Y},
    .record = {.id = VMAF_RECORD_FLOAT_MS_SSIM,
               .version = VMAF_RECORD_FLOAT_MS_SSIM_VERSION,
               .is_possible = is_possible,
               .is_bytes = true,
               .numbers = RECORD_OF_F32},
    .record_size = record_size,
    .params_create = params_create,
    .scratch_create = scratch_create,
    .scratch_destroy = scratch_destroy,
    .accumulate = accumulate,
    .finish = finish,
};
