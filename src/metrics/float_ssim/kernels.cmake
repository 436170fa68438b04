# SPDX-License-Identifier: BSD-2-Clause-Patent
foreach(kernel ssim_compare ssim_halve)
  vmaf_add_kernel(vmaf_kernels ${kernel}.kernel.c NATIVE VARIANTS "8 SAMPLE_BITS=8 SAMPLE=u8"
    "16 SAMPLE_BITS=16 SAMPLE=u16"
    "32 SAMPLE_BITS=32 SAMPLE=u32")
endforeach()
vmaf_add_kernel(vmaf_kernels ssim_reduce.kernel.c VARIANTS "8 SAMPLE=u8" "16 SAMPLE=u16")
