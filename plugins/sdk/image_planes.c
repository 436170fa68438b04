/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "image_planes.h"

#include <errno.h>
#include <stdio.h>

uint32_t vmaf_image_planes(const VmafBackendImport *picture)
{
    if (picture->pixel_format == VMAF_BACKEND_PIXEL_400)
        return 1;
    return picture->layout == VMAF_BACKEND_LAYOUT_SEMIPLANAR ? 2 : 3;
}

/* The planes of samples that a plane of the memory holds, a set of VMAF_BACKEND_PLANE_*. */
static uint32_t samples_of(const VmafBackendImport *picture, uint32_t plane)
{
    const bool pairs = plane == 1 && picture->layout == VMAF_BACKEND_LAYOUT_SEMIPLANAR;
    return pairs ? VMAF_BACKEND_PLANE_CB | VMAF_BACKEND_PLANE_CR : 1u << plane;
}

VmafImagePlane vmaf_image_extent(const VmafBackendImport *picture, uint32_t plane)
{
    const uint32_t format = picture->pixel_format;
    const bool halves_width = plane && format != VMAF_BACKEND_PIXEL_444;
    const bool halves_height = plane && format == VMAF_BACKEND_PIXEL_420;
    const bool pairs = plane && picture->layout == VMAF_BACKEND_LAYOUT_SEMIPLANAR;
    const uint64_t columns = halves_width ? picture->width / 2 : picture->width;
    VmafImagePlane described = {
        .rows = halves_height ? picture->height / 2 : picture->height,
        .row_size = columns * (picture->depth > 8 ? 2 : 1) * (pairs ? 2 : 1),
    };
    described.is_present = plane < vmaf_image_planes(picture) &&
                           (picture->planes & samples_of(picture, plane)) && described.rows &&
                           described.row_size;
    return described;
}

int vmaf_image_plane(const VmafBackendImport *picture, uint32_t plane, VmafImagePlane *described,
                     char *reason, size_t reason_size)
{
    const int64_t stride = picture->stride[plane];
    *described = vmaf_image_extent(picture, plane);
    if (!described->is_present)
        return 0;
    if (stride < 0 || (uint64_t)stride < described->row_size) {
        snprintf(reason, reason_size, "rows of plane %u are closer than they are long", plane);
        return -EINVAL;
    }
    described->stride = (uint64_t)stride;
    described->needed = (described->rows - 1) * described->stride + described->row_size;
    if (picture->size && picture->size < described->needed) {
        snprintf(reason, reason_size, "plane %u is larger than its memory", plane);
        return -EINVAL;
    }
    return 0;
}
