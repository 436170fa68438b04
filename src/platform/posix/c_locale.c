/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "platform/c_locale.h"

#include <errno.h>
#include <stdlib.h>

#include "platform/posix/system.h"

int vmaf_c_locale_enter(VmafCLocaleScope *scope)
{
    /* glibc and musl answer with a constant object: no allocation, nothing to cache. */
    scope->c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!scope->c_locale)
        return -ENOMEM;
    scope->previous = uselocale(scope->c_locale);
    return 0;
}

void vmaf_c_locale_leave(VmafCLocaleScope *scope)
{
    if (!scope->c_locale)
        return;
    uselocale(scope->previous);
    freelocale(scope->c_locale);
}

static void nothing_parsed(const char *text, char **end)
{
    if (end)
        *end = (char *)text;
    errno = ENOMEM;
}

double vmaf_c_strtod(const char *text, char **end)
{
    VmafCLocaleScope scope;
    if (vmaf_c_locale_enter(&scope) < 0) {
        nothing_parsed(text, end);
        return 0;
    }
    double value = strtod(text, end);
    vmaf_c_locale_leave(&scope);
    return value;
}
