# SPDX-License-Identifier: BSD-2-Clause-Patent
# The kernels of all metrics: each folder lists its own; docs/kernels.md says how they are written.

file(GLOB lists CONFIGURE_DEPENDS "${CMAKE_CURRENT_LIST_DIR}/*/kernels.cmake")
foreach(list ${lists})
  include("${list}")
endforeach()
