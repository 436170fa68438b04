# SPDX-License-Identifier: BSD-2-Clause-Patent
# With the C library musl, for the processor of this machine, with the compiler of Debian's package
# musl-tools: programs that are one file and run on any Linux. With -DBUILD_SHARED_LIBS=ON they are linked
# as a system with musl has them, and only run on one.
#
# Other libraries are those in VMAF_MUSL_ROOT; scripts/source_root.sh makes them.

get_filename_component(VMAF_MUSL_ROOT_DEFAULT "${CMAKE_CURRENT_LIST_DIR}/../../build/musl-root" ABSOLUTE)
set(VMAF_MUSL_ROOT "${VMAF_MUSL_ROOT_DEFAULT}" CACHE PATH "Folder with libraries for musl in include and lib")
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES VMAF_MUSL_ROOT)

# Programs run here, but nothing of the libraries of this system is to be found.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR "${CMAKE_HOST_SYSTEM_PROCESSOR}")
set(CMAKE_C_COMPILER musl-gcc)
set(BUILD_SHARED_LIBS OFF CACHE BOOL "Build the shared library, and programs that use shared libraries")
if(NOT BUILD_SHARED_LIBS)
  set(CMAKE_EXE_LINKER_FLAGS_INIT -static)
endif()

set(CMAKE_FIND_ROOT_PATH "${VMAF_MUSL_ROOT}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
set(ZLIB_USE_STATIC_LIBS ON)
set(ENV{PKG_CONFIG_LIBDIR} "${VMAF_MUSL_ROOT}/lib/pkgconfig")
