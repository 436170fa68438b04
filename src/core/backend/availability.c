/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "backend/availability.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/text.h"

void foreign_text(char *target, size_t target_size, const char *text, size_t size)
{
    size_t length = strnlen(text, size), used = 0;
    for (size_t i = 0; i < length;) {
        uint32_t code = 0;
        size_t bytes = vmaf_utf8_length(text + i, length - i, &code);
        bool keep = bytes && vmaf_utf8_is_printable(code);
        size_t room = keep ? bytes : 1;
        if (used + room >= target_size)
            break;
        if (keep)
            memcpy(target + used, text + i, bytes);
        else
            target[used] = code == '\t' || code == '\n' || code == '\r' ? ' ' : '?';
        used += room;
        i += bytes ? bytes : 1;
    }
    target[used] = '\0';
}

char *foreign_text_copy(const char *text, size_t limit)
{
    size_t length = text ? strnlen(text, limit) : 0;
    char *copy = malloc(length + 1);
    if (copy)
        foreign_text(copy, length + 1, text ? text : "", length);
    return copy;
}

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

int backend_availability_fail(BackendAvailability *availability, int error)
{
    availability->state = BACKEND_INIT_FAILED;
    availability->error = error;
    if (!availability->why.text[0])
        reason_set(&availability->why, 0, "out of memory");
    return error;
}

int backend_out_of_memory(BackendAvailability *availability)
{
    return backend_availability_set(availability, BACKEND_INIT_FAILED, -ENOMEM, "out of memory");
}
