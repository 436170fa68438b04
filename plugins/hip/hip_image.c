/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Pictures of the application, by addresses of planes. */
#include <errno.h>

#include "hip_internal.h"

/* 0 if the plane is in memory that the runtime knows: other copies would lose the device. */
static int check_range(VmafStreamDevice *device, const VmafStreamBuffer *plane, uint32_t number)
{
    HipAddress begin = 0;
    size_t size = 0;
    const HipResult result = hip.MemGetAddressRange(&begin, &size, plane->address);
    const int err = hip_error_of(result);
    if (err && err != -ENODEV) {
        hip_note(result);
        return vmaf_stream_fail(device, -EINVAL, "plane %u is not in memory that HIP knows",
                                number);
    }
    if (err)
        return hip_done(device, result, "hipMemGetAddressRange");
    if (!begin || begin > plane->address)
        return 0; /* memory of others, of which versions of the runtime know no more */
    const uint64_t offset = plane->address - begin;
    if (offset > size || plane->head.size > size - offset)
        return vmaf_stream_fail(device, -EINVAL, "plane %u is larger than its memory", number);
    return 0;
}

int hip_image_import(VmafStreamDevice *device, VmafStreamImage *image,
                     const VmafBackendImport *picture)
{
    int err = vmaf_stream_import_addresses(device, image, picture);
    for (uint32_t p = 0; p < image->head.n_planes && !err; p++) {
        if (image->head.buffers[p])
            err = check_range(device, &image->planes[p], p);
    }
    return err;
}
