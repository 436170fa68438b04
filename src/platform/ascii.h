/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_PLATFORM_ASCII_H
#define VMAF_PLATFORM_ASCII_H

/* Text whose letters are those of ASCII, in every locale. */

#include <stdbool.h>
#include <stddef.h>

static inline char vmaf_ascii_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static inline bool vmaf_ascii_is_alnum(char c)
{
    const char lower = vmaf_ascii_lower(c);
    return (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9');
}

/* True if both texts are the same, apart from case, in their first `length` characters. */
static inline bool vmaf_ascii_begins_alike(const char *a, const char *b, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (vmaf_ascii_lower(a[i]) != vmaf_ascii_lower(b[i]))
            return false;
        if (!a[i])
            break;
    }
    return true;
}

/* True if both texts are the same, apart from case. */
static inline bool vmaf_ascii_alike(const char *a, const char *b)
{
    return vmaf_ascii_begins_alike(a, b, (size_t)-1);
}

#endif
