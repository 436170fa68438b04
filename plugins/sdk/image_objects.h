/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_SDK_IMAGE_OBJECTS_H
#define VMAF_SDK_IMAGE_OBJECTS_H

#include <stddef.h>
#include <stdint.h>

#include <libvmaf/backend.h>

/* Planes of an imported picture in memory objects with file descriptors, such as dma-bufs. */
typedef struct VmafImageObjects {
    uint32_t n_objects;
    int fd[VMAF_BACKEND_MAX_OBJECTS];
    uint64_t size[VMAF_BACKEND_MAX_OBJECTS];     /* bytes */
    uint64_t modifier[VMAF_BACKEND_MAX_OBJECTS]; /* DRM_FORMAT_MOD_* */
    uint32_t object[3];                          /* by plane: index of its object */
    uint64_t offset[3];                          /* bytes */
    int64_t stride[3];                           /* bytes */
} VmafImageObjects;

enum { VMAF_MODIFIER_LINEAR = 0 }; /* DRM_FORMAT_MOD_LINEAR */

/* Reads either form of a picture of kind DMABUF, and checks its fourcc. Returns 0, or -EINVAL or
 * -ENOTSUP with a reason. */
int vmaf_image_objects(const VmafBackendImport *picture, VmafImageObjects *objects, char *reason,
                       size_t reason_size);

/* Checks that a picture of this format (DRM_FORMAT_*) has the layout, depth and format that the
 * application states. Returns 0; -EINVAL; -ENOTSUP for unknown formats. */
int vmaf_image_check_fourcc(const VmafBackendImport *picture, uint32_t fourcc, char *reason,
                            size_t reason_size);

#endif
