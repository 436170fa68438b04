/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef KERNELS_DIALECT_OPENCL_H
#define KERNELS_DIALECT_OPENCL_H

/* The dialect in OpenCL C 1.2, for SPIR-V modules of Level Zero and OpenCL. */
#pragma OPENCL FP_CONTRACT OFF
#define FN                      static inline
#define KERNEL_TABLE(T, n, len) __constant const T n[len]
#define KERNEL_BEGIN                                                                               \
    __kernel __attribute__((reqd_work_group_size(WX, WY, 1))) void KERNEL_NAME(
#define KERNEL_IN(slot, T, n)  __global const T *restrict n,
#define KERNEL_OUT(slot, T, n) __global T *restrict n,
#define KERNEL_ARGS(slot, T, n)     const T n)                                                     \
    {
#define GROUP_MEMORY(T, n, len)     __local T n[len];
#define LANE_STATE(T, n)            T n;
#define LANE_STATE_ARRAY(T, n, len) T n[len];
#define KERNEL_BODY
#define KERNEL_END }

FN int kernel_sync(void)
{
    barrier(CLK_LOCAL_MEM_FENCE);
    return 1;
}

#define FIRST
#define THEN     if (kernel_sync())
#define AT(n, i) n[i]
#define MINE(n)  n
#define LX       I32(get_local_id(0))
#define LY       I32(get_local_id(1))
#define GX       I32(get_group_id(0))
#define GY       I32(get_group_id(1))
#define GZ       I32(get_group_id(2))
#define NGX      I32(get_num_groups(0))
#define NGY      I32(get_num_groups(1))
#define NGZ      I32(get_num_groups(2))
#define UNROLL   _Pragma("unroll")
#define MSB32(x) (31 - I32(clz(U32(x))))

#define ATOMIC_ADD(n, i, x) ((void)atomic_add(&n[i], U32(x)))
#define MAD24(a, b, c)      mad24(a, b, c)
#define KERNEL_MUL_HI(a, b) mul_hi(a, b)

#define FLOAT_OF_BITS(x)   as_float(x)
#define BITS_OF_FLOAT(x)   as_uint(x)
#define FLOAT_OF_NUMBER(x) ((float)(x))
#define EXACT_FLOAT        float

#endif
