/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_SPEED_SPEED_MATRIX_H
#define METRICS_SPEED_SPEED_MATRIX_H

#include <stddef.h>

#include "metrics/speed/speed_kernels.h"

/*
 * Linear algebra on the covariance of the samples of a block. Everything is binary32, and every sum
 * is taken in a given order: small planes have covariances of less than full rank, and then
 * rounding alone decides what comes out. Algorithms: G. Golub, C. Van Loan, "Matrix Computations".
 */

/* Symmetric and positive semidefinite; the padding is zero. */
typedef struct SpeedMatrix {
    float at[SPEED_BLOCK_SAMPLES][SPEED_PADDED_SAMPLES];
} SpeedMatrix;

/* Eigenvalues smaller than this make a matrix singular, and so do pivots. */
#define SPEED_SINGULAR 1e-6

/* Covariance of the samples of all 5x5 windows of a plane whose rows are followed by 3 numbers or
 * more. */
void speed_covariance(const SpeedKernels *kernels, const SpeedGeometry *geometry,
                      const float *plane, size_t stride, SpeedMatrix *covariance);

/* Eigenvalues in the order in which the symmetric QR algorithm leaves them. */
void speed_eigenvalues(const SpeedMatrix *covariance, float eigenvalues[SPEED_BLOCK_SAMPLES]);

/*
 * solution = covariance^-1 blocks, by Householder's QR decomposition. Both have a row of `stride`
 * numbers, a multiple of 16, for each sample and a column for each block; they do not overlap.
 * False if the matrix is singular; the solution is then not valid.
 */
bool speed_solve(const SpeedMatrix *covariance, const float *blocks, float *solution,
                 size_t stride);

#endif
