# SPDX-License-Identifier: BSD-2-Clause-Patent
# vmaf_add_backend(name sources...): the plugin libvmaf-backend-<name>.so, target backend_<name>, and
# its install component. Symbols are bound when it is loaded, so that a missing driver shows then,
# nothing but the entry is exported, and what the entry does not reach is left out.

function(vmaf_add_backend name)
  add_library(backend_${name} MODULE ${ARGN})
  target_link_libraries(backend_${name} PRIVATE vmaf_settings vmaf_sdk)
  set_target_properties(backend_${name} PROPERTIES
    PREFIX "" OUTPUT_NAME libvmaf-backend-${name}
    LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/backends")
  if(NOT WIN32) # where the entry is marked, and nothing else is exported
    vmaf_export_only(backend_${name} "${PROJECT_SOURCE_DIR}/plugins/exported_symbols.txt")
  endif()
  if(NOT WIN32 AND NOT APPLE)
    target_link_options(backend_${name} PRIVATE -Wl,-z,now -Wl,-z,defs -Wl,--gc-sections)
  endif()
  install(TARGETS backend_${name}
          LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/libvmaf/backends1"
          COMPONENT backend-${name})
  set_property(GLOBAL APPEND PROPERTY VMAF_BUILT_BACKENDS ${name})
endfunction()

# What its package says: the name of the interface as people write it, and the drivers that it
# recommends to Debian and to systems with .rpm packages. What is not free software is only suggested.
#   vmaf_describe_backend(name TITLE text [NON_FREE] [DEB_DRIVER relation] [RPM_DRIVER relation])
function(vmaf_describe_backend name)
  cmake_parse_arguments(arg NON_FREE "TITLE;DEB_DRIVER;RPM_DRIVER" "" ${ARGN})
  foreach(property TITLE NON_FREE DEB_DRIVER RPM_DRIVER)
    set_property(GLOBAL PROPERTY VMAF_BACKEND_${name}_${property} "${arg_${property}}")
  endforeach()
endfunction()
