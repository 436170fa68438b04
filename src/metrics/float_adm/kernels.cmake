# SPDX-License-Identifier: BSD-2-Clause-Patent
vmaf_add_kernel(vmaf_kernels float_adm_luma.kernel.c NATIVE
  VARIANTS "8 SAMPLE=u8" "16 SAMPLE=u16")
vmaf_add_kernel(vmaf_kernels float_adm_coarse.kernel.c NATIVE)
vmaf_add_kernel(vmaf_kernels float_adm_rows.kernel.c NATIVE)
vmaf_add_kernel(vmaf_kernels float_adm_total.kernel.c NATIVE)
