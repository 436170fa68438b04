/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <stdarg.h>
#include <stdio.h>

#include "emulator_internal.h"

int emulator_fail(EmulatorDevice *device, int status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(device->error, sizeof(device->error), format, arguments);
    va_end(arguments);
    return status;
}
