# SPDX-License-Identifier: BSD-2-Clause-Patent
set(variants "")
foreach(reach "8" "32")
  set(suffix "")
  if(reach GREATER 8)
    set(suffix "_wide")
  endif()
  list(APPEND variants
    "8${suffix} SAMPLE=u8 SAMPLE_BITS=8 REACH=${reach}"
    "16${suffix} SAMPLE=u16 SAMPLE_BITS=16 REACH=${reach}"
    "32${suffix} SAMPLE=f32 SAMPLE_BITS=32 REACH=${reach}")
endforeach()
vmaf_add_kernel(vmaf_kernels float_vif_reduce.kernel.c NATIVE VARIANTS ${variants})
vmaf_add_kernel(vmaf_kernels float_vif_scale.kernel.c NATIVE VARIANTS ${variants})
vmaf_add_kernel(vmaf_kernels float_vif_resample.kernel.c NATIVE VARIANTS "8 SAMPLE=u8 SAMPLE_BITS=8" "16 SAMPLE=u16 SAMPLE_BITS=16")
