/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "backend/foreign_text.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Length of the well-formed UTF-8 sequence at the start of `size` bytes, 0 if there is none; the
 * table of well-formed sequences is 3-7 of the Unicode standard. */
static size_t sequence_length(const unsigned char *text, size_t size, uint32_t *code)
{
    static const struct {
        unsigned char first, last, second_min, second_max, length;
    } forms[] = {
        {0x00, 0x7f, 0, 0, 1},       {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
        {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
        {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
    };
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        if (text[0] < forms[i].first || text[0] > forms[i].last)
            continue;
        size_t length = forms[i].length;
        if (length > size)
            return 0;
        if (length > 1 && (text[1] < forms[i].second_min || text[1] > forms[i].second_max))
            return 0;
        *code = length == 1 ? text[0] : text[0] & (0x7fu >> length);
        for (size_t k = 1; k < length; k++) {
            if ((text[k] & 0xc0) != 0x80)
                return 0;
            *code = *code << 6 | (text[k] & 0x3fu);
        }
        return length;
    }
    return 0;
}

/* C0 and C1 control characters, the line and paragraph separators, and what changes the direction
 * of text (the Bidi_Control property of Unicode): nothing that belongs in one line of a log. */
static bool is_printable(uint32_t code)
{
    static const struct {
        uint32_t first, last;
    } refused[] = {
        {0x0000, 0x001f}, {0x007f, 0x009f}, {0x061c, 0x061c},
        {0x200e, 0x200f}, {0x2028, 0x202e}, {0x2066, 0x2069},
    };
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
        if (code >= refused[i].first && code <= refused[i].last)
            return false;
    return true;
}

void foreign_text(char *target, size_t target_size, const char *text, size_t size)
{
    const unsigned char *source = (const unsigned char *)text;
    size_t length = strnlen(text, size), used = 0;
    for (size_t i = 0; i < length;) {
        uint32_t code = 0;
        size_t bytes = sequence_length(source + i, length - i, &code);
        bool keep = bytes && is_printable(code);
        size_t room = keep ? bytes : 1;
        if (used + room >= target_size)
            break;
        if (keep)
            memcpy(target + used, source + i, bytes);
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
