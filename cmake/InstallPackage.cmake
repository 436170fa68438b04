# SPDX-License-Identifier: BSD-2-Clause-Patent
# What gets installed, in components that become packages: core (the shared library), dev (headers,
# static library, pkg-config and CMake files) and cli.

include(CMakePackageConfigHelpers)

set(VMAF_PUBLIC_HEADERS
  backend_records.h feature.h libvmaf.h libvmaf_ext.h model.h picture.h version.h)
list(TRANSFORM VMAF_PUBLIC_HEADERS PREPEND "${PROJECT_SOURCE_DIR}/include/libvmaf/")

install(FILES ${VMAF_PUBLIC_HEADERS} DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/libvmaf"
        COMPONENT dev)
install(TARGETS vmaf_static EXPORT libvmaf-targets
        ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT dev
        INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" "${CMAKE_INSTALL_INCLUDEDIR}/libvmaf")
set_target_properties(vmaf_static PROPERTIES EXPORT_NAME vmaf_static)
if(BUILD_SHARED_LIBS)
  install(TARGETS vmaf EXPORT libvmaf-targets
          LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT core NAMELINK_COMPONENT dev
          INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" "${CMAKE_INSTALL_INCLUDEDIR}/libvmaf")
endif()
if(TARGET vmaf_cli)
  install(TARGETS vmaf_cli RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT cli)
  install(FILES "${PROJECT_SOURCE_DIR}/docs/vmaf.1" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1"
          COMPONENT cli)
endif()
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" "${PROJECT_SOURCE_DIR}/NOTICE"
        DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT core)

configure_file("${PROJECT_SOURCE_DIR}/cmake/libvmaf.pc.in" libvmaf.pc @ONLY)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/libvmaf.pc"
        DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT dev)

set(VMAF_CMAKE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/libvmaf")
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/libvmaf-config.cmake.in"
  libvmaf-config.cmake INSTALL_DESTINATION "${VMAF_CMAKE_DIR}")
write_basic_package_version_file(libvmaf-config-version.cmake COMPATIBILITY SameMajorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/libvmaf-config.cmake"
              "${CMAKE_CURRENT_BINARY_DIR}/libvmaf-config-version.cmake"
        DESTINATION "${VMAF_CMAKE_DIR}" COMPONENT dev)
install(EXPORT libvmaf-targets NAMESPACE libvmaf:: DESTINATION "${VMAF_CMAKE_DIR}" COMPONENT dev)
