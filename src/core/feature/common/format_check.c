/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "feature/common/format_check.h"

#include <errno.h>

int check_minimum_size(const char *metric, const PictureFormat *format, unsigned minimum,
                       Reason *why)
{
    if (format->w[0] >= minimum && format->h[0] >= minimum)
        return 0;
    return refuse(why, -EINVAL, "%s needs pictures of at least %ux%u samples, not %ux%u", metric,
                  minimum, minimum, format->w[0], format->h[0]);
}

int check_common_depths(const char *metric, const PictureFormat *format, Reason *why)
{
    switch (format->bpc) {
    case 8:
    case 10:
    case 12:
    case 16:
        return 0;
    default:
        return refuse(why, -EINVAL, "%s needs 8, 10, 12 or 16 bits per sample, not %u", metric,
                      format->bpc);
    }
}

int check_has_chroma(const char *metric, const PictureFormat *format, Reason *why)
{
    if (format->pix_fmt != VMAF_PIX_FMT_YUV400P)
        return 0;
    return refuse(why, -EINVAL, "%s needs chroma planes, which 4:0:0 pictures do not have", metric);
}
