# SPDX-License-Identifier: BSD-2-Clause-Patent
# On the emulated Level Zero driver, under the system's loader; work that may run at once does so in
# an order of its own.
if(TARGET backend_sycl AND TARGET emulated_level_zero)
  set(sycl "ZE_ENABLE_ALT_DRIVERS=$<TARGET_FILE:emulated_level_zero>" "OCL_ICD_VENDORS=pocl.icd"
      "ASAN_OPTIONS=detect_leaks=0")
  set(sycl_folder "$<TARGET_FILE_DIR:backend_sycl>")
  vmaf_add_parity_tests(sycl sycl "${sycl_folder}" ${sycl} VMAF_EMULATED_LEVEL_ZERO_ORDER=1)
  vmaf_add_group_test(sycl sycl "${sycl_folder}" "66x50 420 8 3" ARGUMENTS --feature psnr
                      ENVIRONMENT ${sycl} VMAF_EMULATED_LEVEL_ZERO_ORDER=1)
  vmaf_add_parity_test(sycl_shared sycl "${sycl_folder}" chirp quant 66x50 420 8 3
                       ARGUMENTS --features ${shared_at_once} --models ${shared_models}
                       ENVIRONMENT ${sycl} VMAF_EMULATED_LEVEL_ZERO_ORDER=2)
  foreach(order late others early)
    vmaf_add_parity_test(sycl_${order} sycl "${sycl_folder}" texture blur 75x61 420 10 3
                         ARGUMENTS --features psnr --models vmaf_v0.6.1+vmaf_v0.6.1neg
                         ENVIRONMENT ${sycl} VMAF_EMULATED_LEVEL_ZERO_ORDER=${order})
  endforeach()
  vmaf_add_parity_test(sycl_validated sycl "${sycl_folder}" edges quant 98x66 420 8 3
                       ARGUMENTS --features psnr motion vif adm
                       ENVIRONMENT ${sycl} ZE_ENABLE_VALIDATION_LAYER=1
                       ZE_ENABLE_PARAMETER_VALIDATION=1)
  file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/integrated.txt"
       "device Integrated GPU\nkind integrated\ncopy-engines 0\nno-fp64\n")
  vmaf_add_parity_test(sycl_integrated sycl "${sycl_folder}" grain shift 66x50 420 8 3
                       ARGUMENTS --features psnr motion vif adm
                       ENVIRONMENT ${sycl}
                       "VMAF_EMULATED_LEVEL_ZERO=${CMAKE_CURRENT_BINARY_DIR}/integrated.txt")
  if(Python3_FOUND)
    vmaf_add_command_test(sycl_program COMMAND test_sycl_program.py "$<TARGET_FILE:vmaf_cli>"
        "$<TARGET_FILE:synth>" "${sycl_folder}" "$<TARGET_FILE:emulated_level_zero>"
      LABELS parity)
  endif()
  # Programs that have their pictures on the device.
  vmaf_add_test(sycl_frames SOURCES "${PROJECT_SOURCE_DIR}/tests/backend/vendor/test_sycl_frames.c"
                LIBRARIES vendor_harness LABELS parity)
  target_include_directories(sycl_frames PRIVATE "${PROJECT_SOURCE_DIR}/tests/emulation/level-zero")
  target_compile_definitions(sycl_frames PRIVATE
    "EMULATED_VA=\"${PROJECT_BINARY_DIR}/emulation/level-zero/libva.so.2\"")
  add_dependencies(sycl_frames backend_sycl emulated_level_zero emulated_va)
  set_property(TEST sycl_frames APPEND PROPERTY ENVIRONMENT ${sycl}
    "VMAF_BACKEND_PATH=${sycl_folder}" "VMAF_BACKEND_PROBE=inprocess"
    "XDG_CACHE_HOME=${CMAKE_CURRENT_BINARY_DIR}/cache")
  vmaf_add_long_backend_tests(sycl "${sycl_folder}" ${sycl})
else()
  vmaf_skip_test(parity_sycl "the plugin or the emulated driver was not built" LABELS parity)
endif()
