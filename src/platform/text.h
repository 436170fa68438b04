/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_PLATFORM_TEXT_H
#define VMAF_PLATFORM_TEXT_H

/* Text that is the same in every locale: letters of ASCII, numbers with a decimal point, UTF-8. */

/* ---- Letters of ASCII ---- */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* ---- Numbers with a decimal point ---- */

/*
 * Numbers in files and messages look the same in every locale, but the host program may have set
 * one with a decimal comma. Between enter and leave, printf, scanf and strtod of this thread work
 * as in the "C" locale; other threads notice nothing.
 */
typedef struct VmafCLocaleScope {
    void *c_locale, *previous; /* the system's */
} VmafCLocaleScope;

/* 0, or -ENOMEM: then the thread's locale is unchanged. Leave in either case. */
int vmaf_c_locale_enter(VmafCLocaleScope *scope);
void vmaf_c_locale_leave(VmafCLocaleScope *scope);

/* strtod with '.' as decimal point; without memory nothing is parsed, errno ENOMEM. */
double vmaf_c_strtod(const char *text, char **end);

/* ---- UTF-8 in texts that come from elsewhere: files, plugins, the environment ---- */

/* Bytes of the longest character. */
enum { VMAF_UTF8_MAX = 4 };

/*
 * Length of the well-formed UTF-8 character at the start of `size` bytes, 0 if there is none. *code
 * receives the character. Nothing is read behind a byte that does not belong to it, so in a text
 * that ends with 0 the size may be VMAF_UTF8_MAX anywhere.
 */
size_t vmaf_utf8_length(const char *text, size_t size, uint32_t *code);

/* False for C0 and C1 control characters, the line and paragraph separators, and what changes the
 * direction of text: nothing that belongs in one line of a log. */
bool vmaf_utf8_is_printable(uint32_t code);

#endif
