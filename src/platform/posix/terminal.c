/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "platform/terminal.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

bool vmaf_stderr_is_terminal(void)
{
    return isatty(STDERR_FILENO) == 1;
}

bool vmaf_stdout_is_terminal(void)
{
    return isatty(STDOUT_FILENO) == 1;
}

unsigned vmaf_stderr_columns(void)
{
    enum { USUAL = 80, MOST = 100000 };
    const char *wanted = getenv("COLUMNS");
    const long columns = wanted ? strtol(wanted, NULL, 10) : 0;
    if (columns > 0 && columns < MOST)
        return (unsigned)columns;
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : USUAL;
}
