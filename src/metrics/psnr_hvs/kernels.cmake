# SPDX-License-Identifier: BSD-2-Clause-Patent
vmaf_add_kernel(vmaf_kernels psnr_hvs_errors.kernel.c NATIVE VARIANTS "8 SAMPLE=u8" "16 SAMPLE=u16")
