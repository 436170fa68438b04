/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/common/rows.h"
#include "metrics/float_ansnr/float_ansnr_internal.h"
#include "support/cpu.h"

static void sum_taps(const float *row, const float taps[ANSNR_TAPS], float *restrict out,
                     unsigned w)
{
    for (unsigned x = 0; x < w; x++) {
        const float *p = row + x;
        out[x] = (((p[-2] * taps[0] + p[-1] * taps[1]) + p[0] * taps[2]) + p[1] * taps[3]) +
                 p[2] * taps[4];
    }
}

static void sum_columns(const void *above, const void *here, const void *below, bool deep,
                        int32_t *restrict out, unsigned w)
{
    if (deep) {
        const uint16_t *a = above, *b = here, *c = below;
        for (unsigned x = 0; x < w; x++)
            out[x] = a[x] + 2 * b[x] + c[x];
    } else {
        const uint8_t *a = above, *b = here, *c = below;
        for (unsigned x = 0; x < w; x++)
            out[x] = a[x] + 2 * b[x] + c[x];
    }
}

static void squares(const int32_t *columns, float factor, const float *const rows[ANSNR_TAPS],
                    float *restrict signal, float *restrict noise, unsigned w)
{
    const float *r0 = rows[0], *r1 = rows[1], *r2 = rows[2], *r3 = rows[3], *r4 = rows[4];
    for (unsigned x = 0; x < w; x++) {
        const int32_t *c = columns + x;
        const float ref = (float)(c[-1] + 2 * c[0] + c[1]) * factor - 128;
        const float dist = (((r0[x] + r1[x]) + r2[x]) + r3[x]) + r4[x];
        const float difference = ref - dist;
        signal[x] = ref * ref;
        noise[x] = difference * difference;
    }
}

const AnsnrFunctions ISA_VARIANT(ansnr_rows) = {
    .load = load_centred_samples,
    .sum_taps = sum_taps,
    .sum_columns = sum_columns,
    .squares = squares,
};
