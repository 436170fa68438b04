# SPDX-License-Identifier: BSD-2-Clause-Patent
# Version 1.0 of the backend interface: plugins built for it, and a host built for it, work with
# what is built for the version of the tree.

set(VMAF_ABI_1_0 "${CMAKE_CURRENT_SOURCE_DIR}/abi_1_0")

# The header.
foreach(version 1_0 now)
  add_library(abi_layout_${version} OBJECT abi_1_0/layout.c)
  target_compile_definitions(abi_layout_${version} PRIVATE
    MEMBERS=members_${version} N_MEMBERS=n_members_${version})
  target_link_libraries(abi_layout_${version} PRIVATE vmaf_settings)
endforeach()
target_include_directories(abi_layout_1_0 PRIVATE "${VMAF_ABI_1_0}")
target_include_directories(abi_layout_now PRIVATE "${PROJECT_SOURCE_DIR}/include")
vmaf_add_test(backend-abi-layout
  SOURCES abi_1_0/test_layout.c $<TARGET_OBJECTS:abi_layout_1_0> $<TARGET_OBJECTS:abi_layout_now>
  LABELS backend)
vmaf_add_command_test(backend-abi-constants COMMAND "${VMAF_ABI_1_0}/constants.sh" "${VMAF_ABI_1_0}/libvmaf"
    "${PROJECT_SOURCE_DIR}/include/libvmaf"
  LABELS backend PROPERTIES WORKING_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}")

# Plugins of 1.0, in the host of the tree: all that is asked of the same plugins of today.
add_inner_example(inner_example_1_0 "${VMAF_ABI_1_0}" ${example_sources})
vmaf_add_test_backend(backend_example_1_0 NAME example FOLDER abi_1_0/example
  HEADERS "${VMAF_ABI_1_0}" SOURCES ${example_sources})
vmaf_add_test_backend(backend_membuf_1_0 NAME cuda FOLDER abi_1_0/membuf
  HEADERS "${VMAF_ABI_1_0}"
  SOURCES plugins/membuf.c plugins/membuf_memory.c $<TARGET_OBJECTS:inner_example_1_0>)
vmaf_add_command_test(backend-abi-old-example COMMAND backend-example LABELS optimised
  ENVIRONMENT "LOCPATH=${VMAF_TEST_LOCALES}" "VMAF_BACKEND_PATH=${VMAF_TEST_BACKENDS}/abi_1_0/example"
    "XDG_CACHE_HOME=${CMAKE_CURRENT_BINARY_DIR}/cache")
foreach(name_and_program buffers:vendor-cuda import:vendor-import)
  string(REPLACE ":" ";" name_and_program "${name_and_program}")
  list(GET name_and_program 0 name)
  list(GET name_and_program 1 program)
  vmaf_add_command_test(backend-abi-old-${name} COMMAND ${program} LABELS optimised
    ENVIRONMENT "LOCPATH=${VMAF_TEST_LOCALES}"
      "VMAF_BACKEND_PATH=${VMAF_TEST_BACKENDS}/abi_1_0/membuf:${VMAF_TEST_BACKENDS}/vendor"
      "VMAF_BACKEND_PROBE=inprocess" "VMAF_BACKEND_SPOT_CHECK=0")
endforeach()
add_dependencies(backend-example backend_example_1_0)
add_dependencies(vendor-cuda backend_membuf_1_0)

# Plugins of the tree, in a host of 1.0.
add_executable(backend_old_host abi_1_0/old_host.c)
target_include_directories(backend_old_host PRIVATE "${VMAF_ABI_1_0}")
target_link_libraries(backend_old_host PRIVATE vmaf_settings ${CMAKE_DL_LIBS})
#   vmaf_add_old_host_test(name plugin)
function(vmaf_add_old_host_test name plugin)
  vmaf_add_command_test(backend-abi-old-host-${name} COMMAND backend_old_host "$<TARGET_FILE:${plugin}>"
    LABELS backend)
endfunction()
vmaf_add_old_host_test(example backend_example)
vmaf_add_old_host_test(membuf backend_membuf)
