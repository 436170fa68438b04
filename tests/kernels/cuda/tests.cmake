# SPDX-License-Identifier: BSD-2-Clause-Patent
# Tests of this layer alone.
if(TARGET vmaf_cuda_device)
  foreach(name faults layer sync)
    vmaf_add_program(test_cuda_${name} SOURCES cuda/test_cuda_${name}.c cuda/emulated.c
                     LIBRARIES layer_tests)
    target_include_directories(test_cuda_${name} PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}"
      "${CMAKE_CURRENT_SOURCE_DIR}/kernels" "${PROJECT_SOURCE_DIR}/plugins/cuda")
    vmaf_add_layer_test(cuda_${name} test_cuda_${name})
    vmaf_add_layer_test(cuda_old_${name} test_cuda_${name})
  endforeach()
  vmaf_add_layer_test(layer_cuda_old test_layer cuda)
  vmaf_add_command_test(cuda_linkage COMMAND cuda/linkage.sh "$<TARGET_FILE:backend_cuda>" LABELS kernels)
  # Where other streams go on, work shows that nobody waited for before its memory was given back.
  vmaf_add_layer_test(cuda_faults_others test_cuda_faults)
  set_property(TEST cuda_faults_others APPEND PROPERTY ENVIRONMENT VMAF_EMULATED_CUDA_ORDER=others)
endif()
