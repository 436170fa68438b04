/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_SDK_PLAN_H
#define VMAF_SDK_PLAN_H

#include "metric.h"

/* Bytes by which a buffer of a session may be larger than its contents. */
enum { VMAF_MEMORY_PADDING = 512 };

/* The plan of backend.h: pictures of one geometry, requests, and the program that computes them. */

struct VmafBackendPlan {
    VmafDevice *device;
    VmafGeometry geometry;
    VmafProgram *program;
    uint32_t n_requests;
    VmafRequest *requests;
    char **strings; /* values of options */
    uint32_t n_strings;
    uint32_t slots_wanted, slots;
    uint32_t streams; /* streams of the queue that sessions use: frames in two streams overlap */
    uint64_t device_memory;
};

/* Describes pictures of these parameters on the device. Returns OK or INVALID. */
int32_t vmaf_geometry_init(VmafGeometry *geometry, uint32_t width, uint32_t height, uint32_t depth,
                           uint32_t pixel_format);

/* Bytes of one picture in the buffer of a frame pair, the offset of a plane there, and the size of
 * the buffer's content. */
uint64_t vmaf_plan_picture_size(const struct VmafBackendPlan *plan);
uint64_t vmaf_plan_plane_offset(const struct VmafBackendPlan *plan, enum VmafBufferKind side,
                                uint32_t plane);
uint64_t vmaf_plan_frame_size(const struct VmafBackendPlan *plan);
/* Number of bytes of a buffer that a kernel sees. */
uint64_t vmaf_plan_binding_size(const struct VmafBackendPlan *plan, const VmafBufferName *name);
/* Number of frame pairs kept on the device: those in flight and the earlier ones that they need. */
uint32_t vmaf_plan_positions(const struct VmafBackendPlan *plan);

/* The functions plan_create, plan_destroy, plan_info and plan_answer of backend.h. */
int32_t vmaf_plan_create(VmafDevice *device, const VmafBackendPlanParams *params,
                         struct VmafBackendPlan **plan, VmafBackendReason *why);
void vmaf_plan_destroy(struct VmafBackendPlan *plan); /* NULL allowed */
int32_t vmaf_plan_info(const struct VmafBackendPlan *plan, VmafBackendPlanInfo *info);
int32_t vmaf_plan_answer(const struct VmafBackendPlan *plan, uint32_t request,
                         VmafBackendAnswer *answer);

#endif
