/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "platform/terminal.h"

#include <unistd.h>

bool vmaf_stderr_is_terminal(void)
{
    return isatty(STDERR_FILENO) == 1;
}

bool vmaf_stdout_is_terminal(void)
{
    return isatty(STDOUT_FILENO) == 1;
}
