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
  target_link_libraries(test_hip_chips PRIVATE vmaf_hip_device layer_hip_kernels test_kernels_on_hip)
  # Code of one chip as that of others: of a kernel, and with the label nightly of all.
  add_executable(rename_code hip/rename_code.c)
  target_link_libraries(rename_code PRIVATE vmaf_settings vmaf_hip_device)
  vmaf_kernel_environment(environment)
  list(FILTER environment EXCLUDE REGEX "^KERNEL_CACHE=")
  get_property(all GLOBAL PROPERTY vmaf_kernels_WRAPPERS)
  set(some ${all})
  list(FILTER some INCLUDE REGEX "/psnr_sse_8\\.c$")
  list(JOIN VMAF_HIP_KNOWN " " known)
  foreach(which some all)
    vmaf_add_command_test(hip_renamed_code_${which}
      COMMAND hip/renamed_code.sh "${VMAF_KERNEL_COMPILER}" $<TARGET_FILE:rename_code>
              "${CMAKE_CURRENT_BINARY_DIR}/renamed_${which}" "${known}" ${${which}}
      LABELS kernels ENVIRONMENT "${environment}")
  endforeach()
endif()
