/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/common/filter_taps.h"

#include <math.h>
#include <string.h>

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

static const struct {
    const char *name;
    int first_tap, n_taps; /* relative to the sample at or before the position in the input */
} methods[] = {
    [RESAMPLE_NEAREST] = {"nearest", 0, 1},
    [RESAMPLE_BILINEAR] = {"bilinear", 0, 2},
    [RESAMPLE_BICUBIC] = {"bicubic", -1, 4},
    [RESAMPLE_LANCZOS4] = {"lanczos4", -4, 9},
};

enum { N_METHODS = sizeof(methods) / sizeof(methods[0]) };

bool resample_method_find(const char *name, ResampleMethod *method)
{
    for (int m = 0; m < N_METHODS; m++) {
        if (!strcmp(name, methods[m].name)) {
            *method = (ResampleMethod)m;
            return true;
        }
    }
    return false;
}

unsigned resample_n_taps(ResampleMethod method)
{
    return (unsigned)methods[method].n_taps;
}

/* Reflects an index once. Inputs that are too small for that have only a few samples: there it is
 * limited to the border. */
static uint32_t mirror_once(int i, unsigned n)
{
    const int last = (int)n - 1;
    if (i < 0)
        i = -i;
    else if (i > last)
        i = 2 * last - i;
    return (uint32_t)(i < 0 ? 0 : i > last ? last : i);
}

static float keys_kernel(float offset)
{
    const float t = fabsf(offset);
    if (t < 1)
        return (1.25f * t - 2.25f) * t * t + 1;
    if (t < 2)
        return (((t - 5) * t + 8) * t - 4) * -0.75f;
    return 0;
}

static float lanczos4_kernel(float offset)
{
    const double t = offset;
    if (t == 0)
        return 1;
    if (t <= -4 || t >= 4)
        return 0;
    return (float)(4 * math_sin(M_PI * t) * math_sin(M_PI * t / 4) / (M_PI * M_PI * t * t));
}

/* The weight of the second sample is the distance to the first one after mirroring: at a border
 * this extrapolates. libvmaf does so. */
static void place_bilinear(float at, unsigned n_in, ResampleTap taps[])
{
    const uint32_t first = mirror_once((int)floorf(at), n_in);
    const float distance = at - (float)first;
    taps[0] = (ResampleTap){first, 1 - distance};
    taps[1] = (ResampleTap){mirror_once((int)ceilf(at), n_in), distance};
}

static void place_kernel(ResampleMethod method, float at, unsigned n_in, ResampleTap taps[])
{
    const float base = floorf(at);
    const float distance = at - base;
    for (int i = 0; i < methods[method].n_taps; i++) {
        const int tap = methods[method].first_tap + i;
        const float offset = (float)tap - distance;
        taps[i].index = mirror_once((int)base + tap, n_in);
        taps[i].weight = method == RESAMPLE_BICUBIC ? keys_kernel(offset) : lanczos4_kernel(offset);
    }
}

void resample_taps(ResampleMethod method, unsigned x, unsigned n_out, unsigned n_in,
                   ResampleTap taps[RESAMPLE_MAX_TAPS])
{
    const float ratio = (float)n_in / (float)n_out;
    const float at = (float)(((double)x + 0.5) * (double)ratio - 0.5);
    switch (method) {
    case RESAMPLE_NEAREST:
        taps[0] = (ResampleTap){mirror_once((int)((float)x * ratio), n_in), 1};
        break;
    case RESAMPLE_BILINEAR:
        place_bilinear(at, n_in, taps);
        break;
    case RESAMPLE_BICUBIC:
    case RESAMPLE_LANCZOS4:
        place_kernel(method, at, n_in, taps);
        break;
    }
}
