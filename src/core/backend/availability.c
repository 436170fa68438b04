/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "backend/availability.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include "backend/foreign_text.h"
#include "platform/text.h"

static const char *const names[] = {
    [BACKEND_USABLE] = NULL,
    [BACKEND_PLUGIN_NOT_FOUND] = "plugin_not_found",
    [BACKEND_PLUGIN_LOAD_ERROR] = "plugin_load_error",
    [BACKEND_ABI_MISMATCH] = "abi_mismatch",
    [BACKEND_DRIVER_MISSING] = "driver_missing",
    [BACKEND_NO_DEVICE] = "no_device",
    [BACKEND_INIT_FAILED] = "init_failed",
    [BACKEND_DISABLED_BY_FLAG] = "disabled_by_flag",
    [BACKEND_UNSUPPORTED_OS] = "unsupported_os",
};

const char *backend_reason_name(BackendState state)
{
    return (size_t)state < sizeof(names) / sizeof(names[0]) ? names[state] : NULL;
}

int backend_availability_set(BackendAvailability *availability, BackendState state, int error,
                             const char *format, ...)
{
    VmafCLocaleScope scope;
    va_list arguments;
    char line[sizeof(availability->why.text)];
    va_start(arguments, format);
    vmaf_c_locale_enter(&scope);
    if (vsnprintf(line, sizeof(line), format, arguments) < 0)
        line[0] = '\0';
    vmaf_c_locale_leave(&scope);
    va_end(arguments);
    availability->state = state;
    availability->error = error;
    /* File names can hold any bytes, and this text ends up in documents. */
    foreign_text(availability->why.text, sizeof(availability->why.text), line, sizeof(line));
    return error;
}
