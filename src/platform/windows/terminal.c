/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "platform/terminal.h"

#include <stdlib.h>

#include "platform/windows/native.h"

/* A console that understands escape sequences, from now on. */
static bool is_console(int stream)
{
    DWORD mode;
    const HANDLE handle = vmaf_standard_handle(stream);
    if (handle == INVALID_HANDLE_VALUE || !GetConsoleMode(handle, &mode))
        return false;
    return (mode & ENABLE_VIRTUAL_TERMINAL_PROCESSING) ||
           SetConsoleMode(handle, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
}

bool vmaf_stderr_is_terminal(void)
{
    return is_console(2);
}

bool vmaf_stdout_is_terminal(void)
{
    return is_console(1);
}

unsigned vmaf_stderr_columns(void)
{
    enum { USUAL = 80, MOST = 100000 };
    const char *wanted = getenv("COLUMNS");
    const long columns = wanted ? strtol(wanted, NULL, 10) : 0;
    if (columns > 0 && columns < MOST)
        return (unsigned)columns;
    CONSOLE_SCREEN_BUFFER_INFO info;
    if (!GetConsoleScreenBufferInfo(vmaf_standard_handle(2), &info))
        return USUAL;
    const int width = info.srWindow.Right - info.srWindow.Left + 1;
    return width > 0 ? (unsigned)width : USUAL;
}
