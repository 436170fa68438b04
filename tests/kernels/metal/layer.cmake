# SPDX-License-Identifier: BSD-2-Clause-Patent
# The layer of this backend for the tests of all layers.
if(TARGET vmaf_metal_import)
  vmaf_add_stream_layer(metal HEADER metal_layer.h LAYER vmaf_metal_layer KERNELS metal
    MISSING "libmetal.so.1: " LIBRARIES vmaf_metal_device
    ENVIRONMENT "LD_LIBRARY_PATH=${PROJECT_BINARY_DIR}/emulation/metal")
endif()
