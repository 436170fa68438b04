# SPDX-License-Identifier: BSD-2-Clause-Patent
# What is particular to packages of Debian and its descendants.

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE "${VMAF_PACKAGE_RELEASE}")
set(CPACK_DEBIAN_PACKAGE_SOURCE libvmaf)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_DEV_PACKAGE_SHLIBDEPS OFF) # hundreds of files to look at, of which none is linked with anything
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_POST_BUILD_SCRIPTS "${CMAKE_CURRENT_SOURCE_DIR}/repack.cmake")
if(BUILD_SHARED_LIBS)
  # Where the libvmaf.so of this build is, which the others are linked with.
  get_target_property(private_dir vmaf BINARY_DIR)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${private_dir}")
  # What programs that are linked with it depend on.
  set(CPACK_DEBIAN_CORE_PACKAGE_CONTROL_EXTRA "${CMAKE_CURRENT_BINARY_DIR}/shlibs")
  file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/shlibs" "libvmaf ${PROJECT_VERSION_MAJOR} \
libvmaf${PROJECT_VERSION_MAJOR} (>= ${PROJECT_VERSION})\n")
  # The same for each symbol; tests/api compares the list with what the library exports.
  file(STRINGS "${PROJECT_SOURCE_DIR}/tests/api/exported_symbols.txt" symbols REGEX "^[a-z]")
  list(SORT symbols)
  list(TRANSFORM symbols REPLACE "(.+)" " \\1@Base ${PROJECT_VERSION}\n")
  list(JOIN symbols "" symbols)
  file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/symbols" "libvmaf.so.${PROJECT_VERSION_MAJOR} \
libvmaf${PROJECT_VERSION_MAJOR} #MINVER#\n* Build-Depends-Package: libvmaf-dev\n${symbols}")
  file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/triggers" "activate-noawait ldconfig\n")
  list(APPEND CPACK_DEBIAN_CORE_PACKAGE_CONTROL_EXTRA
       "${CMAKE_CURRENT_BINARY_DIR}/symbols" "${CMAKE_CURRENT_BINARY_DIR}/triggers")
endif()
# Where the stand-ins for drivers are, which no package contains.
get_property(import_dirs GLOBAL PROPERTY VMAF_IMPORT_LIBRARY_DIRS)
list(APPEND CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${import_dirs})

macro(vmaf_deb_package COMPONENT)
  list(GET package_DEB 0 CPACK_DEBIAN_${COMPONENT}_PACKAGE_NAME)
  list(GET package_DEB 1 CPACK_DEBIAN_${COMPONENT}_PACKAGE_SECTION)
  list(GET package_DEB 2 multiarch)
  if(CMAKE_VERSION VERSION_LESS 3.31) # CPack ignores that, but passes on the lines of a section
    string(APPEND CPACK_DEBIAN_${COMPONENT}_PACKAGE_SECTION "\nMulti-Arch: ${multiarch}")
  elseif(NOT multiarch STREQUAL "no") # which CPack refuses, and which is the same as nothing
    set(CPACK_DEBIAN_${COMPONENT}_PACKAGE_MULTIARCH ${multiarch})
  endif()
  set(CPACK_DEBIAN_${COMPONENT}_DESCRIPTION "${package_SUMMARY}\n${package_DESCRIPTION}")
  list(JOIN package_DEB_DEPENDS ", " CPACK_DEBIAN_${COMPONENT}_PACKAGE_DEPENDS)
  list(JOIN package_DEB_RECOMMENDS ", " CPACK_DEBIAN_${COMPONENT}_PACKAGE_RECOMMENDS)
  list(JOIN package_DEB_SUGGESTS ", " CPACK_DEBIAN_${COMPONENT}_PACKAGE_SUGGESTS)
  list(JOIN package_DEB_PROVIDES ", " CPACK_DEBIAN_${COMPONENT}_PACKAGE_PROVIDES)
endmacro()
