/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* tests/support/fatal_read.h on Windows. */
#include "support/fatal_read.h"

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

/* The function reads the byte and catches the exception, which a test wants and nobody else should.
 */
bool read_is_fatal(const volatile uint8_t *byte)
{
    return IsBadReadPtr((const void *)byte, 1) != 0;
}
