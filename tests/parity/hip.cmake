# SPDX-License-Identifier: BSD-2-Clause-Patent
# On the emulated runtime of ROCm.
if(TARGET backend_hip AND TARGET layer_hip)
  set(hip "LD_LIBRARY_PATH=${PROJECT_BINARY_DIR}/emulation/hip")
  set(hip_folder "$<TARGET_FILE_DIR:backend_hip>")
  vmaf_add_parity_tests(hip hip "${hip_folder}" ${hip})
  vmaf_add_group_test(hip hip "${hip_folder}" "66x50 420 8 3" ARGUMENTS --feature psnr
                      ENVIRONMENT ${hip})
  vmaf_add_parity_test(hip_shared hip "${hip_folder}" chirp quant 161x97 420 8 4
                       ARGUMENTS --features ${many_features} --models ${shared_models}
                       ENVIRONMENT ${hip} VMAF_EMULATED_HIP_ORDER=2)
  file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/hip_integrated.txt" "device APU\nkind integrated\n")
  vmaf_add_parity_test(hip_integrated hip "${hip_folder}" grain blur 98x66 420 10 3 ARGUMENTS --features psnr motion vif adm ENVIRONMENT ${hip}
                       "VMAF_EMULATED_HIP=${CMAKE_CURRENT_BINARY_DIR}/hip_integrated.txt")
  foreach(order late early others 1)
    vmaf_add_parity_test(hip_${order} hip "${hip_folder}" texture blur 98x66 420 10 4
                         ARGUMENTS --features psnr motion vif adm
                         ENVIRONMENT ${hip} VMAF_EMULATED_HIP_ORDER=${order})
  endforeach()
  if(Python3_FOUND)
    vmaf_find_hip_architectures(chips)
    vmaf_add_command_test(hip_program COMMAND test_hip_program.py "$<TARGET_FILE:vmaf_cli>"
        "$<TARGET_FILE:synth>" "${hip_folder}" "${PROJECT_BINARY_DIR}/emulation" ${chips} --
      LABELS parity)
  endif()
  if(TARGET backend_old_host)
    vmaf_add_command_test(backend-abi-old-host-hip COMMAND backend_old_host "$<TARGET_FILE:backend_hip>"
      LABELS backend emulated ENVIRONMENT "${hip}")
  endif()
  # Programs that have their pictures on the device.
  vmaf_add_test(hip_header SOURCES "${PROJECT_SOURCE_DIR}/tests/backend/vendor/test_hip_program.c"
                LIBRARIES vendor_harness LABELS parity)
  target_include_directories(hip_header PRIVATE "${PROJECT_SOURCE_DIR}/plugins/hip")
  add_dependencies(hip_header backend_hip emulated_hip)
  set_property(TEST hip_header APPEND PROPERTY ENVIRONMENT ${hip}
    "VMAF_BACKEND_PATH=${hip_folder}" "VMAF_BACKEND_PROBE=inprocess"
    "VMAF_EMULATED_HIP_FAULTS=device First\\;chip gfx1030\\;device Second\\;chip gfx1032"
    "XDG_CACHE_HOME=${CMAKE_CURRENT_BINARY_DIR}/cache")
  vmaf_add_long_backend_tests(hip "${hip_folder}" ${hip})
else()
  vmaf_skip_test(parity_hip "the plugin was not built, or not for gfx1030" LABELS parity)
endif()
