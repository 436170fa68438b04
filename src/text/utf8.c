/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "text/utf8.h"

#include <stdbool.h>

size_t utf8_character(const char *bytes, uint32_t *code)
{
    const unsigned char *text = (const unsigned char *)bytes;
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    *code = text[0];
    if (text[0] < 0x80)
        return 1;
    const size_t length = text[0] >= 0xf0 ? 4 : text[0] >= 0xe0 ? 3 : 2;
    if (text[0] < 0xc2 || text[0] > 0xf4)
        return 0;
    *code &= 0x7fu >> length;
    for (size_t i = 1; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80) /* also at the end of the text */
            return 0;
        *code = *code << 6 | (text[i] & 0x3fu);
    }
    const bool is_surrogate = *code >= 0xd800 && *code <= 0xdfff;
    return *code < smallest[length] || *code > 0x10ffff || is_surrogate ? 0 : length;
}
