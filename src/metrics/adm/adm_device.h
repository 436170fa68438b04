/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_ADM_ADM_DEVICE_H
#define METRICS_ADM_ADM_DEVICE_H

#include "metrics/adm/adm.h"
#include "metrics/adm/adm_kernel.h"
#include "reduce/reduce_args.h"

#include <stdint.h>

/*
 * How ADM is computed with kernels: four dispatches, one for each scale, one after the other, and
 * 36 sums of partial sums for each set of options.
 *
 *   scale 0   slots: reference luma, distorted luma, approximations 0 (written), partial sums
 *   scale 1   slots: approximations 0, approximations 1 (written), partial sums
 *   scale 2   slots: approximations 1, approximations 0 (written), partial sums
 *   scale 3   slots: approximations 0, approximations 1 (bound, but not written), partial sums
 *
 * Both buffers of approximations are undefined when a frame begins. The sums, in the order of their
 * numbers, are VmafRecordAdm.
 */

enum { VMAF_ADM_RESULTS = 36 };

/* Luma of the pictures. */
typedef struct VmafAdmGeometry {
    uint32_t w, h;                    /* size in samples, at least ADM_MIN_SIZE */
    uint32_t depth;                   /* bits per sample. 8: bytes; 9 to 16: words of 16 bits */
    uint32_t ref_stride, dist_stride; /* bytes from row to row, a multiple of 4, at least a row */
} VmafAdmGeometry;

typedef struct VmafAdmScale {
    const char *kernel;
    adm_scale_args args;
    AdmShifts shifts;
    uint32_t groups[3];
    uint32_t n_variants; /* variants that are evaluated; 0 if no options need this scale */
    uint32_t n_partials; /* number of partial sums that fit, at least 1 */
} VmafAdmScale;

typedef struct VmafAdmPlan {
    VmafAdmScale scales[ADM_SCALES];
    uint64_t approx_size[2]; /* bytes of the two buffers of approximations */
} VmafAdmPlan;

/*
 * Fills in the layout for `n` sets of options (AdmOptions), at least one, in the ranges of
 * adm_option_specs. Returns 0; -EINVAL for invalid strides; -ENOTSUP if a buffer or a dispatch
 * would exceed the limits that every device has; -E2BIG if kernels cannot compute the sets
 * together, because some scale has more than ADM_MAX_VARIANTS different variants.
 */
int vmaf_adm_plan(VmafAdmPlan *params, const VmafAdmGeometry *geometry, const void *const options[],
                  uint32_t n);

/* Returns sum number `result`, below VMAF_ADM_RESULTS, for one of the sets of options. The partial
 * sums of scale s begin at element first[s] of the buffer that sum_partials reads. */
partial_sum vmaf_adm_sum(const VmafAdmPlan *params, const AdmOptions *options, uint32_t result,
                         const uint32_t first[ADM_SCALES]);

/* One direction, columns or rows, of a scale. */
typedef struct AdmTiling {
    AdmAxis axis;
    AdmRange tiled; /* the window and the samples that the next scale needs */
} AdmTiling;

/* Finds the range that tiles cover at each scale of pictures with `samples` columns, or rows. */
void vmaf_adm_tile(AdmTiling tilings[ADM_SCALES], int32_t samples);

#endif
