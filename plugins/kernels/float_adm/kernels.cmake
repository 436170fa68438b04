# SPDX-License-Identifier: BSD-2-Clause-Patent
vmaf_add_kernel(vmaf_kernels float_adm_luma.c NATIVE
  VARIANTS "8 SAMPLE=u8" "16 SAMPLE=u16")
vmaf_add_kernel(vmaf_kernels float_adm_coarse.c NATIVE)
vmaf_add_kernel(vmaf_kernels float_adm_rows.c NATIVE)
vmaf_add_kernel(vmaf_kernels float_adm_total.c NATIVE)
