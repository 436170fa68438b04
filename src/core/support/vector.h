/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_SUPPORT_VECTOR_H
#define CORE_SUPPORT_VECTOR_H

/* The widest vectors of the instruction set that a file is compiled for. */

#ifdef __AVX512BW__
#include "support/vector_avx512.h"
#else
#include "support/vector_avx2.h"
#endif

#endif
