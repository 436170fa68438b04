# SPDX-License-Identifier: BSD-2-Clause-Patent
# vmaf_add_static_library(name archive exports objects...): a static library of the objects, which are in
# the archive, too, with no other global symbols than those that the file `exports` lists: programs have
# functions of the same names. It is one object then, made by the linker and by objcopy; where that is not
# tried (other linkers, objects that are no machine code yet), the library has all symbols.

function(vmaf_add_static_library name archive exports)
  set(flags "${CMAKE_C_FLAGS}")
  if(NOT CMAKE_SYSTEM_NAME STREQUAL "Linux" OR NOT CMAKE_OBJCOPY OR VMAF_SANITIZE OR CMAKE_INTERPROCEDURAL_OPTIMIZATION
     OR flags MATCHES "-flto")
    add_library(${name} STATIC ${ARGN})
    return()
  endif()
  file(STRINGS "${exports}" names REGEX "^[a-z]")
  list(JOIN names "\n" names)
  set(list "${CMAKE_CURRENT_BINARY_DIR}/${name}.symbols")
  file(CONFIGURE OUTPUT "${list}" CONTENT "${names}\n")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${exports}")
  separate_arguments(flags NATIVE_COMMAND "${flags}")
  if(CMAKE_C_COMPILER_TARGET)
    list(APPEND flags "--target=${CMAKE_C_COMPILER_TARGET}")
  endif()
  if(VMAF_X86_32) # functions that objects share must not be taken from others
    list(APPEND flags -Wl,--force-group-allocation)
  endif()
  set(object "${CMAKE_CURRENT_BINARY_DIR}/${name}.o")
  add_custom_command(OUTPUT "${object}"
    COMMAND "${CMAKE_C_COMPILER}" ${flags} -r -nostdlib -Wl,--whole-archive $<TARGET_FILE:${archive}>
            -Wl,--no-whole-archive -o "${object}"
    COMMAND "${CMAKE_OBJCOPY}" "--keep-global-symbols=${list}" "${object}"
    DEPENDS ${archive} "${list}" COMMENT "One object of ${name}" VERBATIM)
  set_source_files_properties("${object}" PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
  add_library(${name} STATIC "${object}")
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE C)
endfunction()
