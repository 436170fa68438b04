/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "hip_internal.h"

int hip_copy(VmafStreamDevice *device, void *on, const VmafStreamRows *rows)
{
    unsigned char *dst =
        (unsigned char *)(uintptr_t)(vmaf_driver_copy_address(rows->dst) + rows->dst_offset);
    const unsigned char *src =
        (const unsigned char *)(uintptr_t)(vmaf_driver_copy_address(rows->src) + rows->src_offset);
    HipStream stream = vmaf_driver_stream(on);
    if (rows->rows == 1)
        return hip_done(device, hip.MemcpyAsync(dst, src, rows->row_size, HIP_COPY_DEFAULT, stream),
                        "hipMemcpyAsync");
    return hip_done(device,
                    hip.Memcpy2DAsync(dst, rows->dst_stride, src, rows->src_stride, rows->row_size,
                                      rows->rows, HIP_COPY_DEFAULT, stream),
                    "hipMemcpy2DAsync");
}
