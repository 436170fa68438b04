# SPDX-License-Identifier: BSD-2-Clause-Patent
# Tests of this layer alone.
if(TARGET layer_hip)
  foreach(name chips faults layer sync)
    vmaf_add_program(test_hip_${name} SOURCES hip/test_hip_${name}.c hip/emulated.c
                     LIBRARIES layer_tests)
    target_include_directories(test_hip_${name} PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}"
      "${CMAKE_CURRENT_SOURCE_DIR}/kernels" "${PROJECT_SOURCE_DIR}/plugins/hip")
    foreach(version "" _5 _7)
      vmaf_add_layer_test(hip${version}_${name} test_hip_${name})
    endforeach()
  endforeach()
  # Where other streams go on, work shows that nobody waited for before its memory was given back.
  vmaf_add_layer_test(hip_faults_others test_hip_faults)
  set_property(TEST hip_faults_others APPEND PROPERTY ENVIRONMENT VMAF_EMULATED_HIP_ORDER=others)
  target_link_libraries(test_hip_chips PRIVATE vmaf_hip_device layer_hip_kernels vmaf_kernels_on_hip)
endif()
