/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_PSNR_HVS_PSNR_HVS_INTERNAL_H
#define METRICS_PSNR_HVS_PSNR_HVS_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "metrics/framework/extractor.h"
#include "metrics/psnr_hvs/psnr_hvs.h"

/* PSNR-HVS-M: errors of DCT coefficients, weighted by contrast sensitivity, less the part that
 * contrast around them masks. */
extern const FeatureExtractor psnr_hvs_extractor;

enum { PSNR_HVS_LANES = 32 }; /* blocks that are computed side by side */

/*
 * All of these are aligned to 64 bytes.
 *
 * Samples or coefficients of PSNR_HVS_LANES blocks: position in the block, block.
 */
typedef int16_t PsnrHvsTile[PSNR_HVS_COEFFICIENTS][PSNR_HVS_LANES];
typedef float PsnrHvsErrors[PSNR_HVS_COEFFICIENTS][PSNR_HVS_LANES];

typedef struct PsnrHvsWork {
    PsnrHvsTile samples[2]; /* of the reference and of the distorted picture, below 2^12 */
    PsnrHvsTile coefficients[2];
    PsnrHvsErrors errors;
} PsnrHvsWork;

typedef struct PsnrHvsFunctions {
    /* Samples of the blocks that begin at these places, whose rows are `stride` bytes apart;
     * `deep`: words, of which bits above PSNR_HVS_MAX_SAMPLE are dropped. */
    void (*load)(const void *const blocks[PSNR_HVS_LANES], ptrdiff_t stride, bool deep,
                 PsnrHvsTile samples);
    /* From the samples of a tile to its weighted squared errors. */
    void (*errors)(const PsnrHvsWeights *weights, PsnrHvsWork *work);
    /* The sum plus the errors of the first blocks, one block and coefficient after another. */
    float (*add_errors)(float sum, const PsnrHvsErrors errors, unsigned n_blocks);
} PsnrHvsFunctions;

/* Kernels of the widest vectors that the flags, CPU_*, allow. */
void psnr_hvs_functions_init(PsnrHvsFunctions *functions, unsigned cpu_flags);

#endif
