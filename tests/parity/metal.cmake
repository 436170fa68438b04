# SPDX-License-Identifier: BSD-2-Clause-Patent
# On the emulated Metal, whose queues run in an order of their own.
if(TARGET vmaf_metal_import)
  set(metal "LD_LIBRARY_PATH=${PROJECT_BINARY_DIR}/emulation/metal")
  set(metal_folder "$<TARGET_FILE_DIR:backend_metal>")
  vmaf_add_parity_tests(metal metal "${metal_folder}" ${metal} VMAF_EMULATED_METAL_ORDER=1)
  vmaf_add_group_test(metal metal "${metal_folder}" "66x50 420 8 3" ARGUMENTS --feature psnr
                      ENVIRONMENT ${metal} VMAF_EMULATED_METAL_ORDER=1)
  vmaf_add_parity_test(metal_shared metal "${metal_folder}" chirp quant 161x97 420 8 4
                       ARGUMENTS --features ${many_features} --models ${shared_models}
                       ENVIRONMENT ${metal} VMAF_EMULATED_METAL_ORDER=2)
  foreach(order late early others)
    vmaf_add_parity_test(metal_${order} metal "${metal_folder}" texture blur 98x66 420 10 4
                         ARGUMENTS --features psnr motion vif adm
                         ENVIRONMENT ${metal} VMAF_EMULATED_METAL_ORDER=${order})
  endforeach()
  vmaf_add_long_backend_tests(metal "${metal_folder}" ${metal})
  if(Python3_FOUND)
    vmaf_add_command_test(metal_program COMMAND test_metal_program.py "$<TARGET_FILE:vmaf_cli>"
        "$<TARGET_FILE:synth>" "${metal_folder}" "${PROJECT_BINARY_DIR}/emulation/metal"
      LABELS parity)
  endif()
  # A program that has its pictures as surfaces.
  vmaf_add_test(metal_filter SOURCES "${PROJECT_SOURCE_DIR}/tests/backend/vendor/test_metal_filter.c"
                LIBRARIES emulated_metal vendor_harness LABELS parity)
  target_include_directories(metal_filter PRIVATE "${PROJECT_SOURCE_DIR}/plugins/metal")
  add_dependencies(metal_filter backend_metal)
  set_property(TEST metal_filter APPEND PROPERTY ENVIRONMENT ${metal}
    "VMAF_BACKEND_PATH=${metal_folder}" "VMAF_BACKEND_PROBE=inprocess"
    "XDG_CACHE_HOME=${CMAKE_CURRENT_BINARY_DIR}/cache")
  add_custom_target(metal_for_tests ALL DEPENDS backend_metal emulated_metal)
endif()
