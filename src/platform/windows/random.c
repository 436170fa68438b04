/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "platform/random.h"

#include "platform/windows/native.h"

#include <bcrypt.h>

bool vmaf_random_bytes(void *bytes, size_t size)
{
    return BCryptGenRandom(NULL, bytes, (ULONG)size, BCRYPT_USE_SYSTEM_PREFERRED_RNG) == 0;
}
