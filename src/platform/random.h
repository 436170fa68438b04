/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_PLATFORM_RANDOM_H
#define VMAF_PLATFORM_RANDOM_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes that nobody can guess. False, at once, if the system has none yet (early while booting). */
bool vmaf_random_bytes(void *bytes, size_t size);

#endif
