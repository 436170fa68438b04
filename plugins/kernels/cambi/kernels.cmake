# SPDX-License-Identifier: BSD-2-Clause-Patent
vmaf_add_kernel(vmaf_kernels cambi_beyond.c)
vmaf_add_kernel(vmaf_kernels cambi_clear.c)
vmaf_add_kernel(vmaf_kernels cambi_flat.c VARIANTS "8 SAMPLE=u8" "16 SAMPLE=u16")
vmaf_add_kernel(vmaf_kernels cambi_mode.c)
vmaf_add_kernel(vmaf_kernels cambi_contrast.c)
vmaf_add_kernel(vmaf_kernels cambi_tally.c VARIANTS "1 LEVEL=1" "2 LEVEL=2" "3 LEVEL=3")
vmaf_add_kernel(vmaf_kernels cambi_strongest.c)
