/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "definition/common/gaussian_window.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

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
        taps[i] = (float)exp(-0.5 * t / s * t / s) / norm;
        sum += taps[i];
    }
    for (int i = 0; i < size; i++)
        taps[i] /= sum;
}
