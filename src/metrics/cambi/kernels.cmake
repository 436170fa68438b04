# SPDX-License-Identifier: BSD-2-Clause-Patent
vmaf_add_kernel(vmaf_kernels cambi_beyond.kernel.c)
vmaf_add_kernel(vmaf_kernels cambi_clear.kernel.c)
vmaf_add_kernel(vmaf_kernels cambi_flat.kernel.c VARIANTS "8 SAMPLE=u8" "16 SAMPLE=u16")
vmaf_add_kernel(vmaf_kernels cambi_mode.kernel.c)
vmaf_add_kernel(vmaf_kernels cambi_contrast.kernel.c)
vmaf_add_kernel(vmaf_kernels cambi_tally.kernel.c VARIANTS "1 LEVEL=1" "2 LEVEL=2" "3 LEVEL=3")
vmaf_add_kernel(vmaf_kernels cambi_strongest.kernel.c)
