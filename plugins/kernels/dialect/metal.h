/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef KERNELS_DIALECT_METAL_H
#define KERNELS_DIALECT_METAL_H

/* The dialect in the Metal shading language, 2.3 and later. */
using namespace metal;
#define FN                      static inline
#define KERNEL_TABLE(T, n, len) constant const T n[len]
#define KERNEL_BEGIN                                                                               \
    [[max_total_threads_per_threadgroup(LANES)]] kernel void KERNEL_NAME(
#define KERNEL_IN(slot, T, n)  device const T *n [[buffer(slot)]],
#define KERNEL_OUT(slot, T, n) device T *n [[buffer(slot)]],
#define KERNEL_ARGS(slot, T, n)                                                                    \
    constant T &n [[buffer(slot)]], uint3 kernel_lane [[thread_position_in_threadgroup]],          \
        uint3 kernel_group [[threadgroup_position_in_grid]],                                       \
        uint3 kernel_groups [[threadgroups_per_grid]])                                             \
    {
#define GROUP_MEMORY(T, n, len)     threadgroup T n[len];
#define LANE_STATE(T, n)            T n;
#define LANE_STATE_ARRAY(T, n, len) T n[len];
#define KERNEL_BODY
#define KERNEL_END }

FN bool kernel_sync()
{
    threadgroup_barrier(mem_flags::mem_threadgroup);
    return true;
}

#define FIRST
#define THEN     if (kernel_sync())
#define AT(n, i) n[i]
#define MINE(n)  n
#define LX       I32(kernel_lane.x)
#define LY       I32(kernel_lane.y)
#define GX       I32(kernel_group.x)
#define GY       I32(kernel_group.y)
#define GZ       I32(kernel_group.z)
#define NGX      I32(kernel_groups.x)
#define NGY      I32(kernel_groups.y)
#define NGZ      I32(kernel_groups.z)
#define UNROLL   _Pragma("unroll")
#define MSB32(x) (31 - I32(clz(U32(x))))

FN void kernel_atomic_add(device u32 *at, u32 x)
{
    atomic_fetch_add_explicit((device atomic_uint *)at, x, memory_order_relaxed);
}

FN void kernel_atomic_add(threadgroup u32 *at, u32 x)
{
    atomic_fetch_add_explicit((threadgroup atomic_uint *)at, x, memory_order_relaxed);
}

#define ATOMIC_ADD(n, i, x) kernel_atomic_add(&n[i], U32(x))
#define MAD24(a, b, c)      ((a) * (b) + (c))

#endif
