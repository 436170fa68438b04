/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_BACKEND_DISCOVERY_CODE_ADDRESS_H
#define CORE_BACKEND_DISCOVERY_CODE_ADDRESS_H

#include <stdbool.h>

typedef void (*CodeAddress)(void);

/*
 * Whether a function pointer points into code that was loaded from a file. A descriptor that lies
 * about its size makes the host read what lies behind it, which hardly ever passes.
 */
bool code_address_is_valid(CodeAddress address);

#endif
