/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_EMULATION_LEVEL_ZERO_DRIVER_CACHE_H
#define TESTS_EMULATION_LEVEL_ZERO_DRIVER_CACHE_H

#include <stddef.h>

/* Bitcode that was translated before, beside what pocl keeps in POCL_CACHE_DIR. */

/* Bitcode for the code, which has to be given back; NULL: there is none yet. */
unsigned char *cache_find(const void *spirv, size_t size, size_t *bitcode_size);
/* Keeps it if that is possible. */
void cache_keep(const void *spirv, size_t size, const void *bitcode, size_t bitcode_size);

#endif
