# SPDX-License-Identifier: BSD-2-Clause-Patent
# The layer of this backend for the tests of all layers.
vmaf_find_hip_architectures(chips)
# The emulated runtime has addresses of 64 bits, and a chip. Tests have kernels of their own for another
# one, which any clang knows.
if(TARGET vmaf_hip_device AND CMAKE_SIZEOF_VOID_P EQUAL 8 AND "gfx1030" IN_LIST chips)
  add_library(layer_hip_kernels STATIC hip/layer_kernels.c)
  target_link_libraries(layer_hip_kernels PRIVATE vmaf_settings PUBLIC vmaf_hip_device)
  set_target_properties(layer_hip_kernels PROPERTIES POSITION_INDEPENDENT_CODE ON)
  vmaf_add_stream_layer(hip ARCHITECTURES gfx906 gfx1030 RUNTIME HIP HEADER hip_layer.h
    LAYER vmaf_hip_layer KERNELS hip QUEUE VMAF_BACKEND_SYNC_HIP_STREAM
    LIBRARIES vmaf_hip_device layer_hip_kernels
    ENVIRONMENT "LD_LIBRARY_PATH=${PROJECT_BINARY_DIR}/emulation/hip")
endif()
# Other major versions of ROCm.
list(APPEND variants hip_5 hip_7)
set(environment_hip_5 VMAF_TEST_LAYER_HIP=$<TARGET_FILE:layer_hip> "LD_LIBRARY_PATH=${PROJECT_BINARY_DIR}/emulation/hip-5")
set(environment_hip_7 VMAF_TEST_LAYER_HIP=$<TARGET_FILE:layer_hip> "LD_LIBRARY_PATH=${PROJECT_BINARY_DIR}/emulation/hip-7")
