/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_KERNELS_RANDOM_NUMBERS_H
#define TESTS_KERNELS_RANDOM_NUMBERS_H

#include <stdint.h>

/* Random numbers, the same in every run. */

static uint32_t noise_seed = 1;

/* 24 bits. */
static inline uint32_t noise(void)
{
    noise_seed = noise_seed * 1664525u + 1013904223u;
    return noise_seed >> 8;
}

static uint64_t random_state = 88172645463325252u; /* not 0 */

static inline uint64_t random_bits(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

#endif
