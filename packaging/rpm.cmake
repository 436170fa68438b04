# SPDX-License-Identifier: BSD-2-Clause-Patent
# What is particular to packages of Fedora, openSUSE and the like.

set(CPACK_RPM_COMPONENT_INSTALL ON)
set(CPACK_RPM_FILE_NAME RPM-DEFAULT)
set(CPACK_RPM_PACKAGE_RELEASE "${VMAF_PACKAGE_RELEASE}")
set(CPACK_RPM_PACKAGE_LICENSE BSD-2-Clause-Patent)
set(CPACK_RPM_PACKAGE_GROUP System/Libraries)
set(CPACK_RPM_PACKAGE_AUTOREQPROV yes)
set(CPACK_RPM_CHANGELOG_FILE "${CPACK_VMAF_RPM_CHANGELOG}")
if(BUILD_SHARED_LIBS) # that programs find the library; many systems do so by themselves
  set(CPACK_RPM_CORE_POST_INSTALL_SCRIPT_FILE "${CMAKE_CURRENT_SOURCE_DIR}/ldconfig.sh")
  set(CPACK_RPM_CORE_POST_UNINSTALL_SCRIPT_FILE "${CMAKE_CURRENT_SOURCE_DIR}/ldconfig.sh")
endif()
# Folders that belong to other packages.
cmake_path(GET VMAF_HELPER_INSTALLED PARENT_PATH folder)
cmake_path(GET folder PARENT_PATH helpers)
set(CPACK_RPM_EXCLUDE_FROM_AUTO_FILELIST_ADDITION "${CMAKE_INSTALL_PREFIX}")
set(zsh_folder "")
if(TARGET vmaf_cli OR TARGET vmaf_tune)
  cmake_path(ABSOLUTE_PATH VMAF_ZSH_INSTALL_DIR BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}"
             OUTPUT_VARIABLE zsh_folder)
endif()
foreach(folder IN ITEMS "${CMAKE_INSTALL_FULL_BINDIR}" "${CMAKE_INSTALL_FULL_INCLUDEDIR}"
        "${CMAKE_INSTALL_FULL_LIBDIR}" "${CMAKE_INSTALL_FULL_LIBDIR}/cmake"
        "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${helpers}"
        "${CMAKE_INSTALL_FULL_DATAROOTDIR}" "${CMAKE_INSTALL_FULL_DATAROOTDIR}/doc"
        "${CMAKE_INSTALL_FULL_DATAROOTDIR}/licenses" "${CMAKE_INSTALL_FULL_MANDIR}"
        "${CMAKE_INSTALL_FULL_MANDIR}/man1"
        "${CMAKE_INSTALL_FULL_DATAROOTDIR}/bash-completion/completions"
        "${CMAKE_INSTALL_FULL_DATAROOTDIR}/fish/vendor_completions.d"
        ${zsh_folder})
  while(NOT folder STREQUAL CMAKE_INSTALL_PREFIX AND NOT folder STREQUAL "/")
    list(APPEND CPACK_RPM_EXCLUDE_FROM_AUTO_FILELIST_ADDITION "${folder}")
    cmake_path(GET folder PARENT_PATH folder)
  endwhile()
endforeach()
list(REMOVE_DUPLICATES CPACK_RPM_EXCLUDE_FROM_AUTO_FILELIST_ADDITION)

set(rpm_hints "")
macro(vmaf_rpm_package COMPONENT)
  set(CPACK_RPM_${COMPONENT}_PACKAGE_NAME "${package_RPM}")
  set(CPACK_RPM_${COMPONENT}_PACKAGE_SUMMARY "${package_SUMMARY}")
  set(CPACK_RPM_${COMPONENT}_PACKAGE_DESCRIPTION "${package_DESCRIPTION}")
  list(JOIN package_RPM_REQUIRES ", " CPACK_RPM_${COMPONENT}_PACKAGE_REQUIRES)
  foreach(relation PROVIDES OBSOLETES CONFLICTS)
    list(JOIN package_RPM_${relation} ", " CPACK_RPM_${COMPONENT}_PACKAGE_${relation})
  endforeach()
  set(CPACK_RPM_${COMPONENT}_USER_FILELIST
    "%license ${CMAKE_INSTALL_FULL_DATAROOTDIR}/licenses/${package_RPM}/LICENSE"
    "%license ${CMAKE_INSTALL_FULL_DATAROOTDIR}/licenses/${package_RPM}/NOTICE")
  foreach(hint Recommends Suggests)
    string(TOUPPER "${hint}" HINT)
    if(package_RPM_${HINT})
      list(JOIN package_RPM_${HINT} ", " named)
      string(APPEND rpm_hints "%if \"%{name}\" == \"${package_RPM}\"\n${hint}: ${named}\n%endif\n")
    endif()
  endforeach()
endmacro()

# CPack has no variable for weak dependencies: they become lines at the head of the specification,
# which is the same for all packages. Plugins are not libraries to link with, and a driver is never
# required. With SOURCE_DATE_EPOCH set, packages that are made twice are the same.
macro(vmaf_finish_rpm_packages)
  set(CPACK_RPM_SPEC_MORE_DEFINE "${rpm_hints}\
%global _build_id_links none
%global use_source_date_epoch_as_buildtime 1
%global clamp_mtime_to_source_date_epoch 1
%global build_mtime_policy clamp_to_source_date_epoch
%global _buildhost reproducible
%global __requires_exclude ^lib(cuda|nvidia-[a-z]+|amdhip64|hsa-runtime64|ze_intel_gpu)[.]so
%global __provides_exclude_from ^(${VMAF_BACKENDS_INSTALLED}|${VMAF_MEDIA_INSTALLED})/.*$")
endmacro()
