/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/common/format_check.h"

#include <errno.h>

int check_minimum_size(const char *metric, const PictureFormat *format, unsigned minimum,
                       Reason *why)
{
    if (format->w[0] >= minimum && format->h[0] >= minimum)
        return 0;
    return refuse(why, -EINVAL, "%s needs pictures of at least %ux%u samples, not %ux%u", metric,
                  minimum, minimum, format->w[0], format->h[0]);
}

static int check_depth(const char *metric, const PictureFormat *format, unsigned depths,
                       Reason *why)
{
    if (!depths || depths >> format->bpc & 1)
        return 0;
    const char *taken = depths == DEPTHS_COMMON    ? "8, 10, 12 or 16"
                        : depths == DEPTHS_8_TO_12 ? "8 to 12"
                                                   : "8 to 16";
    return refuse(why, -EINVAL, "%s needs %s bits per sample, not %u", metric, taken, format->bpc);
}

int check_has_chroma(const char *metric, const PictureFormat *format, Reason *why)
{
    if (format->pix_fmt != VMAF_PIX_FMT_YUV400P)
        return 0;
    return refuse(why, -EINVAL, "%s needs chroma planes, which 4:0:0 pictures do not have", metric);
}

int check_limits(const char *metric, const FeatureLimits *limits, const PictureFormat *format,
                 Reason *why)
{
    int err = limits->chroma ? check_has_chroma(metric, format, why) : 0;
    if (!err)
        err = check_minimum_size(metric, format, limits->size, why);
    return err ? err : check_depth(metric, format, limits->depths, why);
}
