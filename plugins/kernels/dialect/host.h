/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef KERNELS_DIALECT_HOST_H
#define KERNELS_DIALECT_HOST_H

/*
 * The dialect in plain C, for the host device (plugins/sdk/host): a kernel is a function that runs
 * one work-group, a block is a loop over its lanes in whatever order the device asks for. Each
 * access through AT() is checked, and memory that nobody has written holds noise.
 */
#include "host_kernel.h"

#define FN                      static inline
#define KERNEL_TABLE(T, n, len) static const T n[len]

#define HOST_PASTE(a, b)       a##b
#define HOST_FUNCTION_OF(name) HOST_PASTE(host_kernel_, name)
#define HOST_FUNCTION          HOST_FUNCTION_OF(KERNEL_NAME)
#define KERNEL_BEGIN                                                                               \
    _Static_assert(WX == KERNEL_WX && WY == KERNEL_WY, "as the build read them");                  \
    void HOST_FUNCTION(HostGroup *host_group);                                                     \
    void HOST_FUNCTION(HostGroup *host_group)                                                      \
    {
#define HOST_UNUSED __attribute__((unused)) /* a buffer, by some variants of a kernel */
#define HOST_BUFFER(slot, T, n)                                                                    \
    T *const restrict n##_at HOST_UNUSED = host_group->bindings[slot].data;                        \
    const HostArray n##_array HOST_UNUSED = {#n, host_group->bindings[slot].size / sizeof(T)};
#define HOST_SLOT_IS(slot, is_written)                                                             \
    _Static_assert((slot) < KERNEL_BUFFERS && (KERNEL_WRITTEN >> (slot)&1) == (is_written),        \
                   "slots count from 0, and stand in order");
#define KERNEL_IN(slot, T, n)                                                                      \
    HOST_SLOT_IS(slot, 0)                                                                          \
    HOST_BUFFER(slot, const T, n)
#define KERNEL_OUT(slot, T, n)                                                                     \
    HOST_SLOT_IS(slot, 1)                                                                          \
    HOST_BUFFER(slot, T, n)
#define KERNEL_ARGS(slot, T, n)                                                                    \
    _Static_assert((slot) == KERNEL_BUFFERS && sizeof(T) == KERNEL_ARGS_SIZE, "the last slot");    \
    const T n = *(const T *)host_group->args;
#define GROUP_MEMORY(T, n, len)                                                                    \
    T n##_at[len];                                                                                 \
    const HostArray n##_array = {#n, len};                                                         \
    host_fill_noise(n##_at, sizeof(n##_at), host_group->noise);
#define LANE_STATE(T, n)                                                                           \
    T n##_lanes[LANES];                                                                            \
    host_fill_noise(n##_lanes, sizeof(n##_lanes), host_group->noise);
#define LANE_STATE_ARRAY(T, n, len)                                                                \
    T n##_lanes[LANES][len];                                                                       \
    host_fill_noise(n##_lanes, sizeof(n##_lanes), host_group->noise);
#define KERNEL_BODY
#define KERNEL_END }

#define FIRST                                                                                      \
    for (const uint16_t *host_lane = host_group->order; host_lane < host_group->order + LANES;     \
         ++host_lane)
#define THEN     FIRST
#define AT(n, i) n##_at[host_index(host_group, &n##_array, I64(i), __LINE__)]
#define MINE(n)  n##_lanes[*host_lane]
#define LX       I32(*host_lane % WX)
#define LY       I32(*host_lane / WX)
#define GX       (host_group->group[0])
#define GY       (host_group->group[1])
#define GZ       (host_group->group[2])
#define NGX      (host_group->groups[0])
#define NGY      (host_group->groups[1])
#define NGZ      (host_group->groups[2])
#define UNROLL
#define MSB32(x) (31 - __builtin_clz(U32(x)))

#endif
