/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Pictures of the application, by addresses of planes. */
#include <errno.h>

#include "cuda_internal.h"

/* 0 if the driver knows the address: copies from others would lose the device. */
static int check_address(VmafStreamDevice *device, CudaAddress address, uint32_t plane)
{
    unsigned type = 0;
    const CudaResult result =
        cuPointerGetAttribute(&type, CUDA_POINTER_ATTRIBUTE_MEMORY_TYPE, address);
    if (result == CUDA_ERROR_INVALID_VALUE)
        return vmaf_stream_fail(device, -EINVAL, "plane %u is not in memory that CUDA knows",
                                plane);
    return cuda_done(device, result, "cuPointerGetAttribute");
}

int cuda_image_import(VmafStreamDevice *device, VmafStreamImage *image,
                      const VmafBackendImport *picture)
{
    int err = vmaf_stream_import_addresses(device, image, picture);
    for (uint32_t p = 0; p < image->head.n_planes && !err; p++) {
        if (image->head.buffers[p])
            err = check_address(device, image->planes[p].address, p);
    }
    return err;
}
