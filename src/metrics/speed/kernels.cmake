# SPDX-License-Identifier: BSD-2-Clause-Patent
vmaf_add_kernel(vmaf_kernels speed_low_pass.kernel.c NATIVE VARIANTS "8 SAMPLE=u8 RESAMPLED=0" "16 SAMPLE=u16 RESAMPLED=0"
  "resampled_8 SAMPLE=u8 RESAMPLED=1" "resampled_16 SAMPLE=u16 RESAMPLED=1")
vmaf_add_kernel(vmaf_kernels speed_residual.kernel.c NATIVE)
