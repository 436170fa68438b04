/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "backend/foreign_text.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "platform/text.h"

void foreign_text(char *target, size_t target_size, const char *text, size_t size)
{
    size_t length = strnlen(text, size), used = 0;
    for (size_t i = 0; i < length;) {
        uint32_t code = 0;
        size_t bytes = vmaf_utf8_length(text + i, length - i, &code);
        bool keep = bytes && vmaf_utf8_is_printable(code);
        size_t room = keep ? bytes : 1;
        if (used + room >= target_size)
            break;
        if (keep)
            memcpy(target + used, text + i, bytes);
        else
            target[used] = code == '\t' || code == '\n' || code == '\r' ? ' ' : '?';
        used += room;
        i += bytes ? bytes : 1;
    }
    target[used] = '\0';
}

char *foreign_text_copy(const char *text, size_t limit)
{
    size_t length = text ? strnlen(text, limit) : 0;
    char *copy = malloc(length + 1);
    if (copy)
        foreign_text(copy, length + 1, text ? text : "", length);
    return copy;
}
