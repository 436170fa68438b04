# SPDX-License-Identifier: BSD-2-Clause-Patent
# libltdl has no pkg-config file: the imported target Ltdl::Ltdl.

find_path(LTDL_INCLUDE_DIR ltdl.h)
find_library(LTDL_LIBRARY ltdl)
mark_as_advanced(LTDL_INCLUDE_DIR LTDL_LIBRARY)
if(NOT LTDL_INCLUDE_DIR OR NOT LTDL_LIBRARY)
  message(FATAL_ERROR "libltdl was not found (Debian: libltdl-dev)")
endif()
add_library(Ltdl::Ltdl UNKNOWN IMPORTED)
set_target_properties(Ltdl::Ltdl PROPERTIES
  IMPORTED_LOCATION "${LTDL_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${LTDL_INCLUDE_DIR}")
