/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_COMMON_CENTRED_SAMPLES_H
#define METRICS_COMMON_CENTRED_SAMPLES_H

#include <stdbool.h>
#include <stdint.h>

/*
 * out[x] = samples[x] factor - 128, which is exact: samples in the range of 8-bit video, centred on
 * 0. `deep`: samples are words; bytes have the factor 1. For files compiled per instruction set.
 */
static inline void load_centred_samples(const void *samples, bool deep, float factor,
                                        float *restrict out, unsigned w)
{
    if (deep) {
        const uint16_t *row = samples;
        for (unsigned x = 0; x < w; x++)
            out[x] = (float)row[x] * factor - 128;
    } else {
        const uint8_t *row = samples;
        for (unsigned x = 0; x < w; x++)
            out[x] = (float)row[x] - 128;
    }
}

#endif
