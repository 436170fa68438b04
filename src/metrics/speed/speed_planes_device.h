/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_SPEED_SPEED_PLANES_DEVICE_H
#define METRICS_SPEED_SPEED_PLANES_DEVICE_H

#include "metric.h"
#include "metrics/speed/speed.h"

/* Code that the SpEED metrics share: planes are reduced and become a record, one after the other.
 */

enum { VMAF_SPEED_MAX_PLANES = 4 };

/* A plane, or the difference of two. */
typedef struct VmafSpeedPlane {
    VmafBufferName plane, subtracted;
    bool is_difference;
} VmafSpeedPlane;

/* Returns true if planes of this size can be computed with these options; otherwise `why` receives
 * the reason. */
bool vmaf_speed_admits(const VmafGeometry *geometry, uint32_t plane, const SpeedOptions *options,
                       VmafBackendReason *why);
/* Requests whose records are equal share a pass. */
bool vmaf_speed_is_pass(const VmafGeometry *geometry, const VmafMetricPass *pass);
uint64_t vmaf_speed_record_size(const VmafGeometry *geometry, uint32_t plane, uint32_t n_planes,
                                const SpeedOptions *options);
/* Writes the program for planes that have the size of plane number `plane`. */
void vmaf_speed_build(VmafProgram *program, const VmafGeometry *geometry,
                      const VmafMetricPass *pass, uint32_t plane, const VmafSpeedPlane planes[],
                      uint32_t n_planes);

#endif
