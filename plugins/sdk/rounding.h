/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef VMAF_SDK_ROUNDING_H
#define VMAF_SDK_ROUNDING_H

#include <stdint.h>

/* Returns a / b rounded up; a + b must fit 32 bits. */
static inline uint32_t ceil_div(uint32_t a, uint32_t b)
{
    return (a + b - 1) / b;
}

/* Returns the smallest multiple that is not below the size. */
static inline uint64_t round_up(uint64_t size, uint64_t multiple)
{
    return (size + multiple - 1) / multiple * multiple;
}

#endif
