# SPDX-License-Identifier: BSD-2-Clause-Patent
# Kernels: one source, many targets; see docs/kernels.md.
#   vmaf_add_kernel(<list> source [NATIVE] [VARIANTS "suffix MACRO=value ..." ...])
#   vmaf_add_kernels_emulator(<library> <list>)      plain C, for the emulator
#   vmaf_add_kernels(<library> <list> <target> [ARCHITECTURES <name> ...])
#                                                compiled code, embedded; see vmaf_kernel_tools
# Each kernel is compiled for each architecture; `generic`, which is the default, stands for code
# that any device of the target takes. compile.sh finds the others' names in ARCHITECTURE.
# The kernels of all metrics are the list vmaf_kernels. Backends outside this tree get it, and these
# functions, by find_package(libvmaf COMPONENTS kernels). A list collects kernels under a name, which is also the name of the table in the library:
# `const VmafKernelSet <list>_<target>`.
#
# A kernel is named after its file. Each variant is a kernel of its own, with the suffix appended and
# the macros defined. NATIVE adds for each a second kernel, with _native appended and NATIVE_F32
# defined, for devices whose binary32 is exact; not for metal, where none is. The comment at the top of the source
# says both, in lines `VARIANT suffix MACRO=value ...` and `NATIVE`; the arguments add to them. For each the build
# writes a small file that defines KERNEL_NAME and the macros and includes the source; this file is
# what all targets compile. What host programs need to know about a kernel is read off its KERNEL_
# declarations, and checked when it is compiled as plain C.

find_program(VMAF_GLSLANG glslangValidator)
# The translator reads what clang of the same version writes: the newest pair that is installed, or
# whatever has a name without a version. Settings of the cache win.
foreach(age RANGE 25)
  math(EXPR version "40 - ${age}")
  if(VMAF_CLANG OR VMAF_LLVM_SPIRV)
    break()
  endif()
  find_program(clang clang-${version} NO_CACHE)
  find_program(translator llvm-spirv-${version} NO_CACHE)
  if(clang AND translator)
    set(VMAF_CLANG "${clang}" CACHE FILEPATH "Clang of the translator's version")
    set(VMAF_LLVM_SPIRV "${translator}" CACHE FILEPATH "Translator from LLVM to SPIR-V")
    find_program(VMAF_CLANGXX clang++-${version})
  endif()
  unset(clang)
  unset(translator)
endforeach()
find_program(VMAF_CLANG NAMES clang)
find_program(VMAF_CLANGXX NAMES clang++)
find_program(VMAF_LLVM_SPIRV NAMES llvm-spirv)
find_program(VMAF_NVCC nvcc HINTS /usr/local/cuda/bin)
# These only check what the others made.
find_program(VMAF_SPIRV_VAL spirv-val)
find_program(VMAF_PTXAS ptxas HINTS /usr/local/cuda/bin)
set(VMAF_CC "${CMAKE_C_COMPILER}") # always there
mark_as_advanced(VMAF_GLSLANG VMAF_CLANG VMAF_CLANGXX VMAF_LLVM_SPIRV VMAF_NVCC VMAF_SPIRV_VAL
                 VMAF_PTXAS)

# Some builds of clang know only the processors of one vendor.
set(VMAF_CLANG_WRITES_PTX OFF)
if(VMAF_CLANG)
  execute_process(COMMAND "${VMAF_CLANG}" --print-targets OUTPUT_VARIABLE clang_targets ERROR_QUIET)
  if(clang_targets MATCHES "nvptx64")
    set(VMAF_CLANG_WRITES_PTX ON)
  endif()
endif()

# AMD's code objects need the linker of clang's version, too: the newest pair.
foreach(age RANGE 25)
  math(EXPR version "40 - ${age}")
  if(VMAF_HIP_CLANG)
    break()
  endif()
  find_program(clang clang-${version} NO_CACHE)
  find_program(linker ld.lld-${version} NO_CACHE)
  if(clang AND linker)
    set(VMAF_HIP_CLANG "${clang}" CACHE FILEPATH "Clang for AMD GPUs, with lld of its version")
  endif()
  unset(clang)
  unset(linker)
endforeach()
find_program(VMAF_HIP_CLANG NAMES clang)
mark_as_advanced(VMAF_HIP_CLANG)

# Chips differ by name even where they run the same code, and drivers refuse a name that is not
# theirs: the backend renames code of these chips for others (plugins/hip/hip_kernel.c). Code that is
# generic for a family needs ROCm 6.3 and Clang 20 (19 calls the format of such code unfinished); the
# others are the common chips, for older versions. The last ones are left out where there is code for
# their families, since ROCm 6.3 is too old for them anyway.
set(VMAF_HIP_KNOWN
  gfx900 gfx906 gfx908 gfx90a gfx942 gfx1010 gfx1030 gfx1100 gfx1101 gfx1102 gfx1103
  gfx9-generic gfx9-4-generic gfx10-1-generic gfx10-3-generic gfx11-generic gfx12-generic
  gfx1150 gfx1151 gfx1200)
set(VMAF_KERNEL_CACHE "" CACHE PATH "Folder in which builds find the kernels that others have compiled")
set(VMAF_COMPILED_KERNELS "" CACHE PATH
    "Another build folder of the same sources, up to date: kernels that it has compiled are taken from there")
set(VMAF_HIP_LEVEL "" CACHE STRING "How much code for AMD chips is optimised, for builds in which nothing executes it")
mark_as_advanced(VMAF_HIP_LEVEL)
set(VMAF_HIP_ARCHITECTURES auto CACHE STRING
    "AMD chips to compile kernels for, separated by semicolons; auto: those that clang can")

# Where kernels are, those of metrics, the target with the headers of the SDK, and the folder that contains
# metrics/ with their constants: in the tree, or as installed.
if(NOT DEFINED VMAF_KERNELS_DIR)
  set(VMAF_KERNELS_DIR "${PROJECT_SOURCE_DIR}/plugins/kernels")
  set(VMAF_METRICS_DIR "${PROJECT_SOURCE_DIR}/src/metrics")
  set(VMAF_KERNELS_SDK vmaf_sdk)
  set(VMAF_CONSTANTS_DIR "${PROJECT_SOURCE_DIR}/src")
endif()
set(VMAF_KERNEL_COMPILER "${VMAF_KERNELS_DIR}/compile.sh")

# The settings that compile.sh takes from the environment.
function(vmaf_kernel_environment result)
  set(environment "CC=${CMAKE_C_COMPILER}" "CONSTANTS=${VMAF_CONSTANTS_DIR}")
  foreach(tool GLSLANG SPIRV_VAL CLANG CLANGXX HIP_CLANG LLVM_SPIRV NVCC PTXAS)
    if(VMAF_${tool})
      list(APPEND environment "${tool}=${VMAF_${tool}}")
    endif()
  endforeach()
  if(VMAF_HIP_LEVEL)
    list(APPEND environment "HIP_LEVEL=${VMAF_HIP_LEVEL}")
  endif()
  if(VMAF_WERROR)
    list(APPEND environment KERNEL_WERROR=ON)
  endif()
  if(VMAF_KERNEL_CACHE)
    list(APPEND environment "KERNEL_CACHE=${VMAF_KERNEL_CACHE}")
  endif()
  set(${result} "${environment}" PARENT_SCOPE)
endfunction()

# What makes code for a target that a driver can load: names such as GLSLANG, whose programs are
# VMAF_GLSLANG and so on. Empty for other targets.
#   vulkan, opencl   SPIR-V
#   ptx, cuda        PTX, by clang and by nvcc
#   metal            source text, which the system compiles
#   hip              a code object, for each architecture another one; none is generic for all
function(vmaf_kernel_tools result target)
  set(vulkan GLSLANG)
  set(opencl CLANG LLVM_SPIRV)
  set(ptx CLANG)
  set(cuda NVCC)
  set(metal CC)
  set(hip HIP_CLANG)
  set(${result} "${${target}}" PARENT_SCOPE)
endfunction()

# The architectures of AMD's chips to compile for: of those that are asked for, the ones that the
# compiler can make code for, which is tried once. Empty where it or its linker is missing.
function(vmaf_find_hip_architectures result)
  set(wanted "${VMAF_HIP_ARCHITECTURES}")
  if(wanted STREQUAL "auto")
    set(wanted "${VMAF_HIP_KNOWN}")
  endif()
  if(VMAF_HIP_CLANG AND NOT VMAF_HIP_TRIED STREQUAL "${VMAF_HIP_CLANG} ${wanted}")
    set(probe "${CMAKE_CURRENT_BINARY_DIR}/hip_probe")
    file(WRITE "${probe}.c" "__attribute__((global)) void probe(int *x)\n{\n    *x = 1;\n}\n")
    vmaf_kernel_environment(environment)
    set(found "")
    foreach(architecture IN LISTS wanted)
      if(VMAF_HIP_ARCHITECTURES STREQUAL "auto" AND architecture MATCHES "^gfx1(15|20).$" AND
         "gfx12-generic" IN_LIST found)
        continue()
      endif()
      execute_process(COMMAND ${CMAKE_COMMAND} -E env ${environment} "ARCHITECTURE=${architecture}"
                              sh "${VMAF_KERNEL_COMPILER}" hip "${probe}.c" "${probe}.o"
                      RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
      if(NOT failed)
        list(APPEND found ${architecture})
      elseif(NOT VMAF_HIP_ARCHITECTURES STREQUAL "auto")
        message(WARNING "${VMAF_HIP_CLANG} and its lld make no code for ${architecture}")
      endif()
    endforeach()
    message(STATUS "Kernels for AMD chips by ${VMAF_HIP_CLANG}: ${found}")
    set(VMAF_HIP_TRIED "${VMAF_HIP_CLANG} ${wanted}" CACHE INTERNAL "")
    set(VMAF_HIP_FOUND "${found}" CACHE INTERNAL "")
  endif()
  if(VMAF_HIP_CLANG)
    set(${result} "${VMAF_HIP_FOUND}" PARENT_SCOPE)
  else()
    set(${result} "" PARENT_SCOPE)
  endif()
endfunction()

# Reads variants, WX, WY, the buffers and the type of the arguments off a kernel's source.
function(vmaf_read_kernel source)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${source}")
  file(STRINGS "${source}" lines REGEX "^(/?[ *]+(VARIANT|NATIVE)|#define W[XY] |#include \"|KERNEL_)")
  set(variants "")
  set(native OFF)
  set(includes "")
  set(sizes "")
  set(written 0)
  set(slot 0)
  foreach(line IN LISTS lines)
    if(line MATCHES "^#define (W[XY]) ([0-9]+)")
      set(${CMAKE_MATCH_1} ${CMAKE_MATCH_2})
    elseif(line MATCHES "^[/ *]+VARIANT (.*[^ */])")
      list(APPEND variants "${CMAKE_MATCH_1}")
    elseif(line MATCHES "^[/ *]+NATIVE[ */]*$")
      set(native ON)
    elseif(line MATCHES "^#include \"(.*_(args|kernel)\\.h)\"")
      list(APPEND includes "${CMAKE_MATCH_1}")
    elseif(line MATCHES "^KERNEL_(IN|OUT)\\(([0-9]+), ([A-Za-z0-9_]+),")
      list(APPEND sizes "sizeof(${CMAKE_MATCH_3})")
      if(CMAKE_MATCH_1 STREQUAL "OUT")
        math(EXPR written "${written} | (1 << ${slot})")
      endif()
      math(EXPR slot "${slot} + 1")
    elseif(line MATCHES "^KERNEL_ARGS\\([0-9]+, ([A-Za-z0-9_]+),")
      set(args "${CMAKE_MATCH_1}")
    endif()
  endforeach()
  foreach(needed WX WY args)
    if(NOT DEFINED ${needed})
      message(FATAL_ERROR "${source}: no plain WX, WY or KERNEL_ARGS at the start of a line")
    endif()
  endforeach()
  list(JOIN sizes ", " sizes)
  set(KERNEL_VARIANTS "${variants}" PARENT_SCOPE)
  set(KERNEL_NATIVE ${native} PARENT_SCOPE)
  set(KERNEL_WX ${WX} PARENT_SCOPE)
  set(KERNEL_WY ${WY} PARENT_SCOPE)
  set(KERNEL_INCLUDES "${includes}" PARENT_SCOPE)
  set(KERNEL_SIZES "${sizes}" PARENT_SCOPE)
  set(KERNEL_WRITTEN ${written} PARENT_SCOPE)
  set(KERNEL_BUFFERS ${slot} PARENT_SCOPE)
  set(KERNEL_ARGS ${args} PARENT_SCOPE)
endfunction()

function(vmaf_add_kernel list source)
  cmake_parse_arguments(arg "NATIVE" "" "VARIANTS" ${ARGN})
  cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY "${CMAKE_CURRENT_LIST_DIR}")
  cmake_path(GET source STEM stem)
  vmaf_read_kernel("${source}")
  set(variants ${KERNEL_VARIANTS} ${arg_VARIANTS})
  list(TRANSFORM variants PREPEND "${stem}_")
  if(NOT variants)
    set(variants "${stem}")
  endif()
  if(KERNEL_NATIVE OR arg_NATIVE)
    set(native ${variants})
    list(TRANSFORM native REPLACE "^([^ ]+)(.*)$" "\\1_native\\2 NATIVE_F32=1")
    list(APPEND variants ${native})
  endif()
  foreach(variant IN LISTS variants)
    separate_arguments(macros UNIX_COMMAND "${variant}")
    list(POP_FRONT macros name)
    set(defines "")
    set(undefines "")
    foreach(macro IN LISTS macros)
      string(REGEX REPLACE "^([^=]*)=(.*)$" "#define \\1 \\2\n" define "${macro}")
      string(REGEX REPLACE "=.*$" "" undefine "${macro}")
      string(APPEND defines "${define}")
      string(APPEND undefines "#undef ${undefine}\n")
    endforeach()
    set(wrapper "${CMAKE_CURRENT_BINARY_DIR}/${list}/${name}.c")
    file(CONFIGURE OUTPUT "${wrapper}" @ONLY CONTENT "#define KERNEL_NAME @name@
@defines@#define KERNEL_WX @KERNEL_WX@
#define KERNEL_WY @KERNEL_WY@
#define KERNEL_BUFFERS @KERNEL_BUFFERS@
#define KERNEL_WRITTEN @KERNEL_WRITTEN@u
#define KERNEL_ARGS_SIZE sizeof(@KERNEL_ARGS@)
#include \"@source@\"
")
    set_property(GLOBAL APPEND PROPERTY ${list}_NAMES ${name})
    set_property(GLOBAL APPEND PROPERTY ${list}_WRAPPERS "${wrapper}")
    set_property(GLOBAL APPEND PROPERTY ${list}_SOURCES "${source}")
    set_property(GLOBAL APPEND PROPERTY ${list}_INCLUDES ${KERNEL_INCLUDES})
    set_property(GLOBAL APPEND_STRING PROPERTY ${list}_EMULATOR
      "${defines}    {\"${name}\", {${KERNEL_WX}, ${KERNEL_WY}}, ${KERNEL_BUFFERS}, ${KERNEL_WRITTEN}, {${KERNEL_SIZES}}, sizeof(${KERNEL_ARGS}), NULL, 0, emulator_kernel_${name}},\n${undefines}")
    if("NATIVE_F32=1" IN_LIST macros)
      set_property(GLOBAL APPEND PROPERTY ${list}_NATIVE ${name})
    endif()
    set_property(GLOBAL PROPERTY ${list}_EMBEDDED_${name}
      "${defines}    {\"${name}\", {${KERNEL_WX}, ${KERNEL_WY}}, ${KERNEL_BUFFERS}, ${KERNEL_WRITTEN}, {${KERNEL_SIZES}}, sizeof(${KERNEL_ARGS}), codes_${name}, sizeof(codes_${name}) / sizeof(codes_${name}[0]), NULL},\n${undefines}")
  endforeach()
endfunction()

# Writes the table of a set of kernels. `declarations` stand before it.
function(vmaf_write_kernel_table file list target rows declarations)
  get_property(includes GLOBAL PROPERTY ${list}_INCLUDES)
  list(REMOVE_DUPLICATES includes)
  list(TRANSFORM includes REPLACE "(.+)" "#include \"\\1\"\n")
  list(JOIN includes "" includes)
  file(CONFIGURE OUTPUT "${file}" @ONLY CONTENT "/* Made by cmake/Kernels.cmake. */
#include \"kernel_set.h\"
#include \"dialect/types.h\"
@includes@
@declarations@
static const VmafKernel kernels[] = {
@rows@};

extern const VmafKernelSet @list@_@target@;
const VmafKernelSet @list@_@target@ = {\"@target@\", kernels, sizeof(kernels) / sizeof(kernels[0])};
")
endfunction()

function(vmaf_kernel_library library)
  add_library(${library} STATIC EXCLUDE_FROM_ALL ${ARGN})
  set_target_properties(${library} PROPERTIES C_STANDARD 11 POSITION_INDEPENDENT_CODE ON)
  target_include_directories(${library} PUBLIC "${VMAF_KERNELS_DIR}")
  target_link_libraries(${library} PUBLIC ${VMAF_KERNELS_SDK})
  if(TARGET vmaf_settings)
    target_link_libraries(${library} PRIVATE vmaf_settings)
  endif()
endfunction()

function(vmaf_add_kernels_emulator library list)
  foreach(property NAMES WRAPPERS EMULATOR)
    get_property(${property} GLOBAL PROPERTY ${list}_${property})
  endforeach()
  set(declarations "")
  foreach(name IN LISTS NAMES)
    string(APPEND declarations "void emulator_kernel_${name}(struct EmulatorGroup *);\n")
  endforeach()
  set(table "${CMAKE_CURRENT_BINARY_DIR}/${list}_emulator.c")
  vmaf_write_kernel_table("${table}" ${list} emulator "${EMULATOR}" "${declarations}")
  vmaf_kernel_library(${library} ${WRAPPERS} "${table}")
  target_link_libraries(${library} PRIVATE vmaf_emulator)
endfunction()

# All headers that kernels include.
function(vmaf_kernel_headers result)
  file(GLOB headers CONFIGURE_DEPENDS "${VMAF_KERNELS_DIR}/*/*.h" "${VMAF_METRICS_DIR}/*/*.kernel.h"
       "${VMAF_CONSTANTS_DIR}/metrics/*/*_kernel.h")
  set(${result} "${headers}" PARENT_SCOPE)
endfunction()

# The command that writes down what the kernels of a target have in common, for the cache; once per
# target and folder.
function(vmaf_kernel_common_key result target)
  set(key "")
  if(VMAF_KERNEL_CACHE)
    set(key "${CMAKE_CURRENT_BINARY_DIR}/${target}.key")
    get_property(known DIRECTORY PROPERTY vmaf_kernel_keys)
    if(NOT target IN_LIST known)
      set_property(DIRECTORY APPEND PROPERTY vmaf_kernel_keys ${target})
      vmaf_kernel_environment(environment)
      vmaf_kernel_headers(headers)
      add_custom_command(OUTPUT "${key}"
        COMMAND env ${environment} sh "${VMAF_KERNEL_COMPILER}" common-key ${target} "${key}"
        DEPENDS ${headers} "${VMAF_KERNEL_COMPILER}" "${VMAF_KERNELS_DIR}/dialect/glsl_preamble.txt"
        COMMENT "What kernels for ${target} have in common" VERBATIM)
    endif()
  endif()
  set(${result} "${key}" PARENT_SCOPE)
endfunction()

# Adds the command that compiles a kernel for an architecture and writes it as a string of C to `array`.
function(vmaf_compile_kernel array target architecture wrapper source)
  vmaf_kernel_environment(environment)
  if(NOT architecture STREQUAL "generic")
    list(APPEND environment "ARCHITECTURE=${architecture}")
  endif()
  vmaf_kernel_common_key(key ${target})
  if(key)
    list(APPEND environment "COMMON_KEY=${key}")
  endif()
  cmake_path(GET source PARENT_PATH folder)
  vmaf_kernel_headers(headers)
  file(GLOB own CONFIGURE_DEPENDS "${folder}/*.h")
  list(FILTER own EXCLUDE REGEX "^${VMAF_METRICS_DIR}/")
  list(APPEND headers ${own})
  cmake_path(GET wrapper STEM name)
  add_custom_command(OUTPUT "${array}"
    COMMAND env ${environment} sh "${VMAF_KERNEL_COMPILER}" ${target} "${wrapper}" "${array}"
    DEPENDS "${wrapper}" "${source}" ${headers} ${key} "${VMAF_KERNEL_COMPILER}"
            "${VMAF_KERNELS_DIR}/dialect/glsl_preamble.txt"
    COMMENT "Kernel ${name} for ${target} (${architecture})" VERBATIM)
endfunction()

function(vmaf_add_kernels library list target)
  cmake_parse_arguments(arg "" "" "ARCHITECTURES" ${ARGN})
  if(NOT arg_ARCHITECTURES)
    set(arg_ARCHITECTURES generic)
  endif()
  vmaf_kernel_tools(tools "${target}")
  if(NOT tools)
    message(FATAL_ERROR "No kernels can be compiled for ${target}")
  endif()
  foreach(tool IN LISTS tools)
    if(NOT VMAF_${tool})
      message(FATAL_ERROR "Kernels for ${target} need a program that was not found: VMAF_${tool}")
    endif()
  endforeach()
  foreach(property NAMES WRAPPERS SOURCES NATIVE)
    get_property(${property} GLOBAL PROPERTY ${list}_${property})
  endforeach()
  set(arrays "")
  set(declarations "")
  set(rows "")
  foreach(name wrapper source IN ZIP_LISTS NAMES WRAPPERS SOURCES)
    if(target STREQUAL "metal" AND name IN_LIST NATIVE)
      continue()
    endif()
    get_property(row GLOBAL PROPERTY ${list}_EMBEDDED_${name})
    string(APPEND rows "${row}")
    set(codes "")
    set(number 0)
    foreach(architecture IN LISTS arg_ARCHITECTURES)
      set(directory "${CMAKE_CURRENT_BINARY_DIR}/${list}/${target}/${architecture}")
      file(MAKE_DIRECTORY "${directory}")
      set(array "${directory}/${name}.inc")
      cmake_path(RELATIVE_PATH array BASE_DIRECTORY "${CMAKE_BINARY_DIR}" OUTPUT_VARIABLE compiled)
      cmake_path(ABSOLUTE_PATH compiled BASE_DIRECTORY "${VMAF_COMPILED_KERNELS}")
      if(VMAF_COMPILED_KERNELS AND EXISTS "${compiled}")
        set(array "${compiled}")
      else()
        vmaf_compile_kernel("${array}" ${target} ${architecture} "${wrapper}" "${source}")
        list(APPEND arrays "${array}")
      endif()
      set(code code_${name}_${number})
      string(REGEX REPLACE "^generic$" "" shown "${architecture}")
      string(APPEND declarations
        "static const _Alignas(8) char ${code}[] =\n#include \"${array}\"\n;\n")
      string(APPEND codes "    {\"${shown}\", ${code}, sizeof(${code}) - 1},\n")
      math(EXPR number "${number} + 1")
    endforeach()
    string(APPEND declarations "static const VmafKernelCode codes_${name}[] = {\n${codes}};\n")
  endforeach()
  set(table "${CMAKE_CURRENT_BINARY_DIR}/${list}_${target}.c")
  vmaf_write_kernel_table("${table}" ${list} ${target} "${rows}" "${declarations}")
  set_source_files_properties("${table}" PROPERTIES OBJECT_DEPENDS "${arrays}")
  vmaf_kernel_library(${library} "${table}" ${arrays})
endfunction()
