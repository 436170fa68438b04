/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/float_ssim/ssim_internal.h"

#include <errno.h>

#include "libvmaf/backend_records.h"
#include "metrics/float_ssim/float_ssim.h"
#include "support/memory.h"

enum { OUTPUT_SSIM, OUTPUT_LUMINANCE, OUTPUT_CONTRAST, OUTPUT_STRUCTURE };

static const FeatureOutput outputs[] = {
    {"float_ssim", OUTPUT_PROVIDED},
    {"float_ssim_l", 0},
    {"float_ssim_c", 0},
    {"float_ssim_s", 0},
    {0},
};

static const OutputCondition conditions[] = {{OUTPUT_LUMINANCE, 3, "enable_lcs"}, {0}};

static int check_format(const void *options, const PictureFormat *format, Reason *why)
{
    const unsigned factor = float_ssim_factor(options, format->w[0], format->h[0]);
    const unsigned w = ssim_reduced_size(format->w[0], factor);
    const unsigned h = ssim_reduced_size(format->h[0], factor);
    if (factor > 1 && (w < SSIM_TAPS || h < SSIM_TAPS))
        return reason_set(
            why, -EINVAL,
            "float_ssim needs pictures of at least %dx%d samples after their reduction "
            "by %u, not %ux%u",
            SSIM_TAPS, SSIM_TAPS, factor, w, h);
    return 0;
}

static size_t record_size(const void *options, const PictureFormat *format)
{
    (void)options;
    (void)format;
    return sizeof(VmafRecordFloatSsim);
}

static bool is_possible(const void *opaque, const void *options, const PictureFormat *format)
{
    const VmafRecordFloatSsim *record = opaque;
    const FloatSsimOptions *o = options;
    const float largest = ssim_largest_structure(format, 0);
    return ssim_is_within(record->index, largest) &&
           ssim_is_possible_mean(record->luminance, -SSIM_LARGEST, o->enable_lcs) &&
           ssim_is_possible_mean(record->contrast, 0, o->enable_lcs) &&
           ssim_is_within(record->structure, o->enable_lcs ? largest : 0);
}

typedef struct FloatSsimVariant {
    unsigned factor;
    bool with_means;
} FloatSsimVariant;

typedef struct FloatSsimParams {
    PictureFormat format;
    SsimFunctions functions;
    unsigned n_variants;
    FloatSsimVariant variants[];
} FloatSsimParams;

typedef struct FloatSsimScratch {
    SsimCore *core;
    SsimReducer *reducer;
    float *planes[SSIM_PICTURES]; /* reduced pictures; NULL if none are */
} FloatSsimScratch;

static int params_create(void **created, const PictureFormat *format, const void *const variants[],
                         unsigned n_variants, unsigned cpu_flags)
{
    size_t size;
    if (!size_mul(n_variants, sizeof(FloatSsimVariant), &size) ||
        !size_add(size, sizeof(FloatSsimParams), &size))
        return -ENOMEM;
    FloatSsimParams *params = memory_alloc(1, size);
    if (!params)
        return -ENOMEM;
    params->format = *format;
    params->n_variants = n_variants;
    for (unsigned i = 0; i < n_variants; i++) {
        const FloatSsimOptions *options = variants[i];
        params->variants[i].factor = float_ssim_factor(options, format->w[0], format->h[0]);
        params->variants[i].with_means = options->enable_lcs;
    }
    ssim_functions_init(&params->functions, cpu_flags);
    *created = params;
    return 0;
}

static void scratch_destroy(void *opaque)
{
    FloatSsimScratch *scratch = opaque;
    if (!scratch)
        return;
    for (int p = 0; p < SSIM_PICTURES; p++)
        memory_free(scratch->planes[p]);
    ssim_reducer_destroy(scratch->reducer);
    ssim_core_destroy(scratch->core);
    memory_free(scratch);
}

static int scratch_create(void **created, const void *opaque)
{
    const FloatSsimParams *params = opaque;
    const unsigned w = params->format.w[0], h = params->format.h[0];
    size_t plane_size = 0;
    unsigned largest = 0; /* width that the core sees */
    for (unsigned i = 0; i < params->n_variants; i++) {
        const unsigned factor = params->variants[i].factor;
        const unsigned reduced = ssim_reduced_size(w, factor);
        size_t size;
        if (!size_mul(ssim_row_size(reduced), ssim_reduced_size(h, factor), &size))
            return -ENOMEM;
        if (factor > 1 && size > plane_size)
            plane_size = size;
        if (reduced > largest)
            largest = reduced;
    }

    FloatSsimScratch *scratch = memory_alloc_zeroed(1, sizeof(*scratch));
    if (!scratch)
        return -ENOMEM;
    int err = ssim_core_create(&scratch->core, &params->functions, largest);
    if (!err && plane_size)
        err = ssim_reducer_create(&scratch->reducer, w);
    for (int p = 0; p < SSIM_PICTURES && !err && plane_size; p++) {
        scratch->planes[p] = memory_alloc(plane_size, sizeof(float));
        if (!scratch->planes[p])
            err = -ENOMEM;
    }
    if (err) {
        scratch_destroy(scratch);
        return err;
    }
    *created = scratch;
    return 0;
}

static SsimMeans compare(const FloatSsimParams *params, FloatSsimScratch *scratch,
                         const FrameInput *input, unsigned factor)
{
    SsimImage images[SSIM_PICTURES] = {ssim_image_of_picture(input->ref),
                                       ssim_image_of_picture(input->dist)};
    for (int p = 0; p < SSIM_PICTURES && factor > 1; p++) {
        const unsigned w = ssim_reduced_size(images[p].w, factor);
        const unsigned h = ssim_reduced_size(images[p].h, factor);
        ssim_reduce(scratch->reducer, &params->functions, &images[p], factor, scratch->planes[p]);
        images[p] = ssim_image_of_plane(scratch->planes[p], w, h);
    }
    return ssim_compare(scratch->core, &images[0], &images[1], true);
}

static void write_record(VmafRecordFloatSsim *record, const SsimMeans *means, bool with_means)
{
    record->index = means->index;
    if (with_means) {
        record->luminance = means->luminance;
        record->contrast = means->contrast;
        record->structure = means->structure;
    }
}

static int accumulate(const void *opaque, void *scratch, const FrameInput *input, RowBand band,
                      void *const records[])
{
    const FloatSsimParams *params = opaque;
    (void)band; /* the whole frame */
    for (unsigned i = 0; i < params->n_variants; i++) {
        const unsigned factor = params->variants[i].factor;
        bool is_done = !records[i];
        for (unsigned k = 0; k < i && !is_done; k++)
            is_done = records[k] && params->variants[k].factor == factor;
        if (is_done)
            continue;
        /* Variants that differ in the means that they want share them. */
        const SsimMeans means = compare(params, scratch, input, factor);
        for (unsigned k = i; k < params->n_variants; k++) {
            if (records[k] && params->variants[k].factor == factor)
                write_record(records[k], &means, params->variants[k].with_means);
        }
    }
    return 0;
}

static int finish(const FinishInput *input, FeatureSink *sink)
{
    const FloatSsimOptions *o = input->options;
    const VmafRecordFloatSsim *means = input->record;
    double index = (double)means->index;
    if (o->enable_db)
        index = ssim_decibels(index, input->format, o->clip_db);
    feature_sink_write(sink, OUTPUT_SSIM, index);
    if (o->enable_lcs) {
        feature_sink_write(sink, OUTPUT_LUMINANCE, (double)means->luminance);
        feature_sink_write(sink, OUTPUT_CONTRAST, (double)means->contrast);
        feature_sink_write(sink, OUTPUT_STRUCTURE, (double)means->structure);
    }
    return 0;
}

const FeatureExtractor float_ssim_extractor = {
    .name = "float_ssim",
    .summary = "structural similarity of luma",
    .outputs = outputs,
    .conditions = conditions,
    .options = float_ssim_option_specs,
    .options_size = sizeof(FloatSsimOptions),
    .check_format = check_format,
    .limits = {.size = SSIM_TAPS, .depths = DEPTHS_COMMON},
    .needs = {.planes = PLANE_Y},
    .record = {.id = VMAF_RECORD_FLOAT_SSIM,
               .version = VMAF_RECORD_FLOAT_SSIM_VERSION,
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
