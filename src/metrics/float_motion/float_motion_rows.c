/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <math.h>

#include "metrics/common/rows.h"
#include "metrics/float_motion/float_motion_internal.h"
#include "support/cpu.h"

static void filter_columns(const float *const rows[], const float taps[], int n_taps,
                           float *restrict out, unsigned w)
{
    const float *a = rows[0], *b = rows[1], *c = rows[2];
    if (n_taps == 3) {
        for (unsigned x = 0; x < w; x++)
            out[x] = (a[x] * taps[0] + b[x] * taps[1]) + c[x] * taps[2];
    } else {
        const float *d = rows[3], *e = rows[4];
        for (unsigned x = 0; x < w; x++)
            out[x] = (((a[x] * taps[0] + b[x] * taps[1]) + c[x] * taps[2]) + d[x] * taps[3]) +
                     e[x] * taps[4];
    }
}

static void filter_row(const float *row, const float taps[], int n_taps, float *restrict out,
                       unsigned w)
{
    const float *shifted[5];
    for (int k = 0; k < n_taps; k++)
        shifted[k] = row + k - n_taps / 2;
    filter_columns(shifted, taps, n_taps, out, w);
}

static void differences(const float *a, const float *b, float *restrict out, unsigned w)
{
    for (unsigned x = 0; x < w; x++)
        out[x] = fabsf(a[x] - b[x]);
}

const FloatMotionFunctions ISA_VARIANT(float_motion_rows) = {
    .load = load_centred_samples,
    .filter_columns = filter_columns,
    .filter_row = filter_row,
    .differences = differences,
};
