/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/speed/speed_internal.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "metrics/common/gaussian_scale.h"
#include "metrics/common/record_bounds.h"
#include "metrics/common/resample.h"
#include "metrics/speed/speed.h"
#include "support/cpu.h"

ISA_DECLARE(SpeedKernels, speed_kernels);

void speed_kernels_init(SpeedKernels *kernels, unsigned cpu_flags)
{
    *kernels = *ISA_SELECT(speed_kernels, cpu_flags);
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
    return refuse(why, -EINVAL, "%s of at least %dx%d samples%s, not %ux%u", what, SPEED_MIN_SIZE,
                  SPEED_MIN_SIZE, options->speed_prescale == 1 ? "" : " after resizing",
                  geometry.scaled_w, geometry.scaled_h);
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

static SpeedSource source_of(const SpeedPlan *plan, const SpeedView *view, const FrameInput *input,
                             int picture, unsigned plane)
{
    SpeedSource source = {
        .picture = picture == SPEED_REFERENCE ? input->ref : input->dist,
        .plane = plan->first_plane + plane,
        .bpc = plan->bpc,
    };
    if (plan->is_temporal) {
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
    const SpeedPlan *plan = opaque;
    SpeedScratch *scratch = opaque_scratch;
    if (plan->is_temporal && !input->earlier_ref[0])
        return 0;
    for (unsigned v = 0; v < plan->n_views; v++) {
        const SpeedView *view = &plan->views[v];
        const size_t n = speed_plane_samples(&view->geometry);
        float *const record = speed_record_of_view(plan, v, records);
        for (unsigned i = 0; record && i < plan->n_planes * SPEED_PICTURES; i++) {
            const SpeedSource source =
                source_of(plan, view, input, i % SPEED_PICTURES, i / SPEED_PICTURES);
            speed_residual(view, &plan->kernels, &source, &scratch->residual);
            store_plane(&view->geometry, &scratch->residual, record + i * n);
        }
        for (unsigned i = 0; record && i < plan->n_variants; i++) {
            if (records[i] && records[i] != record && plan->variants[i].view == v)
                memcpy(records[i], record, plan->n_planes * SPEED_PICTURES * n * sizeof(*record));
        }
    }
    return 0;
}
