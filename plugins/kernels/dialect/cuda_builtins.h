/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef KERNELS_DIALECT_CUDA_BUILTINS_H
#define KERNELS_DIALECT_CUDA_BUILTINS_H

/*
 * The declarations that dialect/cuda.h needs, made from clang's builtins alone, so that PTX and AMD
 * code objects build without a vendor's toolkit.
 */
#define __global__   __attribute__((global))
#define __device__   __attribute__((device))
#define __shared__   __attribute__((shared))
#define __constant__ __attribute__((constant))

#define CUDA_INLINE __device__ inline __attribute__((always_inline))
#define CUDA_CLZ(x) __builtin_clz(x)

#define FLOAT_OF_BITS(x) __builtin_bit_cast(float, x)
#define BITS_OF_FLOAT(x) __builtin_bit_cast(unsigned, x)

#if defined(__HIP__)

#define CUDA_ATOMIC_ADD(at, x)                                                                     \
    ((void)__hip_atomic_fetch_add(at, x, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT))
#define CUDA_KERNEL  __global__ __attribute__((amdgpu_flat_work_group_size(LANES, LANES))) void
#define CUDA_LANE_X  __builtin_amdgcn_workitem_id_x()
#define CUDA_LANE_Y  __builtin_amdgcn_workitem_id_y()
#define CUDA_GROUP_X __builtin_amdgcn_workgroup_id_x()
#define CUDA_GROUP_Y __builtin_amdgcn_workgroup_id_y()
#define CUDA_GROUP_Z __builtin_amdgcn_workgroup_id_z()

/* HSA's dispatch packet has the invocations of a group, u16, from byte 4 on, and those of the grid,
 * u32, from byte 12 on. */
static CUDA_INLINE unsigned hip_groups(int axis, unsigned group_lanes)
{
    typedef const __attribute__((address_space(4))) unsigned char *Packet;
    const Packet packet = (Packet)__builtin_amdgcn_dispatch_ptr();
    return ((const __attribute__((address_space(4))) unsigned *)(packet + 12))[axis] / group_lanes;
}

/*
 * Invocations exchange data only through group memory, so a barrier has to wait for nothing else:
 * with plain fences every wave would also wait for its loads and stores of global memory, and
 * invalidate its cache. Clang 19 accepts the address space; for older ones an instruction waits for
 * the counter of group memory, except on chips whose instructions for that are newer.
 */
static CUDA_INLINE void hip_sync(void)
{
#if __clang_major__ >= 19
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup", "local");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup", "local");
#elif defined(__GFX12__)
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
#else
    __asm__ volatile("s_waitcnt lgkmcnt(0)\n\ts_barrier" ::: "memory");
#endif
}

#define CUDA_GROUPS_X hip_groups(0, WX)
#define CUDA_GROUPS_Y hip_groups(1, WY)
#define CUDA_GROUPS_Z hip_groups(2, 1)
#define CUDA_SYNC()   hip_sync()

#else

#define CUDA_ATOMIC_ADD(at, x) ((void)__atomic_fetch_add(at, x, __ATOMIC_RELAXED))
#define KERNEL_MUL_HI(a, b)    U32(__nvvm_mulhi_ui(a, b))
#define NATIVE_QUOTIENT(a, b)  __nvvm_div_rn_f(a, b)
#define NATIVE_ROOT(x)         __nvvm_sqrt_rn_f(x)
#define CUDA_KERNEL            __global__ __attribute__((launch_bounds(LANES))) void
#define CUDA_LANE_X            __nvvm_read_ptx_sreg_tid_x()
#define CUDA_LANE_Y            __nvvm_read_ptx_sreg_tid_y()
#define CUDA_GROUP_X           __nvvm_read_ptx_sreg_ctaid_x()
#define CUDA_GROUP_Y           __nvvm_read_ptx_sreg_ctaid_y()
#define CUDA_GROUP_Z           __nvvm_read_ptx_sreg_ctaid_z()
#define CUDA_GROUPS_X          __nvvm_read_ptx_sreg_nctaid_x()
#define CUDA_GROUPS_Y          __nvvm_read_ptx_sreg_nctaid_y()
#define CUDA_GROUPS_Z          __nvvm_read_ptx_sreg_nctaid_z()
#define CUDA_SYNC()            __nvvm_bar_sync(0)

#endif

#endif
