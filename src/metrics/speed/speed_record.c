/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <math.h>
#include <string.h>

#include "metrics/common/record_bounds.h"
#include "metrics/speed/speed.h"
#include "metrics/speed/speed_geometry.h"

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
