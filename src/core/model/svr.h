/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_MODEL_SVR_H
#define CORE_MODEL_SVR_H

/*
 * Support-vector regression with a radial basis function kernel (Schoelkopf et al., "New support
 * vector algorithms", 2000):
 *
 *   f(x) = sum_k coefficient_k * exp(-gamma * |x - v_k|^2) - rho
 */

enum { SVR_LANES = 8 }; /* vectors are padded to a multiple: whole SIMD registers of doubles */

/* Coefficients and support vectors, dense, with the vectors' components apart (structure of
 * arrays): vectors[i * stride + k] is component i of vector k. Constant and shared by models. */
typedef struct SvrTable {
    double gamma, rho;
    unsigned n_vectors;
    unsigned dimensions;        /* largest index of a component that is stored */
    unsigned stride;            /* n_vectors rounded up to SVR_LANES; the padding is zero */
    const double *coefficients; /* [stride] */
    const double *vectors;      /* [dimensions][stride] */
} SvrTable;

/*
 * f(x) for n components; those that x or a vector lacks are 0. Sums run in ascending order of the
 * component inside a distance and in the order of the vectors outside, each operation rounded, exp
 * from the C library: results are reproducible to the last bit.
 */
double svr_predict(const SvrTable *svr, const double x[], unsigned n);

/* A zeroed table on the heap, whose arrays the caller may fill through the two pointers. NULL if
 * memory runs out. */
SvrTable *svr_create(unsigned n_vectors, unsigned dimensions, double **coefficients,
                     double **vectors);
void svr_destroy(SvrTable *svr); /* NULL allowed; only for tables from svr_create */

#endif
