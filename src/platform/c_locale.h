/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_PLATFORM_C_LOCALE_H
#define VMAF_PLATFORM_C_LOCALE_H

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

#endif
