/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_CAMBI_FIND_DIGIT_KERNEL_H
#define METRICS_CAMBI_FIND_DIGIT_KERNEL_H

/*
 * Blocks that find, in the histogram of `n` counters from counters[first] on, the digit of the last
 * of the `wanted` largest: element 0 of `digit`, element 1 how many with this digit are among them.
 * If there are fewer than `wanted` in all, or none is wanted, the digit is FIND_NO_DIGIT and the
 * number 0. A THEN block follows. The kernel declares
 *
 *     GROUP_MEMORY(u32, digit, 2)
 *     GROUP_MEMORY(u32, find_sums, LANES)
 *     GROUP_MEMORY(u32, find_parts, FIND_PARTS)
 *
 * Lanes add up n / LANES counters each, from the top; 16 of them 16 sums each; then one lane walks
 * down these, the sums and the counters.
 */
#define FIND_NO_DIGIT 0xFFFFFFFFu
#define FIND_PARTS    16
#define FIND_DIGIT(first, n, wanted)                                                               \
    THEN                                                                                           \
    {                                                                                              \
        u32 sum = 0u;                                                                              \
        for (i32 i = 0; i < ((n) + LANES - 1) / LANES; ++i) {                                      \
            i32 at = (n)-1 - LANE * (((n) + LANES - 1) / LANES) - i;                               \
            sum += at >= 0 ? AT(counters, (first) + at) : 0u;                                      \
        }                                                                                          \
        AT(find_sums, LANE) = sum;                                                                 \
    }                                                                                              \
    THEN                                                                                           \
    {                                                                                              \
        if (LANE < FIND_PARTS) {                                                                   \
            u32 sum = 0u;                                                                          \
            for (i32 i = 0; i < LANES / FIND_PARTS; ++i) {                                         \
                sum += AT(find_sums, LANE * (LANES / FIND_PARTS) + i);                             \
            }                                                                                      \
            AT(find_parts, LANE) = sum;                                                            \
        }                                                                                          \
    }                                                                                              \
    THEN                                                                                           \
    {                                                                                              \
        if (LANE == 0) {                                                                           \
            u32 left = (wanted);                                                                   \
            i32 part = 0;                                                                          \
            for (; part < FIND_PARTS && AT(find_parts, part) < left; ++part) {                     \
                left -= AT(find_parts, part);                                                      \
            }                                                                                      \
            AT(digit, 0) = FIND_NO_DIGIT;                                                          \
            AT(digit, 1) = 0u;                                                                     \
            if (part < FIND_PARTS && left != 0u) {                                                 \
                i32 lane = part * (LANES / FIND_PARTS);                                            \
                for (; AT(find_sums, lane) < left; ++lane) {                                       \
                    left -= AT(find_sums, lane);                                                   \
                }                                                                                  \
                i32 at = (n)-1 - lane * (((n) + LANES - 1) / LANES);                               \
                for (; AT(counters, (first) + at) < left; --at) {                                  \
                    left -= AT(counters, (first) + at);                                            \
                }                                                                                  \
                AT(digit, 0) = U32(at);                                                            \
                AT(digit, 1) = left;                                                               \
            }                                                                                      \
        }                                                                                          \
    }

#endif
