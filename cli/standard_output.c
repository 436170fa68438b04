/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "standard_output.h"

#include "common/messages.h"
#include "exit_status.h"

#include <stdio.h>

int standard_output_finish(void)
{
    if (!fflush(stdout) && !ferror(stdout))
        return STATUS_OK;
    say("could not write to standard output");
    return STATUS_FAILURE;
}
