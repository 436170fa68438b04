# SPDX-License-Identifier: BSD-2-Clause-Patent
# The example backend, backends for tests that are made around it, and what they prove.

set(VMAF_EXAMPLE_FOLDER "${PROJECT_SOURCE_DIR}/plugins/example")
set(VMAF_TEST_BACKENDS "${CMAKE_CURRENT_BINARY_DIR}/plugins")

# A plugin for tests: <folder>/libvmaf-backend-<name>.so, where the folder is a search path of its
# own below VMAF_TEST_BACKENDS.
#   vmaf_add_test_backend(target NAME name FOLDER folder [HEADERS folder] SOURCES ... [DEFINITIONS ...])
function(vmaf_add_test_backend target)
  cmake_parse_arguments(arg "" "NAME;FOLDER;HEADERS" "SOURCES;DEFINITIONS" ${ARGN})
  if(NOT arg_HEADERS)
    set(arg_HEADERS "${PROJECT_SOURCE_DIR}/include")
  endif()
  add_library(${target} MODULE ${arg_SOURCES})
  set_target_properties(${target} PROPERTIES
    OUTPUT_NAME "libvmaf-backend-${arg_NAME}" PREFIX "" SUFFIX ".so"
    LIBRARY_OUTPUT_DIRECTORY "${VMAF_TEST_BACKENDS}/${arg_FOLDER}")
  target_compile_definitions(${target} PRIVATE "BACKEND_NAME=\"${arg_NAME}\"" ${arg_DEFINITIONS})
  target_include_directories(${target} PRIVATE "${arg_HEADERS}")
  target_link_libraries(${target} PRIVATE vmaf_settings Threads::Threads m)
  target_link_options(${target} PRIVATE -Wl,-z,now)
  if(NOT VMAF_SANITIZE)
    target_link_options(${target} PRIVATE -Wl,-z,defs)
  endif()
endfunction()

# The example's arithmetic for all others, never with sanitizers: these would take half of the time of tests that are
# about something else.
add_library(example_metrics OBJECT ${VMAF_EXAMPLE_FOLDER}/metrics.c)
target_include_directories(example_metrics PRIVATE "${PROJECT_SOURCE_DIR}/include")
target_compile_options(example_metrics PRIVATE -O2)
set_target_properties(example_metrics PROPERTIES C_STANDARD 11 POSITION_INDEPENDENT_CODE ON)

# The example as others wrap it: its entry has another name.
set(example_sources
  ${VMAF_EXAMPLE_FOLDER}/backend.c ${VMAF_EXAMPLE_FOLDER}/metrics.c ${VMAF_EXAMPLE_FOLDER}/session.c)
function(add_inner_example target headers) # sources
  add_library(${target} OBJECT ${ARGN})
  target_compile_definitions(${target} PRIVATE vmaf_backend_entry=inner_backend_entry)
  target_include_directories(${target} PRIVATE "${headers}")
  target_link_libraries(${target} PRIVATE vmaf_settings)
endfunction()
add_inner_example(inner_example "${PROJECT_SOURCE_DIR}/include"
  ${VMAF_EXAMPLE_FOLDER}/backend.c ${VMAF_EXAMPLE_FOLDER}/session.c)
set(inner_example $<TARGET_OBJECTS:inner_example> $<TARGET_OBJECTS:example_metrics>)

vmaf_add_test_backend(backend_example NAME example FOLDER example SOURCES ${example_sources})
vmaf_add_test_backend(backend_recorder NAME recorder FOLDER records
  SOURCES plugins/record_replay.c ${inner_example})
vmaf_add_test_backend(backend_replayer NAME replayer FOLDER records
  SOURCES plugins/record_replay.c ${inner_example} DEFINITIONS REPLAY)
vmaf_add_test_backend(backend_hostile NAME hostile FOLDER hostile
  SOURCES plugins/hostile.c ${inner_example})
foreach(name stressone stresstwo)
  vmaf_add_test_backend(backend_${name} NAME ${name} FOLDER stress
    SOURCES plugins/hostile.c ${inner_example})
endforeach()
vmaf_add_test_backend(backend_membuf NAME cuda FOLDER membuf
  SOURCES plugins/membuf.c plugins/membuf_memory.c ${inner_example})
# All known names and two of third parties, on machines that tests describe.
foreach(name cuda sycl hip metal vulkan aleph zeta)
  set(class NATIVE)
  if(name MATCHES "vulkan|zeta")
    set(class PORTABLE)
  endif()
  vmaf_add_test_backend(backend_posing_${name} NAME ${name} FOLDER posing
    SOURCES plugins/posing.c ${inner_example} DEFINITIONS BACKEND_CLASS=VMAF_BACKEND_CLASS_${class})
endforeach()
vmaf_add_test_backend(backend_rows NAME rows FOLDER rows SOURCES plugins/rows.c)

# vmaf-backend-check on good and on bad backends.
if(NOT VMAF_SANITIZE)
  set(good example membuf hostile example_1_0 membuf_1_0 rows)
  list(TRANSFORM good REPLACE "(.+)" "$<TARGET_FILE:backend_\\1>")
  vmaf_add_command_test(backend-check COMMAND check.sh "$<TARGET_FILE:vmaf_backend_check>"
      "${VMAF_TEST_BACKENDS}" "${CMAKE_CURRENT_BINARY_DIR}/hostile" ${good}
    LABELS optimised)
endif()

# The example and its relatives, through the library.
add_library(backend_scoring STATIC scoring.c)
target_include_directories(backend_scoring PUBLIC
  "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/src/core" "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/tests")
target_compile_definitions(backend_scoring PRIVATE HELPER="$<TARGET_FILE:vmaf_backend_probe>")
target_link_libraries(backend_scoring PRIVATE vmaf_settings)
function(add_scoring_test subject folder)
  cmake_parse_arguments(arg "" "" "LABELS;PLUGINS" ${ARGN})
  vmaf_add_test("backend-${subject}" SOURCES "test_${subject}.c" LIBRARIES patient_clock backend_scoring
                LABELS backend ${arg_LABELS})
  add_dependencies("backend-${subject}" vmaf_backend_probe ${arg_PLUGINS})
  set_property(TEST "backend-${subject}" APPEND PROPERTY ENVIRONMENT
    "VMAF_BACKEND_PATH=${VMAF_TEST_BACKENDS}/${folder}"
    "XDG_CACHE_HOME=${CMAKE_CURRENT_BINARY_DIR}/cache")
endfunction()
add_scoring_test(example example PLUGINS backend_example)
add_scoring_test(failing hostile PLUGINS backend_hostile)
add_scoring_test(stress stress PLUGINS backend_stressone backend_stresstwo LABELS threads) # VMAF_TEST_STRESS_RUNS: 400
add_scoring_test(rows rows PLUGINS backend_rows)
foreach(way size last kind small overrun narrow low wide high)
  vmaf_add_command_test(backend-rows-${way} COMMAND backend-rows
    LABELS backend
    ENVIRONMENT
      "VMAF_BACKEND_PATH=${VMAF_TEST_BACKENDS}/rows;XDG_CACHE_HOME=${CMAKE_CURRENT_BINARY_DIR}/cache;VMAF_TEST_ROWS=${way}")
endforeach()

# And through the program.
if(TARGET vmaf_cli)
  foreach(case "record_replay;records" "failing;hostile" "idle;hostile" "spot_check;hostile" "joining;example" "frame_memory;membuf")
    list(GET case 0 script)
    list(GET case 1 folder)
    set(frames "")
    if(VMAF_SANITIZE AND script STREQUAL "joining") # which takes ten times as long
      set(frames 200)
    endif()
    vmaf_add_command_test(backend-${script}-program COMMAND ${script}.sh "$<TARGET_FILE:vmaf_cli>"
        "${VMAF_TEST_BACKENDS}/${folder}" ${frames}
      LABELS backend)
  endforeach()
endif()

# As a third party has it.
if(BUILD_SHARED_LIBS AND TARGET vmaf_cli)
  set(example_flags "")
  if(VMAF_SANITIZE)
    set(example_flags "-fsanitize=${VMAF_SANITIZE}")
  endif()
  vmaf_add_command_test(install-example_backend COMMAND installed_example.sh "${PROJECT_SOURCE_DIR}"
      "${PROJECT_BINARY_DIR}" "${CMAKE_INSTALL_PREFIX}" "${CMAKE_INSTALL_LIBDIR}" "${CMAKE_INSTALL_BINDIR}"
      "${CMAKE_C_COMPILER}" "${example_flags}"
    LABELS install)
endif()
