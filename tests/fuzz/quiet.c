/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "quiet.h"

#include <stdio.h>
#include <stdlib.h>

static FILE *nowhere, *saved_stdout, *saved_stderr;

void quiet_begin(void)
{
    if (!nowhere)
        nowhere = fopen("/dev/null", "we");
    if (!nowhere)
        abort();
    saved_stdout = stdout;
    saved_stderr = stderr;
    stdout = nowhere;
    stderr = nowhere;
}

void quiet_end(void)
{
    stdout = saved_stdout;
    stderr = saved_stderr;
}
