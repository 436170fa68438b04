/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_MODEL_LIBSVM_TEXT_H
#define CORE_MODEL_LIBSVM_TEXT_H

#include "model/svr.h"
#include "support/reason.h"

/*
 * Reads the text form of a LIBSVM model (Chang & Lin, 2011), which VMAF model files contain:
 *
 *   svm_type nu_svr
 *   kernel_type rbf
 *   gamma 0.04
 *   nr_class 2
 *   total_sv 211
 *   rho -1.33133
 *   SV
 *   -4 1:0.65734273 2:0.34681232
 *
 * Components that are zero are left out. Returns 0; -ENOMEM if the text does not parse, as in
 * libvmaf, or if memory runs out; -EINVAL if it is not a regression with a radial basis function
 * kernel, or exceeds the limits.
 */
int libsvm_parse(SvrTable **svr, const char *text, Reason *why);

#endif
