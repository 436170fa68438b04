/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_PSNR_PSNR_DEVICE_H
#define METRICS_PSNR_PSNR_DEVICE_H

#include "program.h"

/* Runs a variant of psnr_sse for a plane of both pictures, and returns the sum that it makes. */
partial_sum vmaf_psnr_measure_plane(VmafProgram *program, const VmafGeometry *geometry,
                                    unsigned plane, const char *kernel);

#endif
