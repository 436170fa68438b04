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
  vmaf_add_command_test(sycl_linkage COMMAND sycl/linkage.sh "$<TARGET_FILE:backend_sycl>" LABELS kernels)
endif()
if(TARGET layer_sycl)
  vmaf_add_test(sycl_spirv SOURCES sycl/test_sycl_spirv.c
                LIBRARIES vmaf_kernels_on_opencl test_kernels_on_opencl LABELS kernels)
  # Intel's compiler and driver, which need no device for this.
  set(spirv "${PROJECT_BINARY_DIR}/plugins/kernels/vmaf_kernels/opencl/generic")
  set(ocloc sycl/ocloc.sh "${spirv}")
  vmaf_add_command_test(sycl_ocloc COMMAND ${ocloc} "dg2 tgllp skl" psnr_sse_8 sum_partials LABELS kernels)
  vmaf_add_program(test_sycl_dry SOURCES sycl/test_sycl_dry.c LIBRARIES layer_tests)
  target_include_directories(test_sycl_dry PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}"
                             "${CMAKE_CURRENT_SOURCE_DIR}/kernels")
  foreach(device "dg2 8x4x16" "tgllp 1x6x16" "skl 1x3x8")
    separate_arguments(device)
    list(GET device 0 name)
    list(GET device 1 size)
    set(environment VMAF_TEST_LAYER_SYCL=$<TARGET_FILE:layer_sycl> NEOReadDebugKeys=1 SetCommandStreamReceiver=1 ProductFamilyOverride=${name}
        HardwareInfoOverride=${size} AUBDumpCaptureFileName=/dev/null)
    vmaf_add_command_test(sycl_dry_${name} COMMAND test_sycl_dry LABELS kernels ENVIRONMENT ${environment})
    vmaf_add_command_test(all_sycl_dry_${name} COMMAND test_sycl_dry all LABELS kernels
                          ENVIRONMENT ${environment})
    vmaf_add_command_test(all_sycl_ocloc_${name} COMMAND ${ocloc} ${name} LABELS kernels)
  endforeach()
endif()
