# SPDX-License-Identifier: BSD-2-Clause-Patent
vmaf_add_kernel(vmaf_kernels psnr_sse.kernel.c VARIANTS "8 SAMPLE_BITS=8" "16 SAMPLE_BITS=16"
  "rounded SAMPLE_BITS=16 ROUNDED=1")
