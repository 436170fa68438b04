/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Squares that kernels round as in binary32, against binary32: every magnitude of 16 bits. */
#include <math.h>

#include "support/cases.h"

#define KERNEL_NAME rounded_square
#define WX          1
#define WY          1
#include "dialect/kernel.h"

#include "metrics/psnr/rounded_square.kernel.h"

CASE(given_any_magnitude_its_square_is_that_of_binary32)
{
    unsigned n_rounded = 0, n_ties = 0;
    for (uint32_t magnitude = 0; magnitude < 65536; magnitude++) {
        const float exact = (float)magnitude;
        const float square = exact * exact;
        if (rounded_square(magnitude) != (uint32_t)square)
            fail_msg("%u", magnitude);
        const int64_t lost = (int64_t)magnitude * magnitude - (int64_t)square;
        n_rounded += lost != 0;
        const float unit = nextafterf(square, INFINITY) - square;
        n_ties += lost != 0 && (float)(lost < 0 ? -lost : lost) * 2 == unit;
    }
    assert_true(n_rounded > 10000 && n_ties > 100);
}
