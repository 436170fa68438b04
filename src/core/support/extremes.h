/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_SUPPORT_EXTREMES_H
#define CORE_SUPPORT_EXTREMES_H

/* The smaller and the larger one of two numbers. */

static inline unsigned min_unsigned(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static inline unsigned max_unsigned(unsigned a, unsigned b)
{
    return a > b ? a : b;
}

#endif
