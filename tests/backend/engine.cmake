# SPDX-License-Identifier: BSD-2-Clause-Patent
# Tests of the engine with backends, and the fake backends that they use.

set(VMAF_FAKE_DIR "${CMAKE_CURRENT_BINARY_DIR}/engine")
add_library(fake_parts OBJECT engine/fake_buffers.c)
target_include_directories(fake_parts PUBLIC
  "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/tests" "${PROJECT_SOURCE_DIR}/plugins/example")
target_link_libraries(fake_parts PUBLIC vmaf_settings)
function(add_fake_backend name folder)
  add_library(engine_${name} MODULE engine/fake.c)
  set_target_properties(engine_${name} PROPERTIES
    OUTPUT_NAME "libvmaf-backend-${name}" PREFIX "" SUFFIX ".so"
    LIBRARY_OUTPUT_DIRECTORY "${VMAF_FAKE_DIR}${folder}")
  target_compile_definitions(engine_${name} PRIVATE BACKEND_NAME="${name}" ${ARGN})
  target_link_libraries(engine_${name} PRIVATE fake_parts example_metrics Threads::Threads)
endfunction()
add_fake_backend(fakebound "" FAKE_BOUNDED=1 FAKE_KIND=4) # psnr is not exact, the device is software
add_fake_backend(fakeone "")
add_fake_backend(faketwo "")
# With buffers for uploads.
add_fake_backend(sharedone "/shared" FAKE_UPLOADS=1)
add_fake_backend(sharedtwo "/shared" FAKE_UPLOADS=1)
add_fake_backend(unshared "/shared")
# Three backends of two devices: the first two share one.
add_fake_backend(twinone "/twins" FAKE_PCI="0000:01:00.0")
add_fake_backend(twintwo "/twins" FAKE_PCI="00000000:01:00.0")
add_fake_backend(twoother "/twins" FAKE_PCI="0000:02:00.0")
# Three devices, two of another backend, of which the first is the last of those, and two that are software.
add_fake_backend(many "/several" FAKE_DEVICES=3 FAKE_BUS=1)
add_fake_backend(other "/several" FAKE_DEVICES=2 FAKE_BUS=3)
add_fake_backend(soft "/several" FAKE_KIND=4 FAKE_DEVICES=2)

add_library(engine_harness STATIC engine/harness.c)
target_include_directories(engine_harness PUBLIC "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/tests")
target_link_libraries(engine_harness PRIVATE vmaf_settings PUBLIC test_cases ${CMAKE_DL_LIBS})

#   add_engine_test(name [ARGUMENTS ...] [AGAIN argument ...])
# AGAIN: the same program once more with each of these arguments, since a plugin that hangs is not
# used again in a process.
function(add_engine_test name)
  cmake_parse_arguments(arg "" "" "AGAIN" ${ARGN})
  set(test engine-${name})
  vmaf_add_test(${test} SOURCES engine/test_${name}.c
                LIBRARIES patient_clock engine_harness LABELS "backend;threads")
  add_dependencies(${test} engine_fakebound engine_fakeone engine_faketwo)
  set(tests ${test})
  foreach(argument ${arg_AGAIN})
    vmaf_add_command_test(${test}-${argument} COMMAND ${test} ${argument} LABELS backend threads)
    list(APPEND tests ${test}-${argument})
    # What a driver that hangs may still use is never freed.
    set_property(TEST ${test}-${argument} APPEND PROPERTY ENVIRONMENT "ASAN_OPTIONS=detect_leaks=0")
  endforeach()
  set_property(TEST ${tests} APPEND PROPERTY ENVIRONMENT
    "VMAF_BACKEND_PATH=${VMAF_FAKE_DIR}" "VMAF_BACKEND_PROBE=inprocess")
endfunction()
add_engine_test(hybrid)
add_engine_test(failover AGAIN submit collect close)
add_engine_test(passed_over)
add_engine_test(queries)
add_engine_test(spot_check)
add_engine_test(choice)
add_engine_test(lifetime)
add_engine_test(parts)
add_engine_test(same_device)
add_dependencies(engine-same_device engine_twinone engine_twintwo engine_twoother)
set_property(TEST engine-same_device APPEND PROPERTY ENVIRONMENT
  "VMAF_BACKEND_PATH=${VMAF_FAKE_DIR}/twins")
add_engine_test(shared_upload AGAIN hang)
add_dependencies(engine-shared_upload engine_sharedone engine_sharedtwo engine_unshared)
foreach(test engine-shared_upload engine-shared_upload-hang)
  set_property(TEST ${test} APPEND PROPERTY ENVIRONMENT "VMAF_BACKEND_PATH=${VMAF_FAKE_DIR}/shared")
endforeach()
add_engine_test(several_devices AGAIN submit collect close)
add_dependencies(engine-several_devices engine_many engine_other engine_soft)
foreach(test engine-several_devices engine-several_devices-submit engine-several_devices-collect engine-several_devices-close)
  set_property(TEST ${test} APPEND PROPERTY ENVIRONMENT "VMAF_BACKEND_PATH=${VMAF_FAKE_DIR}/several")
endforeach()
