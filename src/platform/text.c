/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Text that is the same in every locale, and reasons of errors. */
#include "platform/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "platform/internal.h"

/* The table of well-formed sequences is 3-7 of the Unicode standard. */
size_t vmaf_utf8_length(const char *characters, size_t size, uint32_t *code)
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

/* C0 and C1 control characters, the line and paragraph separators, and what changes the direction
 * of text (the Bidi_Control property of Unicode): nothing that belongs in one line of a log. */
bool vmaf_utf8_is_printable(uint32_t code)
{
    static const struct {
        uint32_t first, last;
    } unprintable[] = {
        {0x0000, 0x001f}, {0x007f, 0x009f}, {0x061c, 0x061c},
        {0x200e, 0x200f}, {0x2028, 0x202e}, {0x2066, 0x2069},
    };
    for (size_t i = 0; i < sizeof(unprintable) / sizeof(unprintable[0]); i++)
        if (code >= unprintable[i].first && code <= unprintable[i].last)
            return false;
    return true;
}

double vmaf_c_strtod(const char *text, char **end)
{
    VmafCLocaleScope scope;
    if (vmaf_c_locale_enter(&scope) < 0) {
        if (end)
            *end = (char *)text;
        errno = ENOMEM;
        return 0;
    }
    const double value = strtod(text, end);
    vmaf_c_locale_leave(&scope);
    return value;
}

int vmaf_error_set(const VmafWhy *why, int error, const char *format, ...)
{
    if (why && why->text) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(why->text, why->size, format, arguments);
        va_end(arguments);
    }
    return error;
}
