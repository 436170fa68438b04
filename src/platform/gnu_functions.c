/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "platform/gnu_functions.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void *vmaf_mempcpy(void *to, const void *from, size_t size)
{
    return (char *)memcpy(to, from, size) + size;
}

void *vmaf_reallocarray(void *block, size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(block, count * size);
}
