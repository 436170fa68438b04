/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "feature/float_vif/float_vif_window.h"

#include <math.h>

static const float known_scales[] = {
    1.0f,        1.0f / 2.0f, 3.0f / 2.0f, 2.0f,         2.0f / 3.0f, 2.4f,      360.0f / 97.0f,
    4.0f / 3.0f, 3.5f / 3.0f, 1.25f,       4.25f / 3.0f, 5.0f / 3.0f, 3.0f,      1.0f / 2.25f,
    1.4746f,     1.54f,       1.6f,        1.06667f,     0.711111f,   0.740740f, 1.111111f,
};

static const double tolerance = 1e-3;

bool float_vif_kernelscale_known(double kernelscale)
{
    for (unsigned i = 0; i < sizeof(known_scales) / sizeof(known_scales[0]); i++) {
        if (fabsf((float)kernelscale - known_scales[i]) < tolerance)
            return true;
    }
    return false;
}

static int window_size(float kernelscale, int scale)
{
    const int size = (int)ceilf((float)((1 << (4 - scale)) + 1) * kernelscale);
    const int odd = size % 2 ? size : size + 1;
    return odd < 3 ? 3 : odd;
}

FloatVifWindow float_vif_window(double kernelscale, int scale)
{
    const int size = window_size((float)kernelscale, scale);
    FloatVifWindow window = {.radius = size / 2};
    const float sigma = (float)size / 5.0f;
    const float norm = (float)(1 / (sigma * sqrt(2 * M_PI)));
    float sum = 0;
    for (int i = 0; i < size; i++) {
        const double x = i - window.radius;
        const float e = (float)exp(-0.5 * x / sigma * x / sigma);
        window.taps[i] = e / norm;
        sum += window.taps[i];
    }
    for (int i = 0; i < size; i++)
        window.taps[i] = window.taps[i] / sum;
    return window;
}
