/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_PLATFORM_TERMINAL_H
#define VMAF_PLATFORM_TERMINAL_H

#include <stdbool.h>

/* True if somebody reads standard error as it is written, and sees colours. */
bool vmaf_stderr_is_terminal(void);
/* The same of standard output. */
bool vmaf_stdout_is_terminal(void);

/* Characters in a line there: by COLUMNS, else by the terminal, else 80. */
unsigned vmaf_stderr_columns(void);

#endif
