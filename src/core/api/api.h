/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_API_API_H
#define CORE_API_API_H

#include <errno.h>
#include <stddef.h>
#include <string.h>

/* Marks the definition of a public function; everything else stays inside the shared library. */
#define VMAF_API __attribute__((visibility("default")))

/*
 * Fills in a structure of the caller, whose first member, struct_size, states its size: a caller
 * compiled with a shorter structure receives that part. 0; -EINVAL.
 */
static inline int deliver(void *target, size_t target_size, const void *info, size_t info_size)
{
    if (target_size < sizeof(size_t))
        return -EINVAL;
    size_t size = target_size < info_size ? target_size : info_size;
    memcpy((char *)target + sizeof(size_t), (const char *)info + sizeof(size_t),
           size - sizeof(size_t));
    return 0;
}

#endif
