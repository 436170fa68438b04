# SPDX-License-Identifier: BSD-2-Clause-Patent
# On the emulated driver.
if(TARGET backend_cuda AND TARGET emulated_cuda)
  set(cuda "LD_LIBRARY_PATH=${PROJECT_BINARY_DIR}/emulation/cuda")
  set(cuda_folder "$<TARGET_FILE_DIR:backend_cuda>")
  vmaf_add_parity_tests(cuda cuda "${cuda_folder}" ${cuda})
  vmaf_add_group_test(cuda cuda "${cuda_folder}" "66x50 420 8 3" ARGUMENTS --feature psnr
                      ENVIRONMENT ${cuda})
  vmaf_add_parity_test(cuda_shared cuda "${cuda_folder}" chirp quant 66x50 420 8 3
                       ARGUMENTS --features ${shared_at_once} --models ${shared_models}
                       ENVIRONMENT ${cuda})
  vmaf_add_parity_test(cuda_clip cuda "${cuda_folder}" texture blur 75x61 420 10 3
                       ARGUMENTS --features psnr --models vmaf_v0.6.1+vmaf_v0.6.1neg
                       ENVIRONMENT ${cuda})
  if(Python3_FOUND)
    vmaf_add_command_test(cuda_program COMMAND test_cuda_program.py "$<TARGET_FILE:vmaf_cli>"
        "$<TARGET_FILE:synth>" "${cuda_folder}" "${PROJECT_BINARY_DIR}/emulation"
      LABELS parity)
  endif()
  if(TARGET backend_old_host)
    vmaf_add_command_test(backend-abi-old-host-cuda COMMAND backend_old_host "$<TARGET_FILE:backend_cuda>"
      LABELS backend emulated ENVIRONMENT "${cuda}")
  endif()
  # Programs that have their pictures on the device.
  vmaf_add_test(cuda_filter SOURCES "${PROJECT_SOURCE_DIR}/tests/backend/vendor/test_cuda_filter.c"
                LIBRARIES vendor_harness LABELS parity)
  target_include_directories(cuda_filter PRIVATE "${PROJECT_SOURCE_DIR}/plugins/cuda")
  add_dependencies(cuda_filter backend_cuda emulated_cuda)
  set_property(TEST cuda_filter APPEND PROPERTY ENVIRONMENT ${cuda}
    "VMAF_BACKEND_PATH=${cuda_folder}" "VMAF_BACKEND_PROBE=inprocess"
    "XDG_CACHE_HOME=${CMAKE_CURRENT_BINARY_DIR}/cache")
  vmaf_add_command_test(cuda_ffmpeg_filter COMMAND
      "${PROJECT_SOURCE_DIR}/tests/emulation/cuda/ffmpeg_filter.sh" "$<TARGET_FILE:vmaf_cli>"
      "$<TARGET_FILE:synth>" "$<TARGET_FILE_DIR:vmaf>" "${cuda_folder}" "${PROJECT_BINARY_DIR}/emulation/cuda"
    LABELS parity)
  # Videos that the device decodes. Sanitizers would have to be loaded before the driver.
  if(TARGET emulated_nvdec AND TARGET vmaf_media_ffmpeg AND NOT VMAF_SANITIZE)
    vmaf_add_command_test(media-device COMMAND "${PROJECT_SOURCE_DIR}/tests/media/device.sh"
        "$<TARGET_FILE:vmaf_cli>" "${PROJECT_BINARY_DIR}/tests/media/device" "${cuda_folder}"
        "${PROJECT_BINARY_DIR}/emulation/cuda" "${PROJECT_BINARY_DIR}/emulation/nvdec"
      LABELS media parity ENVIRONMENT "VMAF_MEDIA_PATH=$<TARGET_FILE_DIR:vmaf_media_ffmpeg>")
    use_ffmpeg_stand_ins(media-device)
  endif()
  vmaf_add_long_backend_tests(cuda "${cuda_folder}" ${cuda})
else()
  vmaf_skip_test(parity_cuda "the plugin was not built" LABELS parity)
endif()
