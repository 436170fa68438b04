# SPDX-License-Identifier: BSD-2-Clause-Patent
# Cross building for another processor with a compiler of Debian, gcc-TRIPLET. Tests run under qemu if
# that is installed, those for 32-bit x86 on the processor itself where the kernel runs them. For example
#
#     cmake ... --toolchain cmake/toolchains/linux-gnu.cmake -DVMAF_TRIPLET=s390x-linux-gnu
#
# Other libraries are those in VMAF_CROSS_ROOT; scripts/platform_root.sh gets them.

set(VMAF_TRIPLET "" CACHE STRING "Processor and system to build for, as in the name of the compiler")
if(NOT VMAF_TRIPLET MATCHES "^([a-z0-9_]+)-linux-gnu[a-z]*$")
  message(FATAL_ERROR "-DVMAF_TRIPLET=, for example s390x-linux-gnu, says what to build for; it is \"${VMAF_TRIPLET}\"")
endif()
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR "${CMAKE_MATCH_1}")
get_filename_component(VMAF_CROSS_ROOT_DEFAULT
                       "${CMAKE_CURRENT_LIST_DIR}/../../build/${CMAKE_SYSTEM_PROCESSOR}-root" ABSOLUTE)
set(VMAF_CROSS_ROOT "${VMAF_CROSS_ROOT_DEFAULT}" CACHE PATH
    "Folder with libraries for the other processor, in usr/lib/TRIPLET")
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES VMAF_TRIPLET VMAF_CROSS_ROOT)
set(CMAKE_C_COMPILER "${VMAF_TRIPLET}-gcc")

# Folders of libraries of Debian are named otherwise for 32-bit x86, and qemu has names of its own.
string(REPLACE i686- i386- CMAKE_LIBRARY_ARCHITECTURE "${VMAF_TRIPLET}")
set(CMAKE_FIND_ROOT_PATH "${VMAF_CROSS_ROOT}" "/usr/${VMAF_TRIPLET}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_LIBDIR} "${VMAF_CROSS_ROOT}/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/pkgconfig")
set(ENV{PKG_CONFIG_SYSROOT_DIR} "${VMAF_CROSS_ROOT}")

string(REPLACE powerpc ppc qemu "qemu-${CMAKE_SYSTEM_PROCESSOR}")
string(REPLACE i686 i386 qemu "${qemu}")
find_program(VMAF_QEMU NAMES ${qemu} ${qemu}-static)
mark_as_advanced(VMAF_QEMU)
if(VMAF_QEMU)
  # qemu-i386 7.2 hangs when a program that is not linked statically starts a thread.
  set(CMAKE_CROSSCOMPILING_EMULATOR "${VMAF_QEMU}" -L "/usr/${VMAF_TRIPLET}")
endif()
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "i686" AND CMAKE_HOST_SYSTEM_PROCESSOR STREQUAL "x86_64")
  # The processor runs it, and most kernels let it; what is not here is the loader, and the libraries
  # of the system.
  set(loader "/usr/${VMAF_TRIPLET}/lib/ld-linux.so.2")
  execute_process(COMMAND "${loader}" --version RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
  if(NOT failed)
    set(CMAKE_CROSSCOMPILING_EMULATOR "${loader}" --library-path
        "${VMAF_CROSS_ROOT}/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}:/usr/${VMAF_TRIPLET}/lib")
  endif()
endif()
