/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_MODEL_SVR_H
#define CORE_MODEL_SVR_H

/*
 * Support-vector regression with a radial basis function kernel (Schoelkopf et al., "New support
 * vector algorithms", 2000):
 *
 *   f(x) = sum_k coefficient_k * exp(-gamma * |x - v_k|^2) - rho
 */

#include "support/log.h"

enum { SVR_LANES = 8 }; /* vectors are padded to a multiple: whole SIMD registers of doubles */

/* Coefficients and support vectors, dense, as a structure of arrays: vectors[i * stride + k] is
 * component i of vector k. */
typedef struct SvrTable {
    double gamma, rho;
    unsigned n_vectors;
    unsigned dimensions;        /* largest stored component index */
    unsigned stride;            /* n_vectors rounded up to SVR_LANES; the padding is zero */
    const double *coefficients; /* [stride] */
    const double *vectors;      /* [dimensions][stride] */
} SvrTable;

/*
 * f(x) for n components; those that x or a vector lacks are 0. Distances add components in
 * ascending order, the result adds vectors in their order, each operation is rounded, exp is the C
 * library's: results are reproducible to the last bit.
 */
double svr_predict(const SvrTable *svr, const double x[], unsigned n);

/* Creates a zeroed table, whose arrays the caller may fill through the two pointers. NULL if memory
 * runs out. */
SvrTable *svr_create(unsigned n_vectors, unsigned dimensions, double **coefficients,
                     double **vectors);
void svr_destroy(SvrTable *svr); /* NULL allowed */

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
