# SPDX-License-Identifier: BSD-2-Clause-Patent
# All kernels, those of metrics too; docs/kernels.md says how they are written.

file(GLOB kernels CONFIGURE_DEPENDS "${CMAKE_CURRENT_LIST_DIR}/*/*.c" "${VMAF_METRICS_DIR}/*/*.kernel.c")
foreach(kernel IN LISTS kernels)
  vmaf_add_kernel(vmaf_kernels "${kernel}")
endforeach()
