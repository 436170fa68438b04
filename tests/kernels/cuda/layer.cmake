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
# The kernels of the product and of the tests, as PTX that the build's clang makes.
if(TARGET test_kernels_on_ptx)
  vmaf_add_test(test_ptx_kernels SOURCES "${CMAKE_CURRENT_LIST_DIR}/test_ptx_kernels.c"
                LIBRARIES ptx_interpreter vmaf_kernels_on_ptx test_kernels_on_ptx kernel_fixture
                LABELS kernels)
  target_include_directories(test_ptx_kernels PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
else()
  vmaf_skip_test(test_ptx_kernels "no clang that writes PTX" LABELS kernels)
endif()

# A driver without the functions of newer ones.
list(APPEND variants cuda_old)
set(environment_cuda_old VMAF_TEST_LAYER_CUDA=$<TARGET_FILE:layer_cuda> "LD_LIBRARY_PATH=${PROJECT_BINARY_DIR}/emulation/cuda-old")
