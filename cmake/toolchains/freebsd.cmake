# SPDX-License-Identifier: BSD-2-Clause-Patent
# Cross building for FreeBSD 14 with Zig's compiler, for VMAF_FREEBSD_PROCESSOR, x86_64 or aarch64.
#
# The compiler and other libraries are those in VMAF_FREEBSD_ROOT; scripts/freebsd_root.sh makes them.
# Nothing that is built can be run here.

set(VMAF_FREEBSD_PROCESSOR x86_64 CACHE STRING "Processor to build for: x86_64 or aarch64")
get_filename_component(VMAF_FREEBSD_ROOT_DEFAULT
                       "${CMAKE_CURRENT_LIST_DIR}/../../build/freebsd-root-${VMAF_FREEBSD_PROCESSOR}" ABSOLUTE)
set(VMAF_FREEBSD_ROOT "${VMAF_FREEBSD_ROOT_DEFAULT}" CACHE PATH
    "Folder with libraries for FreeBSD in include and lib, and a compiler for it in tools")
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES VMAF_FREEBSD_PROCESSOR VMAF_FREEBSD_ROOT)

set(CMAKE_SYSTEM_NAME FreeBSD)
set(CMAKE_SYSTEM_PROCESSOR ${VMAF_FREEBSD_PROCESSOR})
set(CMAKE_C_COMPILER "${VMAF_FREEBSD_ROOT}/tools/cc")
set(CMAKE_AR "${VMAF_FREEBSD_ROOT}/tools/ar" CACHE FILEPATH "Archiver")
set(CMAKE_RANLIB "${VMAF_FREEBSD_ROOT}/tools/ranlib" CACHE FILEPATH "Indexer of archives")

set(CMAKE_FIND_ROOT_PATH "${VMAF_FREEBSD_ROOT}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_FIND_LIBRARY_SUFFIXES .a .so)
set(ENV{PKG_CONFIG_LIBDIR} "${VMAF_FREEBSD_ROOT}/lib/pkgconfig")
