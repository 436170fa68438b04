# SPDX-License-Identifier: BSD-2-Clause-Patent
# What a build for Windows by mingw-w64 needs beyond CompilerSettings.cmake.

add_library(Threads::Threads INTERFACE IMPORTED GLOBAL) # those of the system need no library
set(VMAF_SYSTEM_API advapi32 bcrypt)
# A program finds libraries in its own folder, so all of them are in one.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")

# Windows aligns the stack to 16 bytes, and gcc does not align it further where it keeps vectors of 32
# or 64 bytes there: such a program crashes by chance (gcc's bug 54412). So moves of vectors must not
# rely on any alignment. The assembler can see to that (binutils 2.38); the moves are as fast.
include(CheckCCompilerFlag)
check_c_compiler_flag(-Wa,-muse-unaligned-vector-move VMAF_UNALIGNED_VECTOR_MOVES)
if(CMAKE_C_COMPILER_ID STREQUAL "GNU" AND NOT VMAF_UNALIGNED_VECTOR_MOVES)
  message(FATAL_ERROR "gcc needs an assembler with -muse-unaligned-vector-move (binutils 2.38) here")
endif()

function(vmaf_windows_settings target)
  # Windows 10, UTF-16 functions, and formats of C11 instead of the runtime's.
  target_compile_definitions(${target} INTERFACE
    _WIN32_WINNT=0x0a00 UNICODE _UNICODE __USE_MINGW_ANSI_STDIO=1)
  # Functions that the C runtime lacks.
  target_compile_options(${target} INTERFACE
    -include "${PROJECT_SOURCE_DIR}/src/platform/c_library.h" -Wno-pedantic-ms-format
    $<$<C_COMPILER_ID:GNU>:-Wa,-muse-unaligned-vector-move>)
  target_include_directories(${target} INTERFACE "${PROJECT_SOURCE_DIR}/src")
  target_link_options(${target} INTERFACE -static-libgcc
    # Addresses that differ from run to run, no code in data; no time of the build in files.
    LINKER:--dynamicbase,--nxcompat,--high-entropy-va,--no-insert-timestamp)
endfunction()

# The version of a library or program, as Windows shows it, and of programs the manifest.
#   vmaf_windows_version(target file [manifest])
enable_language(RC)
function(vmaf_windows_version target file)
  set(name "${target}")
  set(type 2) # a library
  set(manifest "")
  if(ARGN)
    set(type 1)
    set(manifest "1 24 \"${ARGN}\"")
  endif()
  set(resource "${CMAKE_CURRENT_BINARY_DIR}/${target}.rc")
  configure_file("${PROJECT_SOURCE_DIR}/src/platform/windows/version.rc.in" "${resource}" @ONLY)
  target_sources(${target} PRIVATE "${resource}")
endfunction()

# A program that begins with main and gets UTF-8.
function(vmaf_windows_program target)
  target_link_options(${target} PRIVATE -municode)
  target_link_libraries(${target} PRIVATE vmaf_platform_start vmaf_platform)
  get_target_property(file ${target} OUTPUT_NAME)
  if(file) # one that is installed
    vmaf_windows_version(${target} "${file}.exe" "${PROJECT_SOURCE_DIR}/src/platform/windows/program.manifest")
  endif()
endfunction()
