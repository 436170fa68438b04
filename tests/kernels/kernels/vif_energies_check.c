/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* The energies of VIF for given variances; test_vif_energies.c computes them in binary64. */
#define WX 64
#define WY 1
#include "dialect/kernel.h"
#include "metrics/vif/information.kernel.h"
#include "vif_energies_check_args.h"

KERNEL_BEGIN
KERNEL_IN(0, variances, given)
KERNEL_OUT(1, both_energies, results)
KERNEL_ARGS(2, vif_energies_check_args, p)
KERNEL_BODY
    FIRST
    {
        i32 i = GX * LANES + LANE;
        if (i < p.n) {
            vif_limit limit;
            limit.mantissa = p.limit.mantissa;
            limit.square_mantissa = p.limit.square_mantissa;
            limit.exponent = p.limit.exponent;
            limit.square_exponent = p.limit.square_exponent;
            limit.free_to = p.limit.free_to;
            limit.limited_from = p.limit.limited_from;
            u32 v1 = AT(given, i).ref, v2 = AT(given, i).dist, c = AT(given, i).covariance;
            vif_energies quick = decided(v1, v2, c, explained(v1, c), limit);
            vif_energies exact = limited_exactly(exactly(v1, v2, c), v1, limit);
            AT(results, i).noise = quick.noise != 0u ? quick.noise : exact.noise;
            AT(results, i).total = quick.noise != 0u ? quick.total : exact.total;
            AT(results, i).exact_noise = exact.noise;
            AT(results, i).exact_total = exact.total;
        }
    }
KERNEL_END
