# SPDX-License-Identifier: BSD-2-Clause-Patent
vmaf_add_kernel(vmaf_kernels ssim_terms.kernel.c VARIANTS "8 SAMPLE=u8 MOMENT_BITS=32" "16 SAMPLE=u16 MOMENT_BITS=64")
