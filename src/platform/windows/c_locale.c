/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "platform/c_locale.h"

#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

/*
 * The C runtime has locales of threads, too: a thread either has one of its own or follows that of
 * the process, which it starts with.
 */
typedef struct Previous {
    int mode; /* of _configthreadlocale */
    char locale[];
} Previous;

int vmaf_c_locale_enter(VmafCLocaleScope *scope)
{
    *scope = (VmafCLocaleScope){0};
    const char *now = setlocale(LC_ALL, NULL);
    if (now && !strcmp(now, "C"))
        return 0;
    const size_t size = now ? strlen(now) + 1 : 1;
    Previous *previous = malloc(sizeof(*previous) + size);
    if (!previous)
        return -ENOMEM;
    memcpy(previous->locale, now ? now : "", size);
    previous->mode = _configthreadlocale(_ENABLE_PER_THREAD_LOCALE);
    setlocale(LC_ALL, "C");
    scope->previous = previous;
    return 0;
}

void vmaf_c_locale_leave(VmafCLocaleScope *scope)
{
    Previous *previous = scope->previous;
    if (!previous)
        return;
    setlocale(LC_ALL,
              previous->locale); /* the thread's, even if it is to follow the process again */
    if (previous->mode != _ENABLE_PER_THREAD_LOCALE)
        _configthreadlocale(_DISABLE_PER_THREAD_LOCALE);
    free(previous);
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
    double value = strtod(text, end);
    vmaf_c_locale_leave(&scope);
    return value;
}
