# SPDX-License-Identifier: BSD-2-Clause-Patent
# Static programs for any Linux on this processor, with the C library musl (Debian's package musl-tools).
#
# Other libraries are those in VMAF_MUSL_ROOT; scripts/platform_root.sh makes them.

get_filename_component(VMAF_MUSL_ROOT_DEFAULT "${CMAKE_CURRENT_LIST_DIR}/../../build/musl-root" ABSOLUTE)
set(VMAF_MUSL_ROOT "${VMAF_MUSL_ROOT_DEFAULT}" CACHE PATH "Folder with libraries for musl, in usr/lib")
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES VMAF_MUSL_ROOT)

# Programs run here, but nothing of this system's libraries is to be found.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR "${CMAKE_HOST_SYSTEM_PROCESSOR}")
set(CMAKE_C_COMPILER musl-gcc)
set(CMAKE_EXE_LINKER_FLAGS_INIT -static)
set(BUILD_SHARED_LIBS OFF CACHE BOOL "A static program loads no library")

set(CMAKE_FIND_ROOT_PATH "${VMAF_MUSL_ROOT}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
set(ENV{PKG_CONFIG_LIBDIR} "${VMAF_MUSL_ROOT}/usr/lib/pkgconfig")
set(ENV{PKG_CONFIG_SYSROOT_DIR} "${VMAF_MUSL_ROOT}")
