/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef KERNELS_DIALECT_CUDA_H
#define KERNELS_DIALECT_CUDA_H

/*
 * The dialect in CUDA C++ and HIP. clang compiles both from its own builtins, with no vendor
 * header; nvcc brings its own.
 */
#if defined(__clang__)
#include "dialect/cuda_builtins.h"
#else
#define CUDA_LANE_X            threadIdx.x
#define CUDA_LANE_Y            threadIdx.y
#define CUDA_GROUP_X           blockIdx.x
#define CUDA_GROUP_Y           blockIdx.y
#define CUDA_GROUP_Z           blockIdx.z
#define CUDA_GROUPS_X          gridDim.x
#define CUDA_GROUPS_Y          gridDim.y
#define CUDA_GROUPS_Z          gridDim.z
#define CUDA_SYNC()            __syncthreads()
#define CUDA_CLZ(x)            __clz(I32(x))
#define CUDA_ATOMIC_ADD(at, x) atomicAdd(at, x)
#define KERNEL_MUL_HI(a, b)    __umulhi(a, b)
#define FLOAT_OF_BITS(x)       __uint_as_float(x)
#define BITS_OF_FLOAT(x)       __float_as_uint(x)
#define NATIVE_QUOTIENT(a, b)  __fdiv_rn(a, b)
#define NATIVE_ROOT(x)         __fsqrt_rn(x)
#define CUDA_KERNEL            __global__ void __launch_bounds__(LANES)
#define CUDA_INLINE            __device__ __forceinline__
#endif

#define FN                      static CUDA_INLINE
#define KERNEL_TABLE(T, n, len) static __constant__ const T n[len]
#define KERNEL_BEGIN            extern "C" CUDA_KERNEL KERNEL_NAME(
#define KERNEL_IN(slot, T, n)  const T *__restrict__ n,
#define KERNEL_OUT(slot, T, n) T *__restrict__ n,
#define KERNEL_ARGS(slot, T, n) const T n)                                                         \
    {
#define GROUP_MEMORY(T, n, len)     __shared__ T n[len];
#define LANE_STATE(T, n)            T n;
#define LANE_STATE_ARRAY(T, n, len) T n[len];
#define KERNEL_BODY
#define KERNEL_END }

FN bool kernel_sync(void)
{
    CUDA_SYNC();
    return true;
}

#define FIRST
#define THEN     if (kernel_sync())
#define AT(n, i) n[i]
#define MINE(n)  n
#define LX       I32(CUDA_LANE_X)
#define LY       I32(CUDA_LANE_Y)
#define GX       I32(CUDA_GROUP_X)
#define GY       I32(CUDA_GROUP_Y)
#define GZ       I32(CUDA_GROUP_Z)
#define NGX      I32(CUDA_GROUPS_X)
#define NGY      I32(CUDA_GROUPS_Y)
#define NGZ      I32(CUDA_GROUPS_Z)
#define UNROLL   _Pragma("unroll")
#define MSB32(x) (31 - I32(CUDA_CLZ(U32(x))))

#define FLOAT_OF_NUMBER(x) ((float)(x))
#define EXACT_FLOAT        float

#define ATOMIC_ADD(n, i, x) CUDA_ATOMIC_ADD(&n[i], U32(x))

#if defined(__HIP__)
/* From the shifts the compiler learns the number of bits; it removes them. */
FN i32 kernel_24_bits(i32 x)
{
    return I32(U32(x) << 8) >> 8;
}
#define MAD24(a, b, c) (kernel_24_bits(a) * kernel_24_bits(b) + (c))
#else
#define MAD24(a, b, c) ((a) * (b) + (c))
#define SUM48_IS_U64   1 /* a product of 32 by 32 bits added to 64 is one instruction */
#endif

#endif
