# SPDX-License-Identifier: BSD-2-Clause-Patent
# Tests of this layer alone.
if(TARGET layer_sycl)
  foreach(name faults layer pictures)
    vmaf_add_program(test_sycl_${name} SOURCES sycl/test_sycl_${name}.c sycl/emulated.c
                     LIBRARIES layer_tests ze_loader)
    target_include_directories(test_sycl_${name} PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}"
      "${CMAKE_CURRENT_SOURCE_DIR}/kernels" "${PROJECT_SOURCE_DIR}/plugins/sycl")
    # The layer's calls come to the program's functions, where it has some.
    set_target_properties(test_sycl_${name} PROPERTIES ENABLE_EXPORTS ON)
    vmaf_add_layer_test(sycl_${name} test_sycl_${name})
  endforeach()
  target_include_directories(test_sycl_pictures PRIVATE
    "${PROJECT_SOURCE_DIR}/tests/emulation/level-zero")
  target_compile_definitions(test_sycl_pictures PRIVATE
    "EMULATED_VA=\"${PROJECT_BINARY_DIR}/emulation/level-zero/libva.so.2\"")
  add_dependencies(test_sycl_pictures emulated_va)
  foreach(name layer sources)
    vmaf_add_layer_test(${name}_sycl_validated test_${name} sycl)
    set_property(TEST ${name}_sycl_validated APPEND PROPERTY ENVIRONMENT ${sycl_validation})
  endforeach()
  foreach(order late others early)
    vmaf_add_layer_test(sources_sycl_${order} test_sources sycl)
    set_property(TEST sources_sycl_${order} APPEND PROPERTY ENVIRONMENT
                 VMAF_EMULATED_LEVEL_ZERO_ORDER=${order})
  endforeach()
endif()
if(TARGET vmaf_sycl_device)
  add_test(NAME sycl_linkage COMMAND sh "${CMAKE_CURRENT_SOURCE_DIR}/sycl/linkage.sh"
           "$<TARGET_FILE:backend_sycl>")
  set_tests_properties(sycl_linkage PROPERTIES LABELS kernels SKIP_RETURN_CODE 77)
endif()
if(TARGET layer_sycl)
  vmaf_add_test(sycl_spirv SOURCES sycl/test_sycl_spirv.c
                LIBRARIES vmaf_kernels_on_opencl test_kernels_on_opencl LABELS kernels)
  # Intel's compiler and driver, which need no device for this.
  set(spirv "${PROJECT_BINARY_DIR}/plugins/kernels/vmaf_kernels/opencl/generic")
  set(ocloc sh "${CMAKE_CURRENT_SOURCE_DIR}/sycl/ocloc.sh" "${spirv}")
  add_test(NAME sycl_ocloc COMMAND ${ocloc} "dg2 tgllp skl" psnr_sse_8 sum_partials)
  set_tests_properties(sycl_ocloc PROPERTIES LABELS kernels SKIP_RETURN_CODE 77 TIMEOUT ${VMAF_TEST_TIMEOUT})
  vmaf_add_program(test_sycl_dry SOURCES sycl/test_sycl_dry.c LIBRARIES layer_tests)
  target_include_directories(test_sycl_dry PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}"
                             "${CMAKE_CURRENT_SOURCE_DIR}/kernels")
  foreach(device "dg2 8x4x16" "tgllp 1x6x16" "skl 1x3x8")
    separate_arguments(device)
    list(GET device 0 name)
    list(GET device 1 size)
    add_test(NAME sycl_dry_${name} COMMAND test_sycl_dry)
    add_test(NAME all_sycl_dry_${name} COMMAND test_sycl_dry all)
    set_tests_properties(sycl_dry_${name} all_sycl_dry_${name} PROPERTIES LABELS kernels
      SKIP_RETURN_CODE 77 TIMEOUT ${VMAF_TEST_TIMEOUT}
      ENVIRONMENT "NEOReadDebugKeys=1;SetCommandStreamReceiver=1;ProductFamilyOverride=${name};HardwareInfoOverride=${size};AUBDumpCaptureFileName=/dev/null")
    add_test(NAME all_sycl_ocloc_${name} COMMAND ${ocloc} ${name})
    set_tests_properties(all_sycl_ocloc_${name} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT ${VMAF_TEST_TIMEOUT})
    set_tests_properties(all_sycl_dry_${name} all_sycl_ocloc_${name} PROPERTIES LABELS "kernels;nightly")
  endforeach()
endif()
