# SPDX-License-Identifier: BSD-2-Clause-Patent
# Tests of the vendor headers, over backends with device memory in plain memory.

function(add_vendor_backend name import external)
  vmaf_add_test_backend(backend_vendor_${name} NAME ${name} FOLDER vendor
    SOURCES plugins/membuf.c plugins/membuf_memory.c ${inner_example}
    DEFINITIONS IMPORT_KIND=VMAF_BACKEND_IMPORT_${import}
                EXTERNAL_KIND=VMAF_BACKEND_EXTERNAL_${external} ${ARGN})
endfunction()
add_vendor_backend(sycl VA_SURFACE ZE IMPORTS_DMABUF=1)
add_vendor_backend(hip HIP_POINTER HIP)
add_vendor_backend(vulkan VULKAN_IMAGE VULKAN)
add_vendor_backend(metal IOSURFACE METAL)

add_library(vendor_harness STATIC vendor/harness.c)
target_include_directories(vendor_harness PUBLIC "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/tests")
target_link_libraries(vendor_harness PRIVATE vmaf_settings PUBLIC test_cases ${CMAKE_DL_LIBS})

set(VMAF_VENDOR_EMPTY "${CMAKE_CURRENT_BINARY_DIR}/vendor-empty")
file(MAKE_DIRECTORY "${VMAF_VENDOR_EMPTY}")
foreach(subject absent cuda sycl imports import hang memory)
  vmaf_add_test(vendor-${subject} SOURCES vendor/test_vendor_${subject}.c
                LIBRARIES patient_clock vendor_harness LABELS "backend;threads")
  add_dependencies(vendor-${subject} backend_membuf backend_vendor_sycl backend_vendor_hip
                   backend_vendor_vulkan backend_vendor_metal)
  set(path "${VMAF_TEST_BACKENDS}/membuf:${VMAF_TEST_BACKENDS}/vendor")
  if(subject STREQUAL "absent")
    set(path "${VMAF_VENDOR_EMPTY}")
  endif()
  set_property(TEST vendor-${subject} APPEND PROPERTY ENVIRONMENT
    "VMAF_BACKEND_PATH=${path}" "VMAF_BACKEND_PROBE=inprocess"
    "VMAF_BACKEND_SPOT_CHECK=0") # downloads are counted
endforeach()
# What a call that hangs may still use is never freed.
set_property(TEST vendor-hang vendor-memory APPEND PROPERTY ENVIRONMENT "ASAN_OPTIONS=detect_leaks=0")

# Memory that runs out. Sanitizers replace the allocator themselves.
if(TARGET failing_malloc_preload)
  vmaf_add_test(backend-allocation SOURCES test_allocation.c
                "${PROJECT_SOURCE_DIR}/tests/api/every_failure.c"
                "${PROJECT_SOURCE_DIR}/tests/api/failing_malloc.c"
                LIBRARIES vendor_harness ARGUMENTS 5 LABELS optimised)
  add_dependencies(backend-allocation backend_membuf)
  vmaf_add_command_test(backend-every_allocation COMMAND backend-allocation 1
    LABELS optimised ENVIRONMENT "LOCPATH=${VMAF_TEST_LOCALES}")
  set_property(TEST backend-allocation backend-every_allocation APPEND PROPERTY ENVIRONMENT
    "VMAF_BACKEND_PATH=${VMAF_TEST_BACKENDS}/membuf" "VMAF_BACKEND_PROBE=inprocess")
endif()
