# SPDX-License-Identifier: BSD-2-Clause-Patent
vmaf_add_kernel(vmaf_kernels motion_sad.kernel.c VARIANTS "8 SAMPLE_BITS=8 SAMPLE=u8"
  "16 SAMPLE_BITS=16 SAMPLE=u16")
