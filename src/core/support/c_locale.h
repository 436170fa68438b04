/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_SUPPORT_C_LOCALE_H
#define CORE_SUPPORT_C_LOCALE_H

/*
 * Numbers in files and messages look the same in every locale, but the host program may have set
 * one with a decimal comma. Between enter and leave, printf, scanf and strtod of this thread work
 * as in the "C" locale; other threads notice nothing.
 */

#include <locale.h>

typedef struct CLocaleScope {
    locale_t c_locale;
    locale_t previous;
} CLocaleScope;

/* 0, or -ENOMEM: then the thread's locale is unchanged. Leave in either case. */
int c_locale_enter(CLocaleScope *scope);
void c_locale_leave(CLocaleScope *scope);

/* strtod with '.' as decimal point; without memory nothing is parsed, errno ENOMEM. */
double c_strtod(const char *text, char **end);

#endif
