/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "support/utf8.h"

/* The table of well-formed sequences is 3-7 of the Unicode standard. */
size_t utf8_length(const char *characters, size_t size, uint32_t *code)
{
    const unsigned char *text = (const unsigned char *)characters;
    static const struct {
        unsigned char first, last, second_min, second_max, length;
    } forms[] = {
        {0x00, 0x7f, 0, 0, 1},       {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
        {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
        {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
    };
    if (!size)
        return 0;
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

bool utf8_is_printable(uint32_t code)
{
    return code >= 0x20 && !(code >= 0x7f && code < 0xa0) && !(code >= 0x2028 && code <= 0x202e) &&
           !(code >= 0x2066 && code <= 0x2069);
}
