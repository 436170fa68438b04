/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/float_vif/float_vif_plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool same_pyramid(const FloatVifOptions *a, const FloatVifOptions *b)
{
    return a->vif_kernelscale == b->vif_kernelscale && a->vif_prescale == b->vif_prescale &&
           !strcmp(a->vif_prescale_method, b->vif_prescale_method);
}

static int pyramid_init(FloatVifPyramid *pyramid, const FloatVifOptions *options,
                        const PictureFormat *format)
{
    *pyramid = (FloatVifPyramid){.options = options};
    float_vif_size(options, format->w[0], format->h[0], &pyramid->w[0], &pyramid->h[0]);
    for (int s = 0; s < FLOAT_VIF_SCALES; s++) {
        pyramid->w[s] = pyramid->w[0] >> s;
        pyramid->h[s] = pyramid->h[0] >> s;
        pyramid->windows[s] = float_vif_window(options->vif_kernelscale, s);
    }
    if (pyramid->w[0] == format->w[0] && pyramid->h[0] == format->h[0])
        return 0;
    return resampler_create(&pyramid->resampler, resample_method(options->vif_prescale_method),
                            format->w[0], format->h[0], pyramid->w[0], pyramid->h[0]);
}

/* The pyramid that a variant looks at, made if there is none. */
static int find_pyramid(FloatVifPlan *plan, const FloatVifOptions *options, unsigned *found)
{
    for (*found = 0; *found < plan->n_pyramids; ++*found) {
        if (same_pyramid(plan->pyramids[*found].options, options))
            return 0;
    }
    int err = pyramid_init(&plan->pyramids[*found], options, &plan->format);
    plan->n_pyramids++;
    return err;
}

static void note_sizes(FloatVifPlan *plan, const FloatVifPyramid *pyramid)
{
    if (pyramid->w[0] > plan->max_w)
        plan->max_w = pyramid->w[0];
    if (pyramid->h[0] > plan->max_h)
        plan->max_h = pyramid->h[0];
    for (int s = 0; s < FLOAT_VIF_SCALES; s++) {
        if (pyramid->windows[s].radius > plan->max_radius)
            plan->max_radius = pyramid->windows[s].radius;
    }
    plan->resizes = plan->resizes || pyramid->resampler;
}

int float_vif_plan_create(void **out, const PictureFormat *format, const void *const variants[],
                          unsigned n_variants, unsigned cpu_flags)
{
    int err = -ENOMEM;
    FloatVifPlan *plan = calloc(1, sizeof(*plan));
    if (!plan)
        return err;
    plan->format = *format;
    plan->to_8bit = 1.0f / (float)(1u << (format->bpc - 8));
    plan->n_variants = n_variants;
    float_vif_kernels_init(&plan->kernels, cpu_flags);
    plan->variants = calloc(n_variants, sizeof(*plan->variants));
    plan->pyramids = calloc(n_variants, sizeof(*plan->pyramids));
    if (!plan->variants || !plan->pyramids)
        goto fail;
    for (unsigned i = 0; i < n_variants; i++) {
        const FloatVifOptions *options = variants[i];
        FloatVifVariant *variant = &plan->variants[i];
        err = find_pyramid(plan, options, &variant->pyramid);
        if (err)
            goto fail;
        variant->parameters = float_vif_parameters(options);
        variant->skip_scale0 = options->vif_skip_scale0;
        FloatVifPyramid *pyramid = &plan->pyramids[variant->pyramid];
        pyramid->needs_scale0 = pyramid->needs_scale0 || !variant->skip_scale0;
        note_sizes(plan, pyramid);
    }
    *out = plan;
    return 0;

fail:
    float_vif_plan_destroy(plan);
    return err;
}

void float_vif_plan_destroy(void *opaque)
{
    FloatVifPlan *plan = opaque;
    if (!plan)
        return;
    for (unsigned i = 0; i < plan->n_pyramids; i++)
        resampler_destroy(plan->pyramids[i].resampler);
    free(plan->pyramids);
    free(plan->variants);
    free(plan);
}
