# SPDX-License-Identifier: BSD-2-Clause-Patent
# Run by cpack before it packs what was installed: puts documents, the licences and the list of
# changes where each kind of package has them, compresses manual pages, takes debug information out of static
# libraries, which cpack leaves there, and makes everything readable for everybody, whatever the umask. Times are
# those of SOURCE_DATE_EPOCH if that is set.

set(version "${CPACK_PACKAGE_VERSION}")

# The whole list has one entry: what has changed in a version is told elsewhere.
function(write_debian_changelog file)
  string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
  file(WRITE "${file}" "${CPACK_DEBIAN_PACKAGE_SOURCE} (${version}-${CPACK_DEBIAN_PACKAGE_RELEASE}) \
unstable; urgency=medium\n\n  * Packages of libvmaf ${version}.\n\n -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
  execute_process(COMMAND gzip -9 -n "${file}" COMMAND_ERROR_IS_FATAL ANY)
endfunction()
function(write_rpm_changelog file)
  string(TIMESTAMP date "%a %b %d %Y" UTC)
  file(WRITE "${file}" "* ${date} ${CPACK_PACKAGE_CONTACT} - \
${version}-${CPACK_RPM_PACKAGE_RELEASE}\n- Packages of libvmaf ${version}.\n")
endfunction()

foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  set(root "${CPACK_TEMPORARY_DIRECTORY}/${component}")
  string(TOUPPER "${component}" COMPONENT)
  foreach(document IN LISTS CPACK_VMAF_DOCUMENTS)
    cmake_path(GET document FILENAME name)
    file(REMOVE "${root}${CPACK_VMAF_INSTALLED_DOCUMENTS}/${name}")
  endforeach()
  if(CPACK_GENERATOR STREQUAL "DEB")
    set(package "${CPACK_DEBIAN_${COMPONENT}_PACKAGE_NAME}")
  else()
    set(package "${CPACK_RPM_${COMPONENT}_PACKAGE_NAME}")
  endif()
  set(folder "${root}${CPACK_VMAF_DATA}/doc/${package}")
  file(GLOB others "${root}${CPACK_VMAF_INSTALLED_DOCUMENTS}/*")
  if(others)
    file(COPY ${others} DESTINATION "${folder}" USE_SOURCE_PERMISSIONS)
  endif()
  file(REMOVE_RECURSE "${root}${CPACK_VMAF_INSTALLED_DOCUMENTS}")
  if(CPACK_GENERATOR STREQUAL "DEB")
    set(text "")
    foreach(document IN LISTS CPACK_VMAF_DOCUMENTS)
      file(READ "${document}" part)
      string(APPEND text "${part}\n")
    endforeach()
    file(WRITE "${folder}/copyright" "${text}")
    write_debian_changelog("${folder}/changelog.Debian")
  elseif(CPACK_GENERATOR STREQUAL "RPM")
    file(COPY ${CPACK_VMAF_DOCUMENTS} DESTINATION "${root}${CPACK_VMAF_DATA}/licenses/${package}")
    write_rpm_changelog("${CPACK_VMAF_RPM_CHANGELOG}")
  endif()
  file(GLOB_RECURSE pages "${root}${CPACK_VMAF_MAN}/*.[1-8]")
  if(pages)
    execute_process(COMMAND gzip -9 -n ${pages} COMMAND_ERROR_IS_FATAL ANY)
  endif()
  file(GLOB_RECURSE archives "${root}/*.a")
  if(archives AND CPACK_STRIP_FILES)
    execute_process(COMMAND "${CPACK_VMAF_STRIP}" --strip-debug --enable-deterministic-archives ${archives}
                    COMMAND_ERROR_IS_FATAL ANY)
  endif()
  execute_process(COMMAND chmod -R u+rwX,go+rX,go-w "${root}" COMMAND_ERROR_IS_FATAL ANY)
endforeach()
