/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_PLATFORM_CODE_ADDRESS_H
#define VMAF_PLATFORM_CODE_ADDRESS_H

#include <stdbool.h>

typedef void (*VmafCodeAddress)(void);

/*
 * Whether a function pointer points into code that was loaded from a file. A descriptor that lies
 * about its size makes the host read what lies behind it, which hardly ever passes.
 */
bool vmaf_code_address_is_valid(VmafCodeAddress address);

#endif
