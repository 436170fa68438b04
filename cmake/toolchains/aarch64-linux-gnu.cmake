# SPDX-License-Identifier: BSD-2-Clause-Patent
# Cross building for 64-bit Arm with the compiler of Debian's package gcc-aarch64-linux-gnu. Tests
# run under qemu-aarch64 if that is installed.
#
# Other libraries are those in VMAF_AARCH64_ROOT; scripts/aarch64_root.sh gets them.

get_filename_component(VMAF_AARCH64_ROOT_DEFAULT
                       "${CMAKE_CURRENT_LIST_DIR}/../../build/aarch64-root" ABSOLUTE)
set(VMAF_AARCH64_ROOT "${VMAF_AARCH64_ROOT_DEFAULT}" CACHE PATH
    "Folder with libraries for 64-bit Arm in usr/lib/aarch64-linux-gnu")
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES VMAF_AARCH64_ROOT)

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)

set(CMAKE_FIND_ROOT_PATH "${VMAF_AARCH64_ROOT}" /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_LIBDIR} "${VMAF_AARCH64_ROOT}/usr/lib/aarch64-linux-gnu/pkgconfig")
set(ENV{PKG_CONFIG_SYSROOT_DIR} "${VMAF_AARCH64_ROOT}")

find_program(VMAF_QEMU_AARCH64 NAMES qemu-aarch64 qemu-aarch64-static)
mark_as_advanced(VMAF_QEMU_AARCH64)
if(VMAF_QEMU_AARCH64)
  set(CMAKE_CROSSCOMPILING_EMULATOR "${VMAF_QEMU_AARCH64}" -L /usr/aarch64-linux-gnu)
endif()
