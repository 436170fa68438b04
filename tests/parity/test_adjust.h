/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_PARITY_TEST_ADJUST_H
#define TESTS_PARITY_TEST_ADJUST_H

#include <stdio.h>
#include <stdlib.h>

#include "device.h"

/*
 * For the `adjust` of test plugins: injects the errors in the variable VMAF_TEST_FAULTS: lose=N or
 * hang=N at submission N, memory=N from buffer N on.
 */
static inline void adjust_faults(VmafDeviceOpenParams *params)
{
    static VmafDeviceFaults faults; /* copied before open returns; the same for every device */
    const char *text = getenv("VMAF_TEST_FAULTS");
    unsigned long long number;
    if (!text)
        return;
    if (sscanf(text, "lose=%llu", &number) == 1)
        faults.lose_at_submit = number;
    else if (sscanf(text, "hang=%llu", &number) == 1)
        faults.hang_at_submit = number;
    else if (sscanf(text, "memory=%llu", &number) == 1)
        faults.no_memory_from_buffer = number;
    params->faults = &faults;
}

#endif
