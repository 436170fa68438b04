# SPDX-License-Identifier: BSD-2-Clause-Patent
# Cross building for macOS 11 or later with clang and the linker of LLVM (Debian: clang, lld, llvm), for
# VMAF_MACOS_PROCESSOR, arm64 or x86_64.
#
# Declarations of the system and other libraries are those in VMAF_MACOS_ROOT;
# scripts/macos_root.sh makes them. Nothing that is built can be run here.

set(VMAF_MACOS_PROCESSOR arm64 CACHE STRING "Processor to build for: arm64 or x86_64")
get_filename_component(VMAF_MACOS_ROOT_DEFAULT
                       "${CMAKE_CURRENT_LIST_DIR}/../../build/macos-root-${VMAF_MACOS_PROCESSOR}" ABSOLUTE)
set(VMAF_MACOS_ROOT "${VMAF_MACOS_ROOT_DEFAULT}" CACHE PATH
    "Folder with libraries for macOS in include and lib, and the system's declarations in sdk")
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES VMAF_MACOS_PROCESSOR VMAF_MACOS_ROOT)

set(CMAKE_SYSTEM_NAME Darwin)
set(CMAKE_SYSTEM_PROCESSOR ${VMAF_MACOS_PROCESSOR})
set(CMAKE_OSX_DEPLOYMENT_TARGET 11.0 CACHE STRING "The oldest macOS that programs run on")
set(CMAKE_OSX_ARCHITECTURES ${VMAF_MACOS_PROCESSOR} CACHE STRING "Processors to build for")
set(CMAKE_OSX_SYSROOT "${VMAF_MACOS_ROOT}/sdk" CACHE PATH "Declarations of the system")
set(CMAKE_C_COMPILER_TARGET ${VMAF_MACOS_PROCESSOR}-apple-macos${CMAKE_OSX_DEPLOYMENT_TARGET})
foreach(kind EXE SHARED MODULE)
  set(CMAKE_${kind}_LINKER_FLAGS_INIT -fuse-ld=lld)
endforeach()
# Debian has those of LLVM under names with a version, and without one in a folder of their own. The newest
# are taken: older ones know not all that Apple's headers use.
file(GLOB tools LIST_DIRECTORIES ON /usr/lib/llvm-*/bin)
list(SORT tools COMPARE NATURAL ORDER DESCENDING)
find_program(CMAKE_C_COMPILER NAMES clang HINTS ${tools} REQUIRED)
foreach(tool AR RANLIB NM STRIP OBJDUMP INSTALL_NAME_TOOL)
  string(TOLOWER "llvm-${tool}" name)
  string(REPLACE _ - name "${name}")
  find_program(CMAKE_${tool} NAMES ${name} PATHS ${tools} REQUIRED)
endforeach()

set(CMAKE_FIND_ROOT_PATH "${VMAF_MACOS_ROOT}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_LIBDIR} "${VMAF_MACOS_ROOT}/lib/pkgconfig")

# Read after CMake's own file for the system.
set(CMAKE_USER_MAKE_RULES_OVERRIDE_C "${CMAKE_CURRENT_LIST_DIR}/apple-macos-rpath.cmake")
