/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_KERNELS_ADM_SCALAR_H
#define TESTS_KERNELS_ADM_SCALAR_H

#include "libvmaf/backend_records.h"
#include "metrics/adm/adm.h"

/* The library's scalar ADM, for tests of kernels. In its own file, because headers of the library
 * and of the device layer have types of the same names. */

typedef struct AdmFrame {
    unsigned w, h, depth;
    unsigned stride;          /* of a row in bytes */
    unsigned char *pixels[2]; /* luma of the reference and of the distorted picture */
} AdmFrame;

/* All zero if the library fails. */
VmafRecordAdm adm_scalar_record(const AdmFrame *frame, const AdmOptions *options);

#endif
