/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#define PTX_RUN_CHUNK ptx_run_chunk_avx2
#include "ptx_lanes.c"
