/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "model/json_limits.h"

/* Returns the position after the closing quote, or the end of the text; `c` is after the opening
 * one. */
static const char *skip_string(const char *c, const char *end)
{
    while (c < end && *c != '"')
        c += *c == '\\' && c + 1 < end ? 2 : 1;
    return c < end ? c + 1 : end;
}

bool json_text_is_nested_too_deeply(const char *text, size_t size)
{
    const char *const end = text + size;
    unsigned depth = 0;
    for (const char *c = text; c < end;) {
        switch (*c++) {
        case '"':
            c = skip_string(c, end);
            break;
        case '[':
        case '{':
            if (++depth > JSON_MAX_DEPTH)
                return true;
            break;
        case ']':
        case '}':
            if (depth <= 1)
                return false; /* the end of the value; the rest of the text is not read */
            depth--;
            break;
        default:
            break;
        }
    }
    return false;
}
