/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/common/gaussian_scale.h"

#include <errno.h>

int gaussian_scale_check(const char *option, double scale, Reason *why)
{
    if (gaussian_scale_is_known(scale))
        return 0;
    return refuse(why, -EINVAL,
                  "option %s: %g is not one of the factors that are known: 1, 0.5, 1.5, 2, 2/3, "
                  "2.4, 360/97, 4/3, 7/6, 1.25, 17/12, 5/3, 3, 4/9, 1.4746, 1.54, 1.6, 1.06667, "
                  "0.711111, 0.74074, 1.111111",
                  option, scale);
}
