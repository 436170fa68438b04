/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Kernels for the tests of the emulated driver. */
typedef struct {
    uint value;
    int offset;
} fill_args;

/* Each lane writes the value, so many words behind its own place. */
__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void fill(__global uint *restrict to,
                                                                   const fill_args p)
{
    to[(int)get_global_id(0) + p.offset] = p.value;
}

/* Adds a word behind the last one of the source, to show what it reads. */
__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void copy(__global const uint *restrict from,
                                                                   __global uint *restrict to,
                                                                   const fill_args p)
{
    to[get_global_id(0)] = from[(int)get_global_id(0) + p.offset] + p.value;
}

/* Sums of groups of any size, by memory of the group. */
__kernel void sums(__global const uint *from, __global uint *to, __local uint *terms)
{
    terms[get_local_id(0)] = from[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        uint sum = 0;
#pragma unroll
        for (uint i = 0; i < get_local_size(0); i++)
            sum += terms[i];
        to[get_group_id(0)] = sum;
    }
}

/* Values of several types, and where groups are. */
__kernel void places(__global ulong *to, const uint a, const ulong b, const uchar c, const int3 d)
{
    const uint x = get_group_id(0), y = get_group_id(1), z = get_group_id(2);
    if (get_local_id(0) + get_local_id(1) + get_local_id(2) == 0)
        to[(z * get_num_groups(1) + y) * get_num_groups(0) + x] = a + b + c + (ulong)d.z + x;
}
