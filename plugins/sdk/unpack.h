/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_SDK_UNPACK_H
#define VMAF_SDK_UNPACK_H

#include "plan.h"

/*
 * Pictures whose samples do not lie as kernels read them: shifted (P010) or with interleaved chroma
 * (NV12). Their planes are copied to raw memory, from which a kernel makes those of the position.
 */

/* How the samples of a picture lie. All 0: as kernels read them. */
typedef struct VmafPacking {
    uint32_t semiplanar; /* 1: plane 1 holds Cb and Cr in turn, plane 2 nothing */
    uint32_t shift;      /* bits below the value */
} VmafPacking;

/* A plane in raw memory. */
typedef struct VmafRawPlane {
    uint64_t offset, stride, row_size; /* bytes */
    uint32_t rows;
} VmafRawPlane;

/* Whether plane `plane` of the plan has to be unpacked. */
static inline bool vmaf_is_packed(const VmafPacking *packing, uint32_t plane)
{
    return packing->shift || (packing->semiplanar && plane > 0);
}

/* Of a reference and a distorted picture: whether neither has to be unpacked. */
static inline bool vmaf_packing_is_none(const VmafPacking packing[2])
{
    return !(packing[0].semiplanar | packing[0].shift | packing[1].semiplanar | packing[1].shift);
}

/* Bytes for any frame pair. */
uint64_t vmaf_raw_size(const struct VmafBackendPlan *plan);
VmafRawPlane vmaf_raw_plane(const struct VmafBackendPlan *plan, enum VmafBufferKind side,
                            const VmafPacking *packing, uint32_t raw_plane);

/* "unpack_8" or "unpack_16". */
const char *vmaf_unpack_kernel(const struct VmafBackendPlan *plan);
/* Records the kernels that make the planes of one side. */
int vmaf_unpack_record(VmafDeviceCommandList *list, const VmafDeviceKernel *kernel,
                       const struct VmafBackendPlan *plan, enum VmafBufferKind side,
                       const VmafPacking *packing, VmafDeviceBuffer *raw, VmafDeviceBuffer *pixels);

#endif
