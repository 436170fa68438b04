/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "cuda_internal.h"

int cuda_copy(VmafStreamDevice *device, void *on, const VmafStreamRows *rows)
{
    const uint64_t max_pitch = ((CudaDevice *)device)->max_pitch;
    const CudaAddress dst = vmaf_driver_copy_address(rows->dst) + rows->dst_offset;
    const CudaAddress src = vmaf_driver_copy_address(rows->src) + rows->src_offset;
    CudaStream stream = vmaf_driver_stream(on);
    if (rows->rows > 1 && rows->dst_stride <= max_pitch && rows->src_stride <= max_pitch) {
        const CudaCopy2D copy = {.src_type = CUDA_MEMORY_UNIFIED,
                                 .src_device = src,
                                 .src_pitch = rows->src_stride,
                                 .dst_type = CUDA_MEMORY_UNIFIED,
                                 .dst_device = dst,
                                 .dst_pitch = rows->dst_stride,
                                 .width = rows->row_size,
                                 .height = rows->rows};
        return cuda_done(device, cuMemcpy2DAsync_v2(&copy, stream), "cuMemcpy2DAsync");
    }
    CudaResult result = CUDA_SUCCESS;
    for (uint32_t row = 0; row < rows->rows && result == CUDA_SUCCESS; row++)
        result = cuMemcpyAsync(dst + row * rows->dst_stride, src + row * rows->src_stride,
                               rows->row_size, stream);
    return cuda_done(device, result, "cuMemcpyAsync");
}
