/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_SDK_UNPACK_H
#define VMAF_SDK_UNPACK_H

#include "plan.h"

/*
 * Pictures whose samples kernels cannot read as they are: shifted (P010) or with interleaved chroma
 * (NV12). Their planes are copied to raw memory, from which a kernel makes those of the position.
 */

/* Arrangement of a picture's samples. All 0: kernels read them as they are. */
typedef struct VmafPacking {
    uint32_t semiplanar; /* 1: plane 1 holds Cb and Cr in turn, plane 2 nothing */
    uint32_t shift;      /* number of bits below the value of a sample */
} VmafPacking;

/* A plane in raw memory. */
typedef struct VmafRawPlane {
    uint64_t offset, stride, row_size; /* bytes */
    uint32_t rows;
} VmafRawPlane;

/* True if plane `plane` of the plan has to be unpacked. */
static inline bool vmaf_is_packed(const VmafPacking *packing, uint32_t plane)
{
    return packing->shift || (packing->semiplanar && plane > 0);
}

/* True if neither the reference nor the distorted picture has to be unpacked. */
static inline bool vmaf_packing_is_none(const VmafPacking packing[2])
{
    return !(packing[0].semiplanar | packing[0].shift | packing[1].semiplanar | packing[1].shift);
}

/* Bytes of raw memory that are enough for any frame pair. */
uint64_t vmaf_raw_size(const struct VmafBackendPlan *plan);
/* Place of a plane in raw memory. */
VmafRawPlane vmaf_raw_plane(const struct VmafBackendPlan *plan, enum VmafBufferKind side,
                            const VmafPacking *packing, uint32_t raw_plane);

/* Name of the kernel: "unpack_8" or "unpack_16". */

#endif
