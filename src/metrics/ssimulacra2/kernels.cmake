# SPDX-License-Identifier: BSD-2-Clause-Patent
vmaf_add_kernel(vmaf_kernels ssimulacra2_decode.kernel.c NATIVE VARIANTS "8 SAMPLE=u8" "16 SAMPLE=u16")
foreach(kernel xyb rows columns ssim edges)
  vmaf_add_kernel(vmaf_kernels ssimulacra2_${kernel}.kernel.c NATIVE)
endforeach()
