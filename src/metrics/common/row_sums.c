/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/common/rows.h"

/* Gathering the columns of the rows into vectors would make this slower: the build forbids it. */
void row_sums_f32(const float *const rows[ROW_SUMS], unsigned w, float sums[ROW_SUMS])
{
    const float *const a = rows[0], *const b = rows[1], *const c = rows[2], *const d = rows[3];
    const float *const e = rows[4], *const f = rows[5], *const g = rows[6], *const h = rows[7];
    float s0 = 0, s1 = 0, s2 = 0, s3 = 0, s4 = 0, s5 = 0, s6 = 0, s7 = 0;
    for (unsigned x = 0; x < w; x++) {
        s0 += a[x];
        s1 += b[x];
        s2 += c[x];
        s3 += d[x];
        s4 += e[x];
        s5 += f[x];
        s6 += g[x];
        s7 += h[x];
    }
    sums[0] = s0;
    sums[1] = s1;
    sums[2] = s2;
    sums[3] = s3;
    sums[4] = s4;
    sums[5] = s5;
    sums[6] = s6;
    sums[7] = s7;
}
