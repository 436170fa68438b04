/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "platform/memory.h"

#include <malloc.h>

#include "platform/windows/native.h"

size_t vmaf_page_size(void)
{
    SYSTEM_INFO info;
    GetSystemInfo(&info);
    return info.dwPageSize;
}

void *vmaf_aligned_alloc(size_t alignment, size_t size)
{
    return _aligned_malloc(size ? size : 1, alignment);
}

void vmaf_aligned_free(void *block)
{
    _aligned_free(block);
}
