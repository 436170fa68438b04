/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "support/memory.h"

#include <stdint.h>
#include <string.h>

#include "platform/machine.h"

size_t size_round_up(size_t size, size_t multiple)
{
    size_t padded;
    if (!size_add(size, multiple - 1, &padded))
        return 0;
    return padded & ~(multiple - 1);
}

void *memory_alloc(size_t count, size_t element_size)
{
    size_t size;
    if (!size_mul(count, element_size, &size))
        return NULL;
    /* An empty block is still a block, so that NULL always means failure. */
    size = size_round_up(size ? size : 1, MEMORY_ALIGNMENT);
    if (size == 0 || size > PTRDIFF_MAX)
        return NULL;
    return vmaf_aligned_alloc(MEMORY_ALIGNMENT, size);
}

void *memory_alloc_zeroed(size_t count, size_t element_size)
{
    void *block = memory_alloc(count, element_size);
    if (block)
        memset(block, 0, count * element_size);
    return block;
}

void memory_free(void *block)
{
    vmaf_aligned_free(block);
}
