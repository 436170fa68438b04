# SPDX-License-Identifier: BSD-2-Clause-Patent
# All kernels: each folder lists its own, that of a metric too; docs/kernels.md says how they are written.

file(GLOB lists CONFIGURE_DEPENDS "${CMAKE_CURRENT_LIST_DIR}/*/kernels.cmake" "${VMAF_METRICS_DIR}/*/kernels.cmake")
foreach(list ${lists})
  include("${list}")
endforeach()
