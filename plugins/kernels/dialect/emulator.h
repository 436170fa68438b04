/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef KERNELS_DIALECT_EMULATOR_H
#define KERNELS_DIALECT_EMULATOR_H

/*
 * The dialect in plain C, for the emulator (plugins/sdk/emulator): a kernel is a function that runs
 * one work-group, and a block is a loop over its invocations in the order that the device chooses.
 * Each access through AT() is checked, and unwritten memory holds noise.
 */
#include "emulator_kernel.h"

#define FN                      static inline
#define KERNEL_TABLE(T, n, len) static const T n[len]

#define EMULATOR_PASTE(a, b)       a##b
#define EMULATOR_FUNCTION_OF(name) EMULATOR_PASTE(emulator_kernel_, name)
#define EMULATOR_FUNCTION          EMULATOR_FUNCTION_OF(KERNEL_NAME)
#define KERNEL_BEGIN                                                                               \
    _Static_assert(WX == KERNEL_WX && WY == KERNEL_WY, "as the build read them");                  \
    void EMULATOR_FUNCTION(EmulatorGroup *emulator_group);                                         \
    void EMULATOR_FUNCTION(EmulatorGroup *emulator_group)                                          \
    {
#define EMULATOR_UNUSED __attribute__((unused)) /* not every variant uses all buffers */
#define EMULATOR_BUFFER(slot, T, n)                                                                \
    T *const restrict n##_at EMULATOR_UNUSED = emulator_group->bindings[slot].data;                \
    const EmulatorArray n##_array EMULATOR_UNUSED = {#n, emulator_group->bindings[slot].size /     \
                                                             sizeof(T)};
#define EMULATOR_SLOT_IS(slot, is_written)                                                         \
    _Static_assert((slot) < KERNEL_BUFFERS && (KERNEL_WRITTEN >> (slot)&1) == (is_written),        \
                   "slots count from 0, and stand in order");
#define KERNEL_IN(slot, T, n)                                                                      \
    EMULATOR_SLOT_IS(slot, 0)                                                                      \
    EMULATOR_BUFFER(slot, const T, n)
#define KERNEL_OUT(slot, T, n)                                                                     \
    EMULATOR_SLOT_IS(slot, 1)                                                                      \
    EMULATOR_BUFFER(slot, T, n)
#define KERNEL_ARGS(slot, T, n)                                                                    \
    _Static_assert((slot) == KERNEL_BUFFERS && sizeof(T) == KERNEL_ARGS_SIZE, "the last slot");    \
    const T n = *(const T *)emulator_group->args;
#define GROUP_MEMORY(T, n, len)                                                                    \
    T n##_at[len];                                                                                 \
    const EmulatorArray n##_array = {#n, len};                                                     \
    emulator_fill_noise(n##_at, sizeof(n##_at), emulator_group->noise);
#define LANE_STATE(T, n)                                                                           \
    T n##_lanes[LANES];                                                                            \
    emulator_fill_noise(n##_lanes, sizeof(n##_lanes), emulator_group->noise);
#define LANE_STATE_ARRAY(T, n, len)                                                                \
    T n##_lanes[LANES][len];                                                                       \
    emulator_fill_noise(n##_lanes, sizeof(n##_lanes), emulator_group->noise);
#define KERNEL_BODY
#define KERNEL_END }

#define FIRST                                                                                      \
    for (const uint16_t *emulator_lane = emulator_group->order;                                    \
         emulator_lane < emulator_group->order + LANES; ++emulator_lane)
#define THEN     FIRST
#define AT(n, i) n##_at[emulator_index(emulator_group, &n##_array, I64(i), __LINE__)]
#define MINE(n)  n##_lanes[*emulator_lane]
#define LX       I32(*emulator_lane % WX)
#define LY       I32(*emulator_lane / WX)
#define GX       (emulator_group->group[0])
#define GY       (emulator_group->group[1])
#define GZ       (emulator_group->group[2])
#define NGX      (emulator_group->groups[0])
#define NGY      (emulator_group->groups[1])
#define NGZ      (emulator_group->groups[2])
#define UNROLL
#define MSB32(x) (31 - __builtin_clz(U32(x)))

#define ATOMIC_ADD(n, i, x) (AT(n, i) += U32(x)) /* invocations run one after the other */

/* Drops bits above the lower 24, like devices that have such an instruction. */
static inline int32_t emulator_24_bits(int32_t x)
{
    return (int32_t)((uint32_t)x << 8) >> 8;
}

static inline int32_t emulator_mad24(int32_t a, int32_t b, int32_t c)
{
    const int64_t product = (int64_t)emulator_24_bits(a) * emulator_24_bits(b);
    return (int32_t)((uint32_t)product + (uint32_t)c);
}
#define MAD24(a, b, c) emulator_mad24(a, b, c)

static inline float emulator_float_of_bits(uint32_t bits)
{
    float x;
    __builtin_memcpy(&x, &bits, sizeof(x));
    return x;
}

static inline uint32_t emulator_bits_of_float(float x)
{
    uint32_t bits;
    __builtin_memcpy(&bits, &x, sizeof(bits));
    return bits;
}
#define FLOAT_OF_BITS(x)      emulator_float_of_bits(x)
#define BITS_OF_FLOAT(x)      emulator_bits_of_float(x)
#define FLOAT_OF_NUMBER(x)    ((float)(x))
#define EXACT_FLOAT           float
#define NATIVE_QUOTIENT(a, b) ((a) / (b))
#define NATIVE_ROOT(x)        __builtin_sqrtf(x)

#endif
