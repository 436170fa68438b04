/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef KERNELS_DIALECT_GLSL_H
#define KERNELS_DIALECT_GLSL_H

/*
 * The dialect in GLSL, for Vulkan: buffers are the bindings of set 0, arguments are push constants.
 * 8- and 16-bit types are for storage only: without the extensions for their arithmetic the
 * compiler rejects operations for which C would promote them.
 */
#define FN
#define KERNEL_TABLE(T, n, len) const T n[len]
#define KERNEL_BEGIN            layout(local_size_x = WX, local_size_y = WY) in;
#define KERNEL_IN(slot, T, n)                                                                      \
    layout(std430, set = 0, binding = slot) restrict readonly buffer KernelBuffer##slot            \
    {                                                                                              \
        T n[];                                                                                     \
    };
#define KERNEL_OUT(slot, T, n)                                                                     \
    layout(std430, set = 0, binding = slot) restrict buffer KernelBuffer##slot                     \
    {                                                                                              \
        T n[];                                                                                     \
    };
#define KERNEL_ARGS(slot, T, n)                                                                    \
    layout(push_constant) uniform KernelArgs                                                       \
    {                                                                                              \
        T n;                                                                                       \
    };
#define GROUP_MEMORY(T, n, len)     shared T n[len];
#define LANE_STATE(T, n)            T n;
#define LANE_STATE_ARRAY(T, n, len) T n[len];
#define KERNEL_BODY                                                                                \
    void main()                                                                                    \
    {
#define KERNEL_END }

bool kernel_sync()
{
    memoryBarrierShared();
    barrier();
    return true;
}

#if defined(NATIVE_F32)
/* DenormPreserve, SignedZeroInfNanPreserve and RoundingModeRTE of 32 bits. */
spirv_execution_mode(capabilities = [4464], 4459, 32);
spirv_execution_mode(capabilities = [4466], 4461, 32);
spirv_execution_mode(capabilities = [4467], 4462, 32);
#define FLOAT_OF_BITS(x)   uintBitsToFloat(x)
#define BITS_OF_FLOAT(x)   floatBitsToUint(x)
#define FLOAT_OF_NUMBER(x) float(x)
#define EXACT_FLOAT        precise float /* neither contracted nor reordered */
#endif

u32 kernel_mul_hi(u32 a, u32 b)
{
    u32 high, low;
    umulExtended(a, b, high, low);
    return high;
}
#define KERNEL_MUL_HI(a, b) kernel_mul_hi(a, b)

#define FIRST
#define THEN     if (kernel_sync())
#define AT(n, i) n[i]
#define MINE(n)  n
#define LX       I32(gl_LocalInvocationID.x)
#define LY       I32(gl_LocalInvocationID.y)
#define GX       I32(gl_WorkGroupID.x)
#define GY       I32(gl_WorkGroupID.y)
#define GZ       I32(gl_WorkGroupID.z)
#define NGX      I32(gl_NumWorkGroups.x)
#define NGY      I32(gl_NumWorkGroups.y)
#define NGZ      I32(gl_NumWorkGroups.z)
#define UNROLL   [[unroll]]
#define MSB32(x) findMSB(U32(x))

#define ATOMIC_ADD(n, i, x) atomicAdd(n[i], U32(x))
#define MAD24(a, b, c)      ((a) * (b) + (c))

#endif
