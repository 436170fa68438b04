# SPDX-License-Identifier: BSD-2-Clause-Patent
vmaf_add_kernel(vmaf_kernels row_sums.c NATIVE)
vmaf_add_kernel(vmaf_kernels sum_partials.c)
vmaf_add_kernel(vmaf_kernels total_in_order.c NATIVE)
foreach(kernel ordered_estimates ordered_runs ordered_walk)
  vmaf_add_kernel(vmaf_kernels ${kernel}.c VARIANTS "32 BITS=32 WORD=u32" "64 BITS=64 WORD=u64")
endforeach()
