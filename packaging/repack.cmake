# SPDX-License-Identifier: BSD-2-Clause-Patent
# Run by cpack on the .deb packages that it has made: dpkg-deb writes them once more. CPack's own
# depend on the umask, and call ldconfig in scripts; the trigger that the library has instead runs it
# once for all packages of an installation.

if(NOT CPACK_GENERATOR STREQUAL "DEB")
  return()
endif()
find_program(DPKG_DEB dpkg-deb REQUIRED)
function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
endfunction()

foreach(package IN LISTS CPACK_PACKAGE_FILES)
  set(folder "${package}.unpacked")
  run("${DPKG_DEB}" --raw-extract "${package}" "${folder}")
  file(REMOVE "${folder}/DEBIAN/postinst" "${folder}/DEBIAN/postrm")
  run(chmod 755 "${folder}" "${folder}/DEBIAN")
  file(REMOVE "${package}")
  run("${DPKG_DEB}" --root-owner-group -Zxz --build "${folder}" "${package}")
  file(REMOVE_RECURSE "${folder}")
endforeach()
