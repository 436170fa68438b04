/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "hip.h"

enum When { NOW, WHEN_IT_IS_ITS_TURN };

/* Where a copy begins or ends, by its kind. */
static uint32_t source_of(int kind)
{
    return kind == HIP_COPY_DEFAULT                                 ? CUDA_MEMORY_UNIFIED
           : kind == HIP_HOST_TO_HOST || kind == HIP_HOST_TO_DEVICE ? CUDA_MEMORY_HOST
                                                                    : CUDA_MEMORY_DEVICE;
}

static uint32_t destination_of(int kind)
{
    return kind == HIP_COPY_DEFAULT                                 ? CUDA_MEMORY_UNIFIED
           : kind == HIP_HOST_TO_HOST || kind == HIP_DEVICE_TO_HOST ? CUDA_MEMORY_HOST
                                                                    : CUDA_MEMORY_DEVICE;
}

static HipResult copy_rows(void *dst, size_t dst_pitch, const void *src, size_t src_pitch,
                           size_t width, size_t height, int kind, enum When when, CudaStream stream)
{
    const CudaCopy2D copy = {.src_type = source_of(kind),
                             .src_host = src,
                             .src_device = hip_address(src),
                             .src_pitch = src_pitch,
                             .dst_type = destination_of(kind),
                             .dst_host = dst,
                             .dst_device = hip_address(dst),
                             .dst_pitch = dst_pitch,
                             .width = width,
                             .height = height};
    if (kind < HIP_HOST_TO_HOST || kind > HIP_COPY_DEFAULT)
        return hipErrorInvalidMemcpyDirection;
    if (height > 1 && (dst_pitch < width || src_pitch < width))
        return hipErrorInvalidPitchValue;
    return when == NOW ? cuMemcpy2D_v2(&copy) : cuMemcpy2DAsync_v2(&copy, stream);
}

static HipResult copy_bytes(void *dst, const void *src, size_t bytes, int kind, enum When when,
                            CudaStream stream)
{
    if (bytes > 0 && (!dst || !src))
        return hipErrorInvalidValue;
    return copy_rows(dst, bytes, src, bytes, bytes, 1, kind, when, stream);
}

HipResult hipMemcpy(void *dst, const void *src, size_t bytes, int kind)
{
    HIP_CALL(HIP_NEEDS_DEVICE, copy_bytes(dst, src, bytes, kind, NOW, NULL));
}

HipResult hipMemcpyAsync(void *dst, const void *src, size_t bytes, int kind, CudaStream stream)
{
    HIP_CALL(HIP_NEEDS_DEVICE, copy_bytes(dst, src, bytes, kind, WHEN_IT_IS_ITS_TURN, stream));
}

#define COPY_FUNCTIONS(name, kind)                                                                 \
    HipResult name(void *dst, const void *src, size_t bytes)                                       \
    {                                                                                              \
        HIP_CALL(HIP_NEEDS_DEVICE, copy_bytes(dst, src, bytes, kind, NOW, NULL));                  \
    }                                                                                              \
    HipResult name##Async(void *dst, const void *src, size_t bytes, CudaStream stream)             \
    {                                                                                              \
        HIP_CALL(HIP_NEEDS_DEVICE,                                                                 \
                 copy_bytes(dst, src, bytes, kind, WHEN_IT_IS_ITS_TURN, stream));                  \
    }

COPY_FUNCTIONS(hipMemcpyHtoD, HIP_HOST_TO_DEVICE)
COPY_FUNCTIONS(hipMemcpyDtoH, HIP_DEVICE_TO_HOST)
COPY_FUNCTIONS(hipMemcpyDtoD, HIP_DEVICE_TO_DEVICE)

HipResult hipMemcpy2D(void *dst, size_t dst_pitch, const void *src, size_t src_pitch, size_t width,
                      size_t height, int kind)
{
    HIP_CALL(HIP_NEEDS_DEVICE,
             copy_rows(dst, dst_pitch, src, src_pitch, width, height, kind, NOW, NULL));
}

HipResult hipMemcpy2DAsync(void *dst, size_t dst_pitch, const void *src, size_t src_pitch,
                           size_t width, size_t height, int kind, CudaStream stream)
{
    HIP_CALL(HIP_NEEDS_DEVICE, copy_rows(dst, dst_pitch, src, src_pitch, width, height, kind,
                                         WHEN_IT_IS_ITS_TURN, stream));
}

static uint32_t type_of(uint32_t type)
{
    return type == HIP_MEMORY_HOST      ? CUDA_MEMORY_HOST
           : type == HIP_MEMORY_DEVICE  ? CUDA_MEMORY_DEVICE
           : type == HIP_MEMORY_ARRAY   ? CUDA_MEMORY_ARRAY
           : type == HIP_MEMORY_UNIFIED ? CUDA_MEMORY_UNIFIED
                                        : 0;
}

static HipResult copy_described(const HipCopy2D *from, enum When when, CudaStream stream)
{
    if (!from)
        return hipErrorInvalidValue;
    const CudaCopy2D copy = {.src_x = from->src_x,
                             .src_y = from->src_y,
                             .src_type = type_of(from->src_type),
                             .src_host = from->src_host,
                             .src_device = hip_address(from->src_device),
                             .src_pitch = from->src_pitch,
                             .dst_x = from->dst_x,
                             .dst_y = from->dst_y,
                             .dst_type = type_of(from->dst_type),
                             .dst_host = from->dst_host,
                             .dst_device = hip_address(from->dst_device),
                             .dst_pitch = from->dst_pitch,
                             .width = from->width,
                             .height = from->height};
    return when == NOW ? cuMemcpy2D_v2(&copy) : cuMemcpy2DAsync_v2(&copy, stream);
}

HipResult hipMemcpyParam2D(const HipCopy2D *copy)
{
    HIP_CALL(HIP_NEEDS_DEVICE, copy_described(copy, NOW, NULL));
}

HipResult hipMemcpyParam2DAsync(const HipCopy2D *copy, CudaStream stream)
{
    HIP_CALL(HIP_NEEDS_DEVICE, copy_described(copy, WHEN_IT_IS_ITS_TURN, stream));
}

/* -- fills -- */

HipResult hipMemset(void *dst, int value, size_t count)
{
    HIP_CALL(HIP_NEEDS_DEVICE, cuMemsetD8_v2(hip_address(dst), (unsigned char)value, count));
}

HipResult hipMemsetAsync(void *dst, int value, size_t count, CudaStream stream)
{
    HIP_CALL(HIP_NEEDS_DEVICE,
             cuMemsetD8Async(hip_address(dst), (unsigned char)value, count, stream));
}

HipResult hipMemsetD8(void *dst, unsigned char value, size_t count)
{
    HIP_CALL(HIP_NEEDS_DEVICE, cuMemsetD8_v2(hip_address(dst), value, count));
}

HipResult hipMemsetD8Async(void *dst, unsigned char value, size_t count, CudaStream stream)
{
    HIP_CALL(HIP_NEEDS_DEVICE, cuMemsetD8Async(hip_address(dst), value, count, stream));
}

HipResult hipMemsetD32(void *dst, int value, size_t count)
{
    HIP_CALL(HIP_NEEDS_DEVICE, cuMemsetD32_v2(hip_address(dst), (unsigned)value, count));
}

HipResult hipMemsetD32Async(void *dst, int value, size_t count, CudaStream stream)
{
    HIP_CALL(HIP_NEEDS_DEVICE, cuMemsetD32Async(hip_address(dst), (unsigned)value, count, stream));
}
