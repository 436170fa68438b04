/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_PLATFORM_MEMORY_H
#define VMAF_PLATFORM_MEMORY_H

#include <stddef.h>

/* Bytes of a page, the unit in which files are mapped. */
size_t vmaf_page_size(void);

/* Uninitialised, aligned to a power of two that is a multiple of a pointer's size; NULL if memory
 * runs out. To be freed by vmaf_aligned_free alone. */
void *vmaf_aligned_alloc(size_t alignment, size_t size);
void vmaf_aligned_free(void *block); /* NULL allowed */

#endif
