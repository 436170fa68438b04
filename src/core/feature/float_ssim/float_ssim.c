/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "feature/float_ssim/float_ssim.h"

#include <errno.h>

#include "feature/float_ssim/ssim_core.h"
#include "feature/float_ssim/ssim_decibels.h"
#include "feature/float_ssim/ssim_reduce.h"
#include "support/memory.h"

enum { OUTPUT_SSIM, OUTPUT_LUMINANCE, OUTPUT_CONTRAST, OUTPUT_STRUCTURE };

static const FeatureOutput outputs[] = {
    {"float_ssim", OUTPUT_PROVIDED},
    {"float_ssim_l", 0},
    {"float_ssim_c", 0},
    {"float_ssim_s", 0},
    {0},
};

static const OptionSpec option_specs[] = {
    {.name = "enable_lcs",
     .help = "also write the means of luminance, contrast and structure",
     .type = VMAF_OPTION_TYPE_BOOL,
     .offset = offsetof(FloatSsimOptions, enable_lcs)},
    SSIM_DECIBEL_OPTION_SPECS(FloatSsimOptions),
    {.name = "scale",
     .help = "factor by which pictures are reduced first; 0 takes a 256th of the shorter side",
     .type = VMAF_OPTION_TYPE_INT,
     .flags = OPTION_ACCUMULATE,
     .offset = offsetof(FloatSsimOptions, scale),
     .max = 10},
    {0},
};

unsigned float_ssim_factor(const FloatSsimOptions *options, const PictureFormat *format)
{
    if (options->scale > 0)
        return (unsigned)options->scale;
    const unsigned w = format->w[0], h = format->h[0];
    const unsigned factor = ((w < h ? w : h) + 128) / 256;
    return factor ? factor : 1;
}

static int check_format(const void *options, const PictureFormat *format, Reason *why)
{
    const unsigned factor = float_ssim_factor(options, format);
    const unsigned w = ssim_reduced_size(format->w[0], factor);
    const unsigned h = ssim_reduced_size(format->h[0], factor);
    if (factor > 1 && (w < SSIM_TAPS || h < SSIM_TAPS))
        return refuse(why, -EINVAL,
                      "float_ssim needs pictures of at least %dx%d samples after their reduction "
                      "by %u, not %ux%u",
                      SSIM_TAPS, SSIM_TAPS, factor, w, h);
    return 0;
}

typedef struct FloatSsimPlan {
    PictureFormat format;
    SsimKernels kernels;
    unsigned n_variants;
    unsigned factors[]; /* of each variant */
} FloatSsimPlan;

typedef struct FloatSsimScratch {
    SsimCore *core;
    SsimReducer *reducer;
    float *planes[SSIM_PICTURES]; /* reduced pictures; NULL if none are */
} FloatSsimScratch;

static int plan_create(void **created, const PictureFormat *format, const void *const variants[],
                       unsigned n_variants, unsigned cpu_flags)
{
    size_t size;
    if (!size_mul(n_variants, sizeof(unsigned), &size) ||
        !size_add(size, sizeof(FloatSsimPlan), &size))
        return -ENOMEM;
    FloatSsimPlan *plan = memory_alloc(1, size);
    if (!plan)
        return -ENOMEM;
    plan->format = *format;
    plan->n_variants = n_variants;
    for (unsigned i = 0; i < n_variants; i++)
        plan->factors[i] = float_ssim_factor(variants[i], format);
    ssim_kernels_init(&plan->kernels, cpu_flags);
    *created = plan;
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
    const FloatSsimPlan *plan = opaque;
    const unsigned w = plan->format.w[0], h = plan->format.h[0];
    size_t plane_size = 0;
    unsigned largest = 0; /* width that the core sees */
    for (unsigned i = 0; i < plan->n_variants; i++) {
        const unsigned factor = plan->factors[i];
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
    int err = ssim_core_create(&scratch->core, &plan->kernels, largest);
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

static SsimMeans compare(const FloatSsimPlan *plan, FloatSsimScratch *scratch,
                         const FrameInput *input, unsigned factor)
{
    SsimImage images[SSIM_PICTURES] = {ssim_image_of_picture(input->ref),
                                       ssim_image_of_picture(input->dist)};
    for (int p = 0; p < SSIM_PICTURES && factor > 1; p++) {
        const unsigned w = ssim_reduced_size(images[p].w, factor);
        const unsigned h = ssim_reduced_size(images[p].h, factor);
        ssim_reduce(scratch->reducer, &plan->kernels, &images[p], factor, scratch->planes[p]);
        images[p] = ssim_image_of_plane(scratch->planes[p], w, h);
    }
    return ssim_compare(scratch->core, &images[0], &images[1], true);
}

static int accumulate(const void *opaque, void *scratch, const FrameInput *input, RowBand band,
                      void *const records[])
{
    const FloatSsimPlan *plan = opaque;
    (void)band; /* the whole frame */
    for (unsigned i = 0; i < plan->n_variants; i++) {
        if (records[i])
            *(SsimMeans *)records[i] = compare(plan, scratch, input, plan->factors[i]);
    }
    return 0;
}

static int finish(const FinishInput *input, FeatureSink *sink)
{
    const FloatSsimOptions *o = input->options;
    const SsimMeans *means = input->record;
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
    .options = option_specs,
    .options_size = sizeof(FloatSsimOptions),
    .check_format = check_format,
    .limits = {.size = SSIM_TAPS, .depths = DEPTHS_COMMON},
    .needs = {.planes = PLANE_Y},
    .record = {.size = sizeof(SsimMeans)},
    .plan_create = plan_create,
    .scratch_create = scratch_create,
    .scratch_destroy = scratch_destroy,
    .accumulate = accumulate,
    .finish = finish,
};
