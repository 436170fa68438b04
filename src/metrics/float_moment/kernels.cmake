# SPDX-License-Identifier: BSD-2-Clause-Patent
vmaf_add_kernel(vmaf_kernels float_moment_sums.kernel.c VARIANTS "8 SAMPLE_BITS=8" "16 SAMPLE_BITS=16")
