# SPDX-License-Identifier: BSD-2-Clause-Patent
vmaf_add_kernel(vmaf_kernels unpack.c VARIANTS "8 SAMPLE=u8 STORE=U8" "16 SAMPLE=u16 STORE=U16")
