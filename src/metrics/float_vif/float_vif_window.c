/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/float_vif/float_vif_window.h"

#include "metrics/common/gaussian_window.h"

FloatVifWindow float_vif_window(double kernelscale, int scale)
{
    const int size = gaussian_window_size((1 << (4 - scale)) + 1, kernelscale);
    FloatVifWindow window = {.radius = size / 2};
    gaussian_window(window.taps, size, (float)size / 5.0f);
    return window;
}
