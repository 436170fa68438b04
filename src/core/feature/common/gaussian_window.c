/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "feature/common/gaussian_window.h"

#include <errno.h>
#include <math.h>

static const float known_scales[] = {
    1.0f,        1.0f / 2.0f, 3.0f / 2.0f, 2.0f,         2.0f / 3.0f, 2.4f,      360.0f / 97.0f,
    4.0f / 3.0f, 3.5f / 3.0f, 1.25f,       4.25f / 3.0f, 5.0f / 3.0f, 3.0f,      1.0f / 2.25f,
    1.4746f,     1.54f,       1.6f,        1.06667f,     0.711111f,   0.740740f, 1.111111f,
};

int gaussian_scale_check(const char *option, double scale, Reason *why)
{
    static const double tolerance = 1e-3;
    for (unsigned i = 0; i < sizeof(known_scales) / sizeof(known_scales[0]); i++) {
        if (fabsf((float)scale - known_scales[i]) < tolerance)
            return 0;
    }
    return refuse(why, -EINVAL,
                  "option %s: %g is not one of the factors that are known: 1, 0.5, 1.5, 2, 2/3, "
                  "2.4, 360/97, 4/3, 7/6, 1.25, 17/12, 5/3, 3, 4/9, 1.4746, 1.54, 1.6, 1.06667, "
                  "0.711111, 0.74074, 1.111111",
                  option, scale);
}
