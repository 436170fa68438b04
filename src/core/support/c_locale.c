/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "support/c_locale.h"

#include <errno.h>
#include <stdlib.h>

static const locale_t no_locale = (locale_t)0;

int c_locale_enter(CLocaleScope *scope)
{
    /* glibc and musl answer with a constant object: no allocation, nothing to cache. */
    scope->c_locale = newlocale(LC_ALL_MASK, "C", no_locale);
    if (scope->c_locale == no_locale)
        return -ENOMEM;
    scope->previous = uselocale(scope->c_locale);
    return 0;
}

void c_locale_leave(CLocaleScope *scope)
{
    if (scope->c_locale == no_locale)
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

double c_strtod(const char *text, char **end)
{
    CLocaleScope scope;
    if (c_locale_enter(&scope) < 0) {
        nothing_parsed(text, end);
        return 0;
    }
    double value = strtod(text, end);
    c_locale_leave(&scope);
    return value;
}
