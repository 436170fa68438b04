/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_SDK_ADM_CSF_H
#define VMAF_SDK_ADM_CSF_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Contrast sensitivity of ADM as kernels need it: fixed-point weights of the wavelet bands. Same
 * definition as docs/metrics/adm.md, same numbers as the library to the last bit.
 */

/* The options of `adm` that pixels depend on. */
typedef struct VmafAdmOptions {
    double enhn_gain_limit;
    double norm_view_dist;  /* in display heights */
    int ref_display_height; /* in lines */
    int csf_mode;           /* 0 Watson, 1 Barten, 2 blend of both, 3 second blend */
    double csf_scale, csf_diag_scale;
    bool skip_aim, skip_scale0;
} VmafAdmOptions;

typedef struct VmafAdmWeights {
    uint32_t hv, d; /* of bands h and v, and of d */
} VmafAdmWeights;

/* Weights of a scale from 0 (16 bits) to 3 (32 bits). */
VmafAdmWeights vmaf_adm_weights(const VmafAdmOptions *options, int scale);

#endif
