/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "platform/random.h"

#include <sys/random.h>

bool vmaf_random_bytes(void *bytes, size_t size)
{
    return getrandom(bytes, size, GRND_NONBLOCK) == (ssize_t)size;
}
