# SPDX-License-Identifier: BSD-2-Clause-Patent
# Tests of how plugins are found, probed and loaded, and the hostile plugins that they use: copies of
# one, hostile/hostile.c, which is wrong in the way that the name of its file says.

set(VMAF_HOSTILE_DIR "${CMAKE_CURRENT_BINARY_DIR}/hostile")

# A library that is there when a plugin is linked and nowhere when it is loaded.
add_library(hostile_vendor SHARED hostile/vendor.c)
set_target_properties(hostile_vendor PROPERTIES OUTPUT_NAME vmaf-test-vendor
  C_VISIBILITY_PRESET default LIBRARY_OUTPUT_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/vendor")

add_library(hostile_misbehaviour OBJECT hostile/misbehaviour.c)
target_compile_definitions(hostile_misbehaviour PRIVATE _GNU_SOURCE)

#   vmaf_add_hostile_plugin(name [definition ...])
function(vmaf_add_hostile_plugin name)
  set(target hostile_${name})
  add_library(${target} MODULE hostile/hostile.c $<TARGET_OBJECTS:hostile_misbehaviour>)
  set_target_properties(${target} PROPERTIES OUTPUT_NAME vmaf-backend-${name} PREFIX lib SUFFIX .so
    LIBRARY_OUTPUT_DIRECTORY "${VMAF_HOSTILE_DIR}" BUILD_WITH_INSTALL_RPATH ON)
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/include")
  target_compile_definitions(${target} PRIVATE _GNU_SOURCE ${ARGN})
  target_link_libraries(${target} PRIVATE ${CMAKE_DL_LIBS})
endfunction()

vmaf_add_hostile_plugin(good)
vmaf_add_hostile_plugin(nosymbol ENTRY=some_other_function)
vmaf_add_hostile_plugin(undefined UNDEFINED_SYMBOL)
target_link_options(hostile_undefined PRIVATE LINKER:-z,lazy)
vmaf_add_hostile_plugin(novendor VENDOR_LIBRARY)
target_link_libraries(hostile_novendor PRIVATE hostile_vendor)

set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/hostile/plugins.inc")
file(READ hostile/plugins.inc text)
string(REGEX MATCHALL "(PLUGIN|EVERY_WAY)[(]\"[a-z]+" rows "${text}")
set(copies "")
foreach(row IN LISTS rows)
  string(REGEX REPLACE ".*\"" "" name "${row}")
  set(names ${name})
  if(row MATCHES "EVERY_WAY")
    set(names crash${name} abort${name} exit${name} loop${name} allocate${name})
  endif()
  list(TRANSFORM names REPLACE "(.+)" "${VMAF_HOSTILE_DIR}/libvmaf-backend-\\1.so")
  list(APPEND copies ${names})
endforeach()
add_custom_command(OUTPUT ${copies} COMMAND tee ${copies} <$<TARGET_FILE:hostile_good> >/dev/null
  DEPENDS hostile_good COMMENT "Hostile plugins")
add_custom_target(hostile_plugins ALL DEPENDS ${copies} hostile_nosymbol hostile_undefined hostile_novendor)

foreach(test test_names test_limited_call)
  vmaf_add_test(${test} SOURCES ${test}.c LABELS "backend;threads")
endforeach()
target_link_options(test_limited_call PRIVATE -Wl,--wrap=vmaf_steady_ms) # the test has its own clock
set(memory_test "")
if(VMAF_HAVE_GLIBC AND NOT VMAF_SANITIZE) # see tests/api/CMakeLists.txt
  set(memory_test test_loading_memory)
endif()
foreach(test ${memory_test} test_hostile_loading test_inprocess test_registry test_probe_cache test_device
             test_startup_cost)
  vmaf_add_test(${test} SOURCES ${test}.c loader_harness.c LIBRARIES patient_clock test_support LABELS backend)
  target_compile_definitions(${test} PRIVATE
    HOSTILE_DIR="${VMAF_HOSTILE_DIR}" HELPER="$<TARGET_FILE:vmaf_backend_probe>"
    VENDOR_LIBRARY="$<TARGET_FILE:hostile_vendor>" INSTALLED_HELPER="${VMAF_HELPER_INSTALLED}")
  add_dependencies(${test} vmaf_backend_probe hostile_plugins)
endforeach()
if(memory_test)
  set_tests_properties(${memory_test} PROPERTIES LABELS optimised)
  target_sources(${memory_test} PRIVATE "${PROJECT_SOURCE_DIR}/tests/api/failing_malloc.c")
endif()
set_property(TEST test_registry test_device APPEND PROPERTY LABELS threads)
set_tests_properties(test_registry PROPERTIES LABELS "both;threads") # with sanitizers it leaves out a case
set_tests_properties(test_hostile_loading PROPERTIES COST 1000) # it waits for time limits; others run meanwhile

if(NOT VMAF_SANITIZE)
  vmaf_add_command_test(helper-symbols COMMAND helper_symbols.sh "$<TARGET_FILE:vmaf_backend_probe>"
    LABELS optimised)
endif()

if(TARGET vmaf_cli)
  vmaf_add_command_test(backend-messages-program COMMAND messages.sh "$<TARGET_FILE:vmaf_cli>"
      "${VMAF_HOSTILE_DIR}"
    LABELS backend)
endif()

# Sanitizers keep the paths of sources in what they build.
if(TARGET vmaf_cli AND VMAF_HELPER_FROM_LIBRARIES AND NOT VMAF_SANITIZE)
  vmaf_add_command_test(install-relocated COMMAND relocated.sh "${PROJECT_BINARY_DIR}"
      "${CMAKE_INSTALL_PREFIX}" "${CMAKE_INSTALL_LIBDIR}" "${CMAKE_INSTALL_BINDIR}"
      "$<TARGET_FILE:hostile_good>" good
    LABELS optimised install)
endif()
