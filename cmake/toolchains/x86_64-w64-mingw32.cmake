# SPDX-License-Identifier: BSD-2-Clause-Patent
# Cross building for Windows with the compiler of Debian's package gcc-mingw-w64-x86-64-win32. Tests
# run under Wine if that is installed.
#
# Other libraries are those in VMAF_WINDOWS_ROOT; scripts/windows_root.sh makes them.

get_filename_component(VMAF_WINDOWS_ROOT_DEFAULT
                       "${CMAKE_CURRENT_LIST_DIR}/../../build/windows-root" ABSOLUTE)
set(VMAF_WINDOWS_ROOT "${VMAF_WINDOWS_ROOT_DEFAULT}" CACHE PATH
    "Folder with libraries for Windows in include and lib")
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES VMAF_WINDOWS_ROOT)

set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
# Nothing of it is where it was built for, and CMake's own choice is no path on the machine that builds.
set(CMAKE_INSTALL_PREFIX /libvmaf CACHE PATH "Prefix of an installation, which can be moved")
find_program(VMAF_MINGW_GCC NAMES x86_64-w64-mingw32-gcc-win32 x86_64-w64-mingw32-gcc)
mark_as_advanced(VMAF_MINGW_GCC)
set(CMAKE_C_COMPILER "${VMAF_MINGW_GCC}")
set(CMAKE_RC_COMPILER x86_64-w64-mingw32-windres)

set(CMAKE_FIND_ROOT_PATH "${VMAF_WINDOWS_ROOT}" /usr/x86_64-w64-mingw32)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_LIBDIR} "${VMAF_WINDOWS_ROOT}/lib/pkgconfig")
# Libraries that have a static form have only that here.
set(CMAKE_FIND_LIBRARY_SUFFIXES .a .dll.a)
set(ZLIB_USE_STATIC_LIBS ON)

find_program(VMAF_WINE NAMES wine64 wine64-stable wine PATHS /usr/lib/wine)
mark_as_advanced(VMAF_WINE)
if(VMAF_WINE)
  set(CMAKE_CROSSCOMPILING_EMULATOR "${VMAF_WINE}")
endif()
