/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_KERNELS_VIF_ENERGIES_CHECK_ARGS_H
#define TESTS_KERNELS_VIF_ENERGIES_CHECK_ARGS_H

#include "metrics/vif/vif_kernel.h"

struct variances {
    u32 ref, dist, covariance;
};
KERNEL_STRUCT(variances)

struct both_energies {
    u32 noise, total;             /* as kernels compute them */
    u32 exact_noise, exact_total; /* as in cases that integer rules leave undecided */
};
KERNEL_STRUCT(both_energies)

struct vif_energies_check_args {
    vif_limit limit;
    i32 n;
};
KERNEL_STRUCT(vif_energies_check_args)

#endif
