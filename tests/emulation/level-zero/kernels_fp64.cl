/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel void halves(__global double *to)
{
    to[get_global_id(0)] = (double)get_global_id(0) / 2;
}
