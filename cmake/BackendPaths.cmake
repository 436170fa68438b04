# SPDX-License-Identifier: BSD-2-Clause-Patent
# Where plugins and the helper program are, installed and in the build tree; see
# src/core/backend/discovery/plugin_file.h. The number is the major version of the backend ABI, so that
# several can be installed side by side.

set(VMAF_HELPER_NAME backend-probe1)
set(VMAF_HELPER_FILE "${VMAF_HELPER_NAME}${CMAKE_EXECUTABLE_SUFFIX}")
set(VMAF_BACKENDS_INSTALL_DIR "${CMAKE_INSTALL_LIBDIR}/libvmaf/backends1")
# Libraries of several architectures may be installed side by side where <libdir> says which; each
# needs a helper that can load its plugins.
set(helper_dir libvmaf)
if(CMAKE_LIBRARY_ARCHITECTURE AND CMAKE_INSTALL_LIBDIR MATCHES "/${CMAKE_LIBRARY_ARCHITECTURE}$")
  set(helper_dir "${CMAKE_LIBRARY_ARCHITECTURE}/libvmaf")
endif()
set(VMAF_HELPER_INSTALL_DIR "${CMAKE_INSTALL_LIBEXECDIR}/${helper_dir}")

set(VMAF_HELPER_INSTALLED "${CMAKE_INSTALL_FULL_LIBEXECDIR}/${helper_dir}/${VMAF_HELPER_FILE}")
set(VMAF_BACKENDS_INSTALLED "${CMAKE_INSTALL_FULL_LIBDIR}/libvmaf/backends1")

# The same, seen from the folder of the library and from that of programs. Only an installation
# whose folders all lie below the prefix can be moved as a whole.
function(vmaf_path_from result folder target)
  set(${result} "" PARENT_SCOPE)
  foreach(part LIBDIR LIBEXECDIR BINDIR)
    cmake_path(IS_PREFIX CMAKE_INSTALL_PREFIX "${CMAKE_INSTALL_FULL_${part}}" NORMALIZE below)
    if(NOT below)
      return()
    endif()
  endforeach()
  file(RELATIVE_PATH path "${folder}" "${target}")
  set(${result} "${path}" PARENT_SCOPE)
endfunction()

# Outside of the system's folders programs find the library by their own place, so that they run
# wherever they are installed (`cmake --install build --prefix ~/.local`).
function(vmaf_find_library_beside)
  if(BUILD_SHARED_LIBS AND NOT WIN32 AND NOT CMAKE_INSTALL_PREFIX STREQUAL "/usr")
    vmaf_path_from(to_library "${CMAKE_INSTALL_FULL_BINDIR}" "${CMAKE_INSTALL_FULL_LIBDIR}")
    if(to_library)
      set(origin "${CMAKE_SHARED_LIBRARY_RPATH_ORIGIN_TOKEN}") # $ORIGIN
      if(APPLE) # for which CMake has no name
        set(origin "@loader_path")
      endif()
      set_target_properties(${ARGN} PROPERTIES INSTALL_RPATH "${origin}/${to_library}")
    endif()
  endif()
endfunction()

# The shared library is with the programs on Windows.
if(WIN32)
  set(library_dir "${CMAKE_INSTALL_FULL_BINDIR}")
else()
  set(library_dir "${CMAKE_INSTALL_FULL_LIBDIR}")
endif()
vmaf_path_from(VMAF_HELPER_FROM_LIBRARIES "${library_dir}" "${VMAF_HELPER_INSTALLED}")
vmaf_path_from(VMAF_HELPER_FROM_PROGRAMS "${CMAKE_INSTALL_FULL_BINDIR}" "${VMAF_HELPER_INSTALLED}")
vmaf_path_from(VMAF_BACKENDS_FROM_LIBRARIES "${library_dir}"
               "${VMAF_BACKENDS_INSTALLED}")
vmaf_path_from(VMAF_BACKENDS_FROM_PROGRAMS "${CMAKE_INSTALL_FULL_BINDIR}"
               "${VMAF_BACKENDS_INSTALLED}")

# The build tree has the layout of an installation as seen from src/core/libvmaf.so, or from the
# program if that contains the library.
if(WIN32)
  set(helper_in_build "${PROJECT_BINARY_DIR}/bin/${VMAF_HELPER_FROM_PROGRAMS}")
  # Below no drive and no folder of its own, anybody could put something there: parts are beside the
  # library or nowhere.
  set(VMAF_HELPER_INSTALLED "")
  set(VMAF_BACKENDS_INSTALLED "")
elseif(BUILD_SHARED_LIBS)
  set(helper_in_build "${PROJECT_BINARY_DIR}/src/core/${VMAF_HELPER_FROM_LIBRARIES}")
else()
  set(helper_in_build "${PROJECT_BINARY_DIR}/cli/${VMAF_HELPER_FROM_PROGRAMS}")
endif()
cmake_path(NORMAL_PATH helper_in_build)
cmake_path(IS_PREFIX PROJECT_BINARY_DIR "${helper_in_build}" within_build)
if(NOT VMAF_HELPER_FROM_LIBRARIES OR NOT within_build) # then it has to be installed to be found
  set(helper_in_build "${PROJECT_BINARY_DIR}/libexec/${VMAF_HELPER_FILE}")
endif()
cmake_path(GET helper_in_build PARENT_PATH VMAF_HELPER_BUILD_DIR)
