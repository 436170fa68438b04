/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "platform/memory.h"

#include <stdlib.h>
#include <unistd.h>

size_t vmaf_page_size(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

void *vmaf_aligned_alloc(size_t alignment, size_t size)
{
    void *block;
    return posix_memalign(&block, alignment, size) ? NULL : block;
}

void vmaf_aligned_free(void *block)
{
    free(block);
}
