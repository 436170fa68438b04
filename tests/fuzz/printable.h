/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_FUZZ_PRINTABLE_H
#define TESTS_FUZZ_PRINTABLE_H

#include <stdlib.h>
#include <string.h>

/* Aborts unless the text ends within `size` bytes and holds no control character. */
static inline void require_printable(const char *text, size_t size)
{
    size_t length = strnlen(text, size);
    if (length == size)
        abort();
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c < 0x20 || c == 0x7f)
            abort();
    }
}

#endif
