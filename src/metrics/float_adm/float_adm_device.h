/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_FLOAT_ADM_FLOAT_ADM_DEVICE_H
#define METRICS_FLOAT_ADM_FLOAT_ADM_DEVICE_H

#include "metrics/adm/adm.h"
#include "metrics/float_adm/float_adm.h"
#include "metrics/float_adm/float_adm_kernel.h"

#include <stdbool.h>

/*
 * How float_adm is computed with kernels. A scale is evaluated in chunks of tile rows, one after
 * the other, so that the terms of its sums take little memory: a kernel writes the terms of a
 * chunk, and while it does so for the next chunk, another one adds up their rows. Last, the sums of
 * rows are added up to the record.
 */

enum {
    VMAF_FLOAT_ADM_VARIANTS = 4, /* most variants of a pass */
    VMAF_FLOAT_ADM_MEMBERS = 3 * ADM_SCALES * ADM_BANDS,
};

/* Luma of the pictures. */
typedef struct VmafFloatAdmGeometry {
    uint32_t w, h; /* size in samples, at least ADM_MIN_SIZE */
    uint32_t depth;
    uint32_t stride; /* bytes from row to row, a multiple of 4, at least a row */
} VmafFloatAdmGeometry;

typedef struct VmafFloatAdmScale {
    const char *kernel;
    float_adm_scale_args args; /* arguments for all chunks together */
    float_adm_variant variants[VMAF_FLOAT_ADM_VARIANTS];
    uint32_t n_variants; /* variants that are evaluated; 0 if no options need this scale */
    uint32_t n_dens;     /* number of sets of weights among them */
    uint32_t groups[2];
    uint32_t n_chunks;
    uint32_t chunk_rows; /* rows of tiles in a chunk */
    uint32_t first_sum;  /* index of the first sum of its rows, which are in the order of planes */
} VmafFloatAdmScale;

/* A dispatch of a scale's kernel; variants are 0 if no row of it is evaluated. */
typedef struct VmafFloatAdmChunk {
    float_adm_scale_args args;
    uint32_t groups[3];
    uint64_t terms_size; /* bytes, at least those of one element */
    float_adm_rows_args rows;
} VmafFloatAdmChunk;

typedef struct VmafFloatAdmPlan {
    VmafFloatAdmScale scales[ADM_SCALES];
    uint64_t approx_size[2]; /* bytes of the two buffers of approximations */
    uint32_t n_sums;         /* number of sums of rows of all scales */
} VmafFloatAdmPlan;

/*
 * Fills in the layout for `n` sets of options (FloatAdmOptions), at least one, in the ranges of
 * float_adm_option_specs, whose norm kernels can compute. Returns 0; -ENOTSUP if a buffer or a
 * dispatch would exceed the limits that every device has; -E2BIG if there are more than
 * VMAF_FLOAT_ADM_VARIANTS different variants.
 */
int vmaf_float_adm_plan(VmafFloatAdmPlan *params, const VmafFloatAdmGeometry *geometry,
                        const void *const options[], uint32_t n);

VmafFloatAdmChunk vmaf_float_adm_chunk(const VmafFloatAdmScale *scale, uint32_t chunk);

/* Finds the sums of rows that make each member of a record. */
void vmaf_float_adm_columns(const VmafFloatAdmPlan *params, const FloatAdmOptions *options,
                            float_adm_column columns[VMAF_FLOAT_ADM_MEMBERS]);

/* True if kernels compute the terms of this norm. */
bool vmaf_float_adm_has_norm(const FloatAdmOptions *options);

#endif
