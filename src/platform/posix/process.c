/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "platform/process.h"

#include <unistd.h>

int vmaf_process_id(void)
{
    return getpid();
}
