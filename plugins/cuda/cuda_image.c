/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Pictures of the application, by the addresses of their planes. */
#include <errno.h>
#include <stdlib.h>

#include "cuda_internal.h"

/* Rows of a plane, and the bytes of one that hold samples. */
typedef struct Extent {
    uint64_t rows, row_size;
} Extent;

static Extent extent_of(const VmafBackendImport *picture, uint32_t plane)
{
    const uint32_t format = picture->pixel_format;
    const bool halves_width = plane && format != VMAF_BACKEND_PIXEL_444;
    const bool halves_height = plane && format == VMAF_BACKEND_PIXEL_420;
    const bool pairs = plane && picture->layout == VMAF_BACKEND_LAYOUT_SEMIPLANAR;
    const uint64_t columns = halves_width ? picture->width / 2 : picture->width;
    return (Extent){
        .rows = halves_height ? picture->height / 2 : picture->height,
        .row_size = columns * (picture->depth > 8 ? 2 : 1) * (pairs ? 2 : 1),
    };
}

static uint32_t planes_of(const VmafBackendImport *picture)
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

/* 0 if the driver knows the address: copies from others would lose the device. */
static int check_address(CudaDevice *device, CudaAddress address, uint32_t plane)
{
    unsigned type = 0;
    CudaResult result = cuda_enter(device);
    if (result == CUDA_SUCCESS) {
        result = cuPointerGetAttribute(&type, CUDA_POINTER_ATTRIBUTE_MEMORY_TYPE, address);
        cuda_leave();
    }
    if (result == CUDA_ERROR_INVALID_VALUE)
        return cuda_fail(device, -EINVAL, "plane %u is not in memory that CUDA knows", plane);
    return result == CUDA_SUCCESS ? 0 : cuda_failed(device, result, "cuPointerGetAttribute");
}

static int import_plane(CudaDevice *device, CudaImage *image, const VmafBackendImport *picture,
                        uint32_t plane)
{
    const Extent extent = extent_of(picture, plane);
    const uint64_t address = plane < picture->n_handles ? picture->handles[plane] : 0;
    const int64_t stride = picture->stride[plane];
    if (!(picture->planes & samples_of(picture, plane)) || !extent.rows || !extent.row_size)
        return 0; /* absent */
    if (!address)
        return cuda_fail(device, -EINVAL, "plane %u has no address", plane);
    if (stride < 0 || (uint64_t)stride < extent.row_size)
        return cuda_fail(device, -EINVAL, "rows of plane %u are closer than they are long", plane);
    const uint64_t needed = (extent.rows - 1) * (uint64_t)stride + extent.row_size;
    if (picture->size && picture->size < needed)
        return cuda_fail(device, -EINVAL, "plane %u is larger than its memory", plane);
    const int err = check_address(device, address, plane);
    if (err)
        return err;
    CudaBuffer *buffer = &image->planes[plane];
    buffer->address = address;
    buffer->head = (VmafDeviceBuffer){.memory = VMAF_MEMORY_DEVICE,
                                      .size = picture->size ? picture->size : needed,
                                      .address = address};
    image->head.buffers[plane] = &buffer->head;
    image->head.stride[plane] = (uint64_t)stride;
    return 0;
}

int cuda_image_import(VmafDevice *base, VmafDeviceImage **imported,
                      const VmafBackendImport *picture)
{
    CudaDevice *device = (CudaDevice *)base;
    *imported = NULL;
    if (cuda_check(device))
        return -ENODEV;
    if (picture->kind != VMAF_BACKEND_IMPORT_CUDA_POINTER)
        return cuda_fail(device, -ENOTSUP, "pictures of kind %u are not CUDA's", picture->kind);
    CudaImage *image = calloc(1, sizeof(*image));
    if (!image)
        return cuda_fail(device, -ENOMEM, "out of memory (a picture)");
    image->head.n_planes = planes_of(picture);
    int err = 0;
    for (uint32_t p = 0; p < image->head.n_planes && !err; p++)
        err = import_plane(device, image, picture, p);
    if (err) {
        free(image);
        return err;
    }
    *imported = &image->head;
    return 0;
}

void cuda_image_destroy(VmafDevice *device, VmafDeviceImage *image)
{
    (void)device;
    free(image);
}
