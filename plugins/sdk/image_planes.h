/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_SDK_IMAGE_PLANES_H
#define VMAF_SDK_IMAGE_PLANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <libvmaf/backend.h>

/* A plane in the memory of an imported picture. */
typedef struct VmafImagePlane {
    bool is_present; /* the picture has the plane, it is wanted, and it is not empty */
    uint64_t rows;
    uint64_t row_size; /* bytes of samples in a row */
    uint64_t stride;   /* bytes from row to row */
    uint64_t needed;   /* bytes from the first sample to the last */
} VmafImagePlane;

/* Number of planes in memory: 1 for luma alone, 2 if chroma is interleaved, else 3. */
uint32_t vmaf_image_planes(const VmafBackendImport *picture);

/* Describes a plane by the picture's format, layout and `planes`. `stride` is 0. */
VmafImagePlane vmaf_image_extent(const VmafBackendImport *picture, uint32_t plane);

/*
 * The same with `stride` and `needed`, for a plane whose rows are picture->stride apart in memory.
 * Returns 0, or -EINVAL with a reason if rows overlap or the plane is larger than picture->size.
 */
int vmaf_image_plane(const VmafBackendImport *picture, uint32_t plane, VmafImagePlane *described,
                     char *reason, size_t reason_size);

#endif
