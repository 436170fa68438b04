# SPDX-License-Identifier: BSD-2-Clause-Patent
# What gets installed, in components that become packages: core (the shared library; src/probe adds
# the helper), dev (headers, static libraries, pkg-config and CMake files), cli, and one for each
# backend (Backend.cmake).

include(CMakePackageConfigHelpers)

set(VMAF_PUBLIC_HEADERS
  backend.h backend_profile.h backend_records.h feature.h libvmaf.h libvmaf_cuda.h libvmaf_ext.h
  libvmaf_hip.h libvmaf_metal.h libvmaf_sycl.h libvmaf_vulkan.h model.h picture.h version.h)
list(TRANSFORM VMAF_PUBLIC_HEADERS PREPEND "${PROJECT_SOURCE_DIR}/include/libvmaf/")

install(FILES ${VMAF_PUBLIC_HEADERS} DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/libvmaf"
        COMPONENT dev)
set(exports libvmaf-sdk-targets)
if(VMAF_STATIC)
  # A set of its own, so that distributions can leave the library out.
  list(APPEND exports libvmaf-static-targets)
  install(TARGETS vmaf_static EXPORT libvmaf-static-targets
          ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT dev
          INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" "${CMAKE_INSTALL_INCLUDEDIR}/libvmaf")
endif()
if(BUILD_SHARED_LIBS)
  list(APPEND exports libvmaf-targets)
  install(TARGETS vmaf EXPORT libvmaf-targets
          LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT core NAMELINK_COMPONENT dev
          RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT core # on Windows
          ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT dev
          INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" "${CMAKE_INSTALL_INCLUDEDIR}/libvmaf")
  if(WIN32) # from which other linkers make import libraries
    get_target_property(folder vmaf BINARY_DIR)
    install(FILES "${folder}/vmaf.def" RENAME "libvmaf-${PROJECT_VERSION_MAJOR}.def"
            DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT dev)
  endif()
endif()
if(TARGET vmaf_cli)
  install(TARGETS vmaf_cli RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT cli)
  install(FILES "${PROJECT_SOURCE_DIR}/docs/vmaf.1" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1"
          COMPONENT cli)
  # They ask the program what it completes, so nothing has to be run here.
  set(completions "${PROJECT_SOURCE_DIR}/cli/completions")
  install(FILES "${completions}/vmaf.bash" RENAME vmaf COMPONENT cli
          DESTINATION "${CMAKE_INSTALL_DATAROOTDIR}/bash-completion/completions")
  install(FILES "${completions}/_vmaf" DESTINATION "${VMAF_ZSH_INSTALL_DIR}" COMPONENT cli)
  install(FILES "${completions}/vmaf.fish" COMPONENT cli
          DESTINATION "${CMAKE_INSTALL_DATAROOTDIR}/fish/vendor_completions.d")
  # What hands shards to job engines (docs/scale-out.md).
  install(PROGRAMS "${PROJECT_SOURCE_DIR}/tools/slurm/vmaf-slurm" "${PROJECT_SOURCE_DIR}/tools/slurm/vmaf.sbatch"
          DESTINATION "${CMAKE_INSTALL_DATADIR}/libvmaf/slurm" COMPONENT cli)
  install(FILES "${PROJECT_SOURCE_DIR}/tools/kubernetes/shards.yaml" "${PROJECT_SOURCE_DIR}/tools/kubernetes/merge.yaml"
          DESTINATION "${CMAKE_INSTALL_DATADIR}/libvmaf/kubernetes" COMPONENT cli)
endif()
if(TARGET vmaf_tune)
  install(TARGETS vmaf_tune vmaf_per_shot RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT tune)
  install(FILES "${PROJECT_SOURCE_DIR}/docs/vmaf-tune.1" "${PROJECT_SOURCE_DIR}/docs/vmaf-perShot.1"
          DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" COMPONENT tune)
  set(completions "${PROJECT_SOURCE_DIR}/tune/completions")
  install(FILES "${completions}/vmaf-tune.bash" RENAME vmaf-tune COMPONENT tune
          DESTINATION "${CMAKE_INSTALL_DATAROOTDIR}/bash-completion/completions")
  install(FILES "${completions}/_vmaf-tune" DESTINATION "${VMAF_ZSH_INSTALL_DIR}" COMPONENT tune)
  install(FILES "${completions}/vmaf-tune.fish" COMPONENT tune
          DESTINATION "${CMAKE_INSTALL_DATAROOTDIR}/fish/vendor_completions.d")
endif()
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" "${PROJECT_SOURCE_DIR}/NOTICE"
        DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT core)
# All pages in one package, so that they find each other.
install(DIRECTORY "${PROJECT_SOURCE_DIR}/docs/" DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT dev
        PATTERN "*.1" EXCLUDE)

# What docs/backend-authors.md works with.
install(DIRECTORY "${PROJECT_SOURCE_DIR}/plugins/example"
        DESTINATION "${CMAKE_INSTALL_DATADIR}/libvmaf" COMPONENT dev)
install(PROGRAMS "${PROJECT_SOURCE_DIR}/tests/parity/parity.py"
        DESTINATION "${CMAKE_INSTALL_DATADIR}/libvmaf" COMPONENT dev)
# What says whether a backend works is with the program, for users who have a device.
foreach(tool check bench)
  if(TARGET vmaf_backend_${tool})
    install(TARGETS vmaf_backend_${tool} RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT cli)
    install(FILES "${PROJECT_SOURCE_DIR}/docs/vmaf-backend-${tool}.1"
            DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" COMPONENT cli)
  endif()
endforeach()

include(InstallGpuCheck)

# The SDK of backends: a static library and its headers; the kernels, and how they are compiled.
set(VMAF_KERNELS_INSTALL_DIR "${CMAKE_INSTALL_DATADIR}/libvmaf/kernels")
install(TARGETS vmaf_sdk EXPORT libvmaf-sdk-targets
        ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}/libvmaf/sdk" COMPONENT dev)
set(VMAF_SDK_INCLUDE_INSTALL_DIR "${CMAKE_INSTALL_INCLUDEDIR}/libvmaf/sdk")
foreach(headers framework/metric_list.h framework/option.h [a-z0-9_]+_kernel.h)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/src/metrics" DESTINATION "${VMAF_SDK_INCLUDE_INSTALL_DIR}" COMPONENT dev
          FILES_MATCHING REGEX "/${headers}$")
endforeach()
install(DIRECTORY "${PROJECT_SOURCE_DIR}/plugins/sdk/"
        DESTINATION "${VMAF_SDK_INCLUDE_INSTALL_DIR}" COMPONENT dev
        FILES_MATCHING PATTERN "*.h" PATTERN emulator EXCLUDE)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/src/platform"
        DESTINATION "${VMAF_SDK_INCLUDE_INSTALL_DIR}" COMPONENT dev
        FILES_MATCHING PATTERN "*.h" PATTERN posix EXCLUDE PATTERN windows EXCLUDE
        PATTERN linux EXCLUDE PATTERN macos EXCLUDE PATTERN freebsd EXCLUDE)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/plugins/kernels/"
        DESTINATION "${VMAF_KERNELS_INSTALL_DIR}" COMPONENT dev
        PATTERN CMakeLists.txt EXCLUDE PATTERN .clang-format EXCLUDE PATTERN compile.sh EXCLUDE
        PATTERN dialect/emulator.h EXCLUDE) # for the emulator of this tree
install(DIRECTORY "${PROJECT_SOURCE_DIR}/src/metrics" DESTINATION "${VMAF_KERNELS_INSTALL_DIR}" COMPONENT dev
        FILES_MATCHING PATTERN "*.kernel.[ch]")
install(PROGRAMS "${PROJECT_SOURCE_DIR}/plugins/kernels/compile.sh"
        DESTINATION "${VMAF_KERNELS_INSTALL_DIR}" COMPONENT dev)

# Below the prefix where they can be, and that from where the file is, so that it may be moved.
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  set(VMAF_PC_PREFIX "${CMAKE_INSTALL_PREFIX}")
else()
  file(RELATIVE_PATH VMAF_PC_PREFIX "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" /)
  string(REGEX REPLACE "/$" "" VMAF_PC_PREFIX "\${pcfiledir}/${VMAF_PC_PREFIX}")
endif()
foreach(part LIBDIR INCLUDEDIR)
  set(VMAF_PC_${part} "${CMAKE_INSTALL_${part}}")
  if(NOT IS_ABSOLUTE "${VMAF_PC_${part}}")
    string(PREPEND VMAF_PC_${part} "\${prefix}/")
  endif()
endforeach()
set(VMAF_PC_PRIVATE_LIBRARIES "-ljansson -lltdl -ldl -pthread -lm")
if(WIN32)
  set(VMAF_PC_PRIVATE_LIBRARIES "-ljansson -lltdl -ladvapi32 -lbcrypt")
endif()
configure_file("${PROJECT_SOURCE_DIR}/cmake/libvmaf.pc.in" libvmaf.pc @ONLY)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/libvmaf.pc"
        DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT dev)

set(VMAF_CMAKE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/libvmaf")
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/libvmaf-config.cmake.in"
  libvmaf-config.cmake INSTALL_DESTINATION "${VMAF_CMAKE_DIR}"
  PATH_VARS CMAKE_INSTALL_LIBDIR VMAF_KERNELS_INSTALL_DIR VMAF_SDK_INCLUDE_INSTALL_DIR)
write_basic_package_version_file(libvmaf-config-version.cmake COMPATIBILITY SameMajorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/libvmaf-config.cmake"
              "${CMAKE_CURRENT_BINARY_DIR}/libvmaf-config-version.cmake"
              "${PROJECT_SOURCE_DIR}/cmake/Kernels.cmake"
        DESTINATION "${VMAF_CMAKE_DIR}" COMPONENT dev)
foreach(targets IN LISTS exports)
  install(EXPORT ${targets} NAMESPACE libvmaf:: DESTINATION "${VMAF_CMAKE_DIR}" COMPONENT dev)
endforeach()
