/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/float_ssim/ssim_geometry.h"

unsigned float_ssim_factor(const FloatSsimOptions *options, unsigned w, unsigned h)
{
    if (options->scale > 0)
        return (unsigned)options->scale;
    const unsigned factor = ((w < h ? w : h) + 128) / 256;
    return factor ? factor : 1;
}
