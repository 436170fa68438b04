# SPDX-License-Identifier: BSD-2-Clause-Patent
# The list of the kernels of all metrics; docs/kernels.md says how they are written.

vmaf_add_kernel(vmaf_kernels reduce/sum_partials.c)
vmaf_add_kernel(vmaf_kernels motion/motion_sad.c VARIANTS "8 SAMPLE=u8" "16 SAMPLE=u16")
vmaf_add_kernel(vmaf_kernels psnr/psnr_sse.c VARIANTS "8 SAMPLE_BITS=8" "16 SAMPLE_BITS=16")
vmaf_add_kernel(vmaf_kernels adm/adm_luma.c
  VARIANTS "8 SAMPLE_BITS=8 PAIR=u16 VARIANTS=1" "16 SAMPLE_BITS=16 PAIR=u32 VARIANTS=1"
  "8_x2 SAMPLE_BITS=8 PAIR=u16 VARIANTS=2" "16_x2 SAMPLE_BITS=16 PAIR=u32 VARIANTS=2")
vmaf_add_kernel(vmaf_kernels adm/adm_coarse.c
  VARIANTS "16 APPROX_BITS=16 APPROX=i16 VARIANTS=1" "32 APPROX_BITS=32 APPROX=i32 VARIANTS=1"
  "16_x2 APPROX_BITS=16 APPROX=i16 VARIANTS=2" "32_x2 APPROX_BITS=32 APPROX=i32 VARIANTS=2")
vmaf_add_kernel(vmaf_kernels vif/vif_decimate.c VARIANTS "8 SAMPLE=u8" "16 SAMPLE=u16")
vmaf_add_kernel(vmaf_kernels vif/vif_scale.c
  VARIANTS "0_8 SCALE=0 SAMPLE_BITS=8 SAMPLE=u8 LIMITS=1"
  "0_16 SCALE=0 SAMPLE_BITS=16 SAMPLE=u16 LIMITS=1"
  "1 SCALE=1 SAMPLE_BITS=16 SAMPLE=u16 LIMITS=1" "2 SCALE=2 SAMPLE_BITS=16 SAMPLE=u16 LIMITS=1"
  "3 SCALE=3 SAMPLE_BITS=16 SAMPLE=u16 LIMITS=1"
  "0_8_x2 SCALE=0 SAMPLE_BITS=8 SAMPLE=u8 LIMITS=2"
  "0_16_x2 SCALE=0 SAMPLE_BITS=16 SAMPLE=u16 LIMITS=2"
  "1_x2 SCALE=1 SAMPLE_BITS=16 SAMPLE=u16 LIMITS=2"
  "2_x2 SCALE=2 SAMPLE_BITS=16 SAMPLE=u16 LIMITS=2"
  "3_x2 SCALE=3 SAMPLE_BITS=16 SAMPLE=u16 LIMITS=2")
