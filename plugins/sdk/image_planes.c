/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What imported pictures look like in memory: planes, and the objects that hold them. */
#include "image_planes.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>

#include "image_objects.h"

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

#define FOURCC(a, b, c, d)                                                                         \
    ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)

typedef struct Format {
    uint32_t fourcc, sample_size, pixel_format, layout;
} Format;

static const Format formats[] = {
    {FOURCC('N', 'V', '1', '2'), 1, VMAF_BACKEND_PIXEL_420, VMAF_BACKEND_LAYOUT_SEMIPLANAR},
    {FOURCC('P', '0', '1', '0'), 2, VMAF_BACKEND_PIXEL_420, VMAF_BACKEND_LAYOUT_SEMIPLANAR},
    {FOURCC('P', '0', '1', '2'), 2, VMAF_BACKEND_PIXEL_420, VMAF_BACKEND_LAYOUT_SEMIPLANAR},
    {FOURCC('P', '0', '1', '6'), 2, VMAF_BACKEND_PIXEL_420, VMAF_BACKEND_LAYOUT_SEMIPLANAR},
    {FOURCC('N', 'V', '1', '6'), 1, VMAF_BACKEND_PIXEL_422, VMAF_BACKEND_LAYOUT_SEMIPLANAR},
    {FOURCC('P', '2', '1', '0'), 2, VMAF_BACKEND_PIXEL_422, VMAF_BACKEND_LAYOUT_SEMIPLANAR},
    {FOURCC('Y', 'U', '1', '2'), 1, VMAF_BACKEND_PIXEL_420, VMAF_BACKEND_LAYOUT_PLANAR},
    {FOURCC('Y', 'U', '1', '6'), 1, VMAF_BACKEND_PIXEL_422, VMAF_BACKEND_LAYOUT_PLANAR},
    {FOURCC('Y', 'U', '2', '4'), 1, VMAF_BACKEND_PIXEL_444, VMAF_BACKEND_LAYOUT_PLANAR},
    {FOURCC('R', '8', ' ', ' '), 1, VMAF_BACKEND_PIXEL_400, VMAF_BACKEND_LAYOUT_PLANAR},
    {FOURCC('R', '1', '6', ' '), 2, VMAF_BACKEND_PIXEL_400, VMAF_BACKEND_LAYOUT_PLANAR},
};

/* Luma is the same in all formats with samples of a size. */
static bool is_declared(const VmafBackendImport *picture, const Format *format)
{
    const bool has_chroma = picture->planes & ~VMAF_BACKEND_PLANE_Y;
    return format->sample_size == (picture->depth > 8 ? 2 : 1) &&
           (!has_chroma ||
            (format->pixel_format == picture->pixel_format && format->layout == picture->layout));
}

int vmaf_image_check_fourcc(const VmafBackendImport *picture, uint32_t fourcc, char *reason,
                            size_t reason_size)
{
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
        if (formats[i].fourcc != fourcc)
            continue;
        if (is_declared(picture, &formats[i]))
            return 0;
        snprintf(reason, reason_size, "the picture has another format");
        return -EINVAL;
    }
    snprintf(reason, reason_size, "format 0x%08x is not supported", fourcc);
    return -ENOTSUP;
}

/* handles: descriptor, size, offsets. */
static void read_handles(const VmafBackendImport *picture, VmafImageObjects *objects)
{
    enum { DESCRIPTOR, SIZE, OFFSETS };
    *objects = (VmafImageObjects){
        .n_objects = 1,
        .fd = {(int)picture->handles[DESCRIPTOR]},
        .size = {picture->handles[SIZE]},
        .modifier = {picture->modifier},
    };
    for (uint32_t p = 0; p < 3; p++) {
        if (OFFSETS + p < picture->n_handles)
            objects->offset[p] = picture->handles[OFFSETS + p];
        objects->stride[p] = picture->stride[p];
    }
}

static void read_members(const VmafBackendImport *picture, VmafImageObjects *objects)
{
    *objects = (VmafImageObjects){.n_objects = picture->n_objects};
    for (uint32_t i = 0; i < picture->n_objects; i++) {
        objects->fd[i] = (int)picture->object[i];
        objects->size[i] = picture->object_size[i];
        objects->modifier[i] = picture->modifier;
    }
    for (uint32_t p = 0; p < 3; p++) {
        objects->object[p] = picture->plane_object[p];
        objects->offset[p] = picture->plane_offset[p];
        objects->stride[p] = picture->stride[p];
    }
}

int vmaf_image_objects(const VmafBackendImport *picture, VmafImageObjects *objects, char *reason,
                       size_t reason_size)
{
    enum { HANDLES_MIN = 2 };
    if (picture->n_objects > VMAF_BACKEND_MAX_OBJECTS ||
        (!picture->n_objects && picture->n_handles < HANDLES_MIN)) {
        snprintf(reason, reason_size, "a picture of %u objects", picture->n_objects);
        return -EINVAL;
    }
    if (picture->n_objects)
        read_members(picture, objects);
    else
        read_handles(picture, objects);
    return picture->fourcc ? vmaf_image_check_fourcc(picture, picture->fourcc, reason, reason_size)
                           : 0;
}
