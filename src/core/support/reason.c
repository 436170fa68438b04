/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "support/reason.h"

#include <stdarg.h>
#include <stdio.h>

#include "platform/text.h"

int refuse(Reason *why, int error, const char *format, ...)
{
    if (!why)
        return error;

    VmafCLocaleScope scope;
    va_list arguments;
    va_start(arguments, format);
    vmaf_c_locale_enter(&scope);
    if (vsnprintf(why->text, sizeof(why->text), format, arguments) < 0)
        why->text[0] = '\0';
    vmaf_c_locale_leave(&scope);
    va_end(arguments);
    return error;
}
