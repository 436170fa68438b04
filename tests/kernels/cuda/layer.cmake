# SPDX-License-Identifier: BSD-2-Clause-Patent
# The layer of this backend for the tests of all layers.
if(TARGET vmaf_cuda_device AND CMAKE_SIZEOF_VOID_P EQUAL 8) # as addresses of the emulated driver
  vmaf_add_stream_layer(cuda RUNTIME CUDA HEADER cuda_layer.h LAYER vmaf_cuda_layer KERNELS ptx
    QUEUE VMAF_BACKEND_SYNC_CUDA_STREAM MISSING "libcuda.so.1: " LIBRARIES vmaf_cuda_device
    ENVIRONMENT "LD_LIBRARY_PATH=${PROJECT_BINARY_DIR}/emulation/cuda")
elseif(TARGET vmaf_kernels_on_ptx)
  vmaf_add_kernels(test_kernels_on_ptx test_kernels ptx)
  target_include_directories(test_kernels_on_ptx PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}/kernels")
endif()
# A driver without the functions of newer ones.
list(APPEND variants cuda_old)
set(environment_cuda_old VMAF_TEST_LAYER_CUDA=$<TARGET_FILE:layer_cuda> "LD_LIBRARY_PATH=${PROJECT_BINARY_DIR}/emulation/cuda-old")
