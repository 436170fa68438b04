/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_PLATFORM_BYTE_ORDER_H
#define VMAF_PLATFORM_BYTE_ORDER_H

/*
 * Files hold numbers with the low byte first, whichever machine reads or writes them. Where memory
 * does so as well, nothing is to be done.
 */

#include <stdbool.h>
#include <stddef.h>

static inline bool vmaf_is_little_endian(void)
{
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
}

/* Makes numbers of memory those of files, or the other way round: so many bytes of numbers of
 * `size` bytes each. What is left over stays. */
static inline void vmaf_swap_for_files(void *numbers, size_t n_bytes, size_t size)
{
    if (vmaf_is_little_endian())
        return;
    unsigned char *bytes = numbers;
    for (size_t end = size; end <= n_bytes; end += size, bytes += size)
        for (size_t i = 0; i < size / 2; i++) {
            const unsigned char byte = bytes[i];
            bytes[i] = bytes[size - 1 - i];
            bytes[size - 1 - i] = byte;
        }
}

#endif
