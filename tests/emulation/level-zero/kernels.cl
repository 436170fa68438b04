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

/* Values of several types, and a loop that is to be unrolled. */
__kernel void places(__global ulong *to, const uint a, const ulong b, const uchar c, const int3 d)
{
#pragma unroll
    for (uint i = 0; i < a; i++)
        to[i] += b + c + (ulong)d.z;
}
