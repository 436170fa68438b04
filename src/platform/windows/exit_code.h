/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_PLATFORM_WINDOWS_EXIT_CODE_H
#define VMAF_PLATFORM_WINDOWS_EXIT_CODE_H

/* How processes end: programs exit with small numbers, and the system ends them with codes of
 * exceptions, whose two highest bits say "error". */

#include <stdbool.h>
#include <stdint.h>

/* What abort() ends supervised work with. */
#define VMAF_EXIT_ABORTED 0xc0000420u /* STATUS_ASSERTION_FAILURE */

static inline bool vmaf_exit_code_is_crash(uint32_t code)
{
    return code >= 0xc0000000u && code < 0xd0000000u;
}

#endif
