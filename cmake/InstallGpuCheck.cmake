# SPDX-License-Identifier: BSD-2-Clause-Patent
# Installs scripts/gpu-check.sh, so that backends can be checked without a source tree: how it finds the
# programs from where it is, what makes its clips, and the operations of kernels, which it looks up in
# the documentation of a source tree.

if(NOT TARGET vmaf_cli OR NOT TARGET vmaf_backend_bench OR NOT TARGET synth)
  return()
endif()

set(check_dir "${CMAKE_INSTALL_FULL_DATADIR}/libvmaf/gpu-check")
set(check_programs "${CMAKE_INSTALL_FULL_BINDIR}")
cmake_path(GET VMAF_HELPER_INSTALLED PARENT_PATH check_helpers)
foreach(path check_programs check_helpers) # may be moved with the prefix that they have in common
  cmake_path(IS_PREFIX CMAKE_INSTALL_PREFIX "${${path}}" NORMALIZE below)
  cmake_path(IS_PREFIX CMAKE_INSTALL_PREFIX "${check_dir}" NORMALIZE check_below)
  if(below AND check_below)
    file(RELATIVE_PATH from_check "${check_dir}" "${${path}}")
    set(${path} "$here/${from_check}")
  endif()
endforeach()
file(CONFIGURE OUTPUT gpu-check/installed.sh @ONLY CONTENT
"# SPDX-License-Identifier: BSD-2-Clause-Patent
# shellcheck shell=sh disable=SC2034,SC2154
# Where the programs are that gpu-check.sh runs.
programs=\"@check_programs@\"
helpers=\"@check_helpers@\"
")

set(operations "${PROJECT_SOURCE_DIR}/bench/kernel_operations.awk" "${PROJECT_SOURCE_DIR}/docs/kernels.md")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${operations})
execute_process(COMMAND awk -f ${operations} COMMAND_ERROR_IS_FATAL ANY
                OUTPUT_FILE "${CMAKE_CURRENT_BINARY_DIR}/gpu-check/kernel_operations.txt")

file(GLOB check_parts CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/scripts/gpu_check_*")
set(check_dir "${CMAKE_INSTALL_DATADIR}/libvmaf/gpu-check")
install(PROGRAMS "${PROJECT_SOURCE_DIR}/scripts/gpu-check.sh" DESTINATION "${check_dir}" COMPONENT cli)
install(FILES ${check_parts} "${CMAKE_CURRENT_BINARY_DIR}/gpu-check/installed.sh"
              "${CMAKE_CURRENT_BINARY_DIR}/gpu-check/kernel_operations.txt"
        DESTINATION "${check_dir}" COMPONENT cli)
install(TARGETS synth RUNTIME DESTINATION "${VMAF_HELPER_INSTALL_DIR}" COMPONENT cli)
