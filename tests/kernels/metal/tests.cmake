# SPDX-License-Identifier: BSD-2-Clause-Patent
# Tests of this layer alone.
if(TARGET vmaf_metal_import)
  # Linked with the emulated Metal, which they break.
  foreach(name devices faults layer sync)
    vmaf_add_program(test_metal_${name} SOURCES metal/test_metal_${name}.c metal/application.c
                     LIBRARIES layer_tests emulated_metal)
    target_include_directories(test_metal_${name} PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}"
      "${CMAKE_CURRENT_SOURCE_DIR}/kernels" "${PROJECT_SOURCE_DIR}/plugins/metal")
    vmaf_add_layer_test(metal_${name} test_metal_${name})
  endforeach()
  # Against a translation of the kernels for Vulkan, by a tool that is not ours.
  find_program(VMAF_SPIRV_CROSS spirv-cross)
  mark_as_advanced(VMAF_SPIRV_CROSS)
  find_package(Python3 COMPONENTS Interpreter)
  if(VMAF_SPIRV_CROSS AND Python3_FOUND AND TARGET vmaf_vulkan_device)
    set(folders "")
    foreach(folder "${PROJECT_BINARY_DIR}/plugins/kernels/vmaf_kernels"
            "${CMAKE_CURRENT_BINARY_DIR}/test_kernels")
      list(APPEND folders "${folder}/metal/generic" "${folder}/vulkan/generic")
    endforeach()
    vmaf_add_command_test(metal_reflection COMMAND metal/reflection.py "${VMAF_SPIRV_CROSS}" ${folders}
      LABELS kernels)
  else()
    vmaf_skip_test(metal_reflection "no spirv-cross, Python or kernels for Vulkan" LABELS kernels)
  endif()
endif()
