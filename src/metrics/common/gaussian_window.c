/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/common/gaussian_window.h"

#include <math.h>

#include "metrics/common/math/math_functions.h"

static const double pi = 3.14159265358979323846;

static const float known_scales[] = {
    1.0f,        1.0f / 2.0f, 3.0f / 2.0f, 2.0f,         2.0f / 3.0f, 2.4f,      360.0f / 97.0f,
    4.0f / 3.0f, 3.5f / 3.0f, 1.25f,       4.25f / 3.0f, 5.0f / 3.0f, 3.0f,      1.0f / 2.25f,
    1.4746f,     1.54f,       1.6f,        1.06667f,     0.711111f,   0.740740f, 1.111111f,
};

bool gaussian_scale_is_known(double scale)
{
    static const double tolerance = 1e-3;
    for (unsigned i = 0; i < sizeof(known_scales) / sizeof(known_scales[0]); i++) {
        if (fabsf((float)scale - known_scales[i]) < tolerance)
            return true;
    }
    return false;
}

int gaussian_window_size(int size, double scale)
{
    const int scaled = (int)ceilf((float)size * (float)scale);
    const int odd = scaled % 2 ? scaled : scaled + 1;
    return odd < 3 ? 3 : odd;
}

void gaussian_window(float taps[], int size, float deviation)
{
    const double s = deviation;
    const float norm = (float)(1 / (s * sqrt(2 * pi)));
    float sum = 0;
    for (int i = 0; i < size; i++) {
        const double t = i - size / 2;
        taps[i] = (float)math_exp(-0.5 * t / s * t / s) / norm;
        sum += taps[i];
    }
    for (int i = 0; i < size; i++)
        taps[i] /= sum;
}
