# SPDX-License-Identifier: BSD-2-Clause-Patent
# Kernels: one source, many targets; see docs/kernels.md.
#   vmaf_add_kernel(<list> source [VARIANTS "suffix MACRO=value ..." ...])
#   vmaf_add_kernels_host(<library> <list>)      plain C, for the host device
#   vmaf_add_kernels_vulkan(<library> <list>)    SPIR-V for Vulkan, embedded; needs glslangValidator
# A list collects kernels under a name, which is also the name of the table in the library:
# `const VmafKernelSet <list>_<target>`.
#
# A kernel is named after its file. Each variant is a kernel of its own, with the suffix appended and
# the macros defined. For each the build writes a small file that defines KERNEL_NAME and the macros
# and includes the source; this file is what all targets compile. What host programs need to know
# about a kernel is read off its KERNEL_ declarations, and checked when it is compiled as plain C.

find_program(VMAF_GLSLANG glslangValidator)
find_program(VMAF_SPIRV_VAL spirv-val)
mark_as_advanced(VMAF_GLSLANG VMAF_SPIRV_VAL)

set(VMAF_KERNELS_DIR "${PROJECT_SOURCE_DIR}/plugins/kernels")
set(VMAF_KERNEL_COMPILER "${VMAF_KERNELS_DIR}/compile.sh")
set(VMAF_KERNELS_MODULE_DIR "${CMAKE_CURRENT_LIST_DIR}")

# Reads WX, WY, the buffers and the type of the arguments off a kernel's source.
function(vmaf_read_kernel source)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${source}")
  file(STRINGS "${source}" lines REGEX "^(#define W[XY] |#include \"|KERNEL_)")
  set(includes "")
  set(sizes "")
  set(written 0)
  set(slot 0)
  foreach(line IN LISTS lines)
    if(line MATCHES "^#define (W[XY]) ([0-9]+)")
      set(${CMAKE_MATCH_1} ${CMAKE_MATCH_2})
    elseif(line MATCHES "^#include \"(.*_args\\.h)\"")
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
  set(KERNEL_WX ${WX} PARENT_SCOPE)
  set(KERNEL_WY ${WY} PARENT_SCOPE)
  set(KERNEL_INCLUDES "${includes}" PARENT_SCOPE)
  set(KERNEL_SIZES "${sizes}" PARENT_SCOPE)
  set(KERNEL_WRITTEN ${written} PARENT_SCOPE)
  set(KERNEL_BUFFERS ${slot} PARENT_SCOPE)
  set(KERNEL_ARGS ${args} PARENT_SCOPE)
endfunction()

function(vmaf_add_kernel list source)
  cmake_parse_arguments(arg "" "" "VARIANTS" ${ARGN})
  cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
  cmake_path(GET source STEM stem)
  vmaf_read_kernel("${source}")
  foreach(variant IN LISTS arg_VARIANTS ITEMS "")
    if(variant STREQUAL "" AND arg_VARIANTS)
      continue()
    endif()
    separate_arguments(macros UNIX_COMMAND "${variant}")
    set(name "${stem}")
    set(defines "")
    set(undefines "")
    if(macros)
      list(POP_FRONT macros suffix)
      string(APPEND name "_${suffix}")
    endif()
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
    set_property(GLOBAL APPEND_STRING PROPERTY ${list}_HOST
      "${defines}    {\"${name}\", {${KERNEL_WX}, ${KERNEL_WY}}, ${KERNEL_BUFFERS}, ${KERNEL_WRITTEN}, {${KERNEL_SIZES}}, sizeof(${KERNEL_ARGS}), NULL, 0, host_kernel_${name}},\n${undefines}")
    set_property(GLOBAL APPEND_STRING PROPERTY ${list}_EMBEDDED
      "${defines}    {\"${name}\", {${KERNEL_WX}, ${KERNEL_WY}}, ${KERNEL_BUFFERS}, ${KERNEL_WRITTEN}, {${KERNEL_SIZES}}, sizeof(${KERNEL_ARGS}), code_${name}, sizeof(code_${name}), NULL},\n${undefines}")
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
  target_include_directories(${library} PUBLIC "${VMAF_KERNELS_DIR}")
  target_link_libraries(${library} PRIVATE vmaf_settings PUBLIC vmaf_sdk)
endfunction()

function(vmaf_add_kernels_host library list)
  foreach(property NAMES WRAPPERS HOST)
    get_property(${property} GLOBAL PROPERTY ${list}_${property})
  endforeach()
  set(declarations "")
  foreach(name IN LISTS NAMES)
    string(APPEND declarations "void host_kernel_${name}(struct HostGroup *);\n")
  endforeach()
  set(table "${CMAKE_CURRENT_BINARY_DIR}/${list}_host.c")
  vmaf_write_kernel_table("${table}" ${list} host "${HOST}" "${declarations}")
  vmaf_kernel_library(${library} ${WRAPPERS} "${table}")
  target_link_libraries(${library} PRIVATE vmaf_host_device)
endfunction()

function(vmaf_add_kernels_vulkan library list)
  foreach(property NAMES WRAPPERS SOURCES INCLUDES EMBEDDED)
    get_property(${property} GLOBAL PROPERTY ${list}_${property})
  endforeach()
  file(GLOB headers CONFIGURE_DEPENDS "${VMAF_KERNELS_DIR}/*/*.h")
  set(directory "${CMAKE_CURRENT_BINARY_DIR}/${list}/vulkan")
  file(MAKE_DIRECTORY "${directory}")
  set(arrays "")
  set(declarations "")
  foreach(name wrapper source IN ZIP_LISTS NAMES WRAPPERS SOURCES)
    set(array "${directory}/${name}.inc")
    add_custom_command(OUTPUT "${array}"
      COMMAND ${CMAKE_COMMAND} -E env "CC=${CMAKE_C_COMPILER}" "GLSLANG=${VMAF_GLSLANG}"
              "SPIRV_VAL=${VMAF_SPIRV_VAL}"
              sh "${VMAF_KERNEL_COMPILER}" vulkan "${wrapper}" "${directory}/${name}.spv"
      COMMAND ${CMAKE_COMMAND} "-DINPUT=${directory}/${name}.spv" "-DOUTPUT=${array}"
              -P "${VMAF_KERNELS_MODULE_DIR}/EmbedWords.cmake"
      DEPENDS "${wrapper}" "${source}" ${headers} "${VMAF_KERNEL_COMPILER}"
              "${VMAF_KERNELS_DIR}/dialect/glsl_preamble.txt"
      COMMENT "Kernel ${name} for Vulkan" VERBATIM)
    list(APPEND arrays "${array}")
    string(APPEND declarations
      "static const uint32_t code_${name}[] = {\n#include \"${array}\"\n};\n")
  endforeach()
  set(table "${CMAKE_CURRENT_BINARY_DIR}/${list}_vulkan.c")
  vmaf_write_kernel_table("${table}" ${list} vulkan "${EMBEDDED}" "${declarations}")
  set_source_files_properties("${table}" PROPERTIES OBJECT_DEPENDS "${arrays}")
  vmaf_kernel_library(${library} "${table}" ${arrays})
endfunction()
