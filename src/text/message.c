/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "text/message.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

int message_set(Message *message, int error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message->text, sizeof(message->text), format, arguments);
    va_end(arguments);
    return error;
}

const char *if_out_of_memory(int error)
{
    return error == -ENOMEM ? ": out of memory" : "";
}
