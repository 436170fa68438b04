/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * The failing allocator for whole programs and their child processes, by LD_PRELOAD. In each of
 * them allocation number VMAF_TEST_FAIL_AT fails, and the file VMAF_TEST_FAILED is created.
 */
#include "api/failing_malloc.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

static void leave_a_mark(void)
{
    const char *path = getenv("VMAF_TEST_FAILED");
    int file = path ? open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600) : -1;
    if (file >= 0)
        close(file);
}

__attribute__((constructor)) static void arm(void)
{
    const char *number = getenv("VMAF_TEST_FAIL_AT");
    failing_malloc_on_failure = leave_a_mark;
    failing_malloc_arm(number ? strtoul(number, NULL, 10) : 0);
}
