# SPDX-License-Identifier: BSD-2-Clause-Patent
foreach(kernel float_motion_rows float_motion_kept)
  vmaf_add_kernel(vmaf_kernels ${kernel}.kernel.c NATIVE VARIANTS "8 SAMPLE=u8" "16 SAMPLE=u16")
endforeach()
vmaf_add_kernel(vmaf_kernels float_motion_reduced.kernel.c NATIVE)
