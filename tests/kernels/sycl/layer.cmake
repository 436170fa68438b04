# SPDX-License-Identifier: BSD-2-Clause-Patent
# The layer of this backend for the tests of all layers.
# The loader of the system loads the emulated driver, which runs kernels on pocl: no other OpenCL
# driver is to be found there. pocl and its compiler keep memory to the end.
find_path(VMAF_OPENCL_INCLUDE_DIR CL/cl.h)
if(TARGET vmaf_sycl_device AND CMAKE_SIZEOF_VOID_P EQUAL 8 AND VMAF_OPENCL_INCLUDE_DIR)
  set(sycl_environment "ZE_ENABLE_ALT_DRIVERS=$<TARGET_FILE:emulated_level_zero>"
    "OCL_ICD_VENDORS=pocl.icd" "ASAN_OPTIONS=detect_leaks=0")
  set(sycl_validation ZE_ENABLE_VALIDATION_LAYER=1 ZE_ENABLE_PARAMETER_VALIDATION=1)
  vmaf_add_stream_layer(sycl RUNTIME LEVEL_ZERO HEADER sycl_layer.h LAYER vmaf_sycl_layer
    KERNELS opencl MISSING "libze_loader.so.1: " LIBRARIES vmaf_sycl_device
    ENVIRONMENT ${sycl_environment})
else()
  vmaf_skip_test(layer_sycl "no SYCL backend, or no headers of OpenCL for its emulated driver" LABELS kernels)
endif()
