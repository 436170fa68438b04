# SPDX-License-Identifier: BSD-2-Clause-Patent
# Compiler settings that every target of the project shares, as the interface target vmaf_settings.

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_BUILD_RPATH_USE_ORIGIN ON) # build ids must not depend on where the build is
set(THREADS_PREFER_PTHREAD_FLAG ON)
if(WIN32)
  include(WindowsSettings)
else()
  find_package(Threads REQUIRED)
  set(VMAF_SYSTEM_API "")
endif()
find_package(PkgConfig REQUIRED)
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson>=2.10)
include(LtdlLibrary)
include(ExportLists)

add_library(vmaf_settings INTERFACE)
if(WIN32)
  vmaf_windows_settings(vmaf_settings)
elseif(APPLE OR CMAKE_SYSTEM_NAME STREQUAL "FreeBSD") # whose C libraries lack something
  target_compile_options(vmaf_settings INTERFACE -include "${PROJECT_SOURCE_DIR}/src/platform/c_library.h")
  target_include_directories(vmaf_settings INTERFACE "${PROJECT_SOURCE_DIR}/src")
endif()
# Files may be larger than a `long` can say.
target_compile_definitions(vmaf_settings INTERFACE _GNU_SOURCE _FILE_OFFSET_BITS=64)
# Scores are defined by separately rounded IEEE operations: nothing may fuse or reorder them.
target_compile_options(vmaf_settings INTERFACE
  -ffp-contract=off -fno-fast-math -fno-math-errno -fno-trapping-math
  -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wundef -Wvla -Wwrite-strings
  # Clang's: the hints of src/core/support/loops.h mean nothing to builds with little optimisation.
  $<$<C_COMPILER_ID:Clang,AppleClang>:-Wno-pass-failed>)
# The oldest registers for such numbers, which 32-bit x86 would take, round to more bits than these types have.
set(VMAF_X86_32 OFF)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|i[3-6]86|x86)$" AND CMAKE_SIZEOF_VOID_P EQUAL 4)
  set(VMAF_X86_32 ON)
  target_compile_options(vmaf_settings INTERFACE -msse2 -mfpmath=sse)
endif()
# GCC computes binary32 of standard C as binary64 there, as old C libraries state it.
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "s390x" AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
  target_compile_options(vmaf_settings INTERFACE -fexcess-precision=fast)
endif()
# Kernels are written for compilers that vectorise and unroll. Distributions build with -O2, some
# with -Os, which takes up to three times as long: so the level is set here, where it comes after
# theirs. It is left alone where somebody wants to look at the code as it was written (Debug, -O0,
# -Og), or with sanitizers.
string(TOUPPER "CMAKE_C_FLAGS_${CMAKE_BUILD_TYPE}" type_flags)
string(REGEX MATCHALL "(^| )-O[^ ]*" levels "${CMAKE_C_FLAGS} ${${type_flags}}")
list(POP_BACK levels level)
if(NOT VMAF_SANITIZE AND NOT level MATCHES "-O[0g]$")
  target_compile_options(vmaf_settings INTERFACE $<$<NOT:$<CONFIG:Debug>>:-O3>)
endif()
if(VMAF_WERROR)
  target_compile_options(vmaf_settings INTERFACE -Werror)
endif()
if(VMAF_SANITIZE)
  target_compile_definitions(vmaf_settings INTERFACE VMAF_SANITIZED)
  target_compile_options(vmaf_settings INTERFACE
    -fsanitize=${VMAF_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(vmaf_settings INTERFACE -fsanitize=${VMAF_SANITIZE})
  # Two hundred test programs, each with the whole library: LLVM's linker takes half the time.
  include(CheckLinkerFlag)
  check_linker_flag(C "-fuse-ld=lld;-fsanitize=${VMAF_SANITIZE}" VMAF_HAS_LLD)
  if(VMAF_HAS_LLD)
    target_link_options(vmaf_settings INTERFACE -fuse-ld=lld)
  endif()
  # Most of the time of tests with the thread sanitizer would go into arithmetic with vectors, which shares
  # nothing that plain C does not: tests run that, too, and PSNR's vectors read every picture where it sees it.
  if(VMAF_SANITIZE MATCHES "thread")
    target_compile_options(vmaf_settings INTERFACE $<$<BOOL:$<TARGET_PROPERTY:VMAF_ISA>>:-fno-sanitize=thread>)
  endif()
  # What gcc does to find uses of a stack frame after its function has returned aligns 64-byte vectors
  # to less than their size (gcc 13 and 14, where it is on unless told otherwise).
  if(CMAKE_C_COMPILER_ID STREQUAL "GNU" AND VMAF_SANITIZE MATCHES "address")
    target_compile_options(vmaf_settings INTERFACE --param=asan-use-after-return=0)
  endif()
endif()
