/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * The integer arithmetic of CAMBI's kernels against floating point: contrasts of all counts that
 * windows of libvmaf have, with all weights, and chosen ones of the largest windows.
 */
#include <stdlib.h>
#include <string.h>

#include "support/cases.h"

#define KERNEL_NAME cambi_arithmetic
#define WX          1
#define WY          1
#include "dialect/kernel.h"

#include "metrics/cambi/cambi.h"
#include "metrics/cambi/contrast.kernel.h"

enum { LARGEST = 255 * 255, USUAL = 65 * 65 };

static float reciprocals[LARGEST + 1];

static uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof(bits));
    return bits;
}

static void check(uint32_t weight, uint32_t own, uint32_t other)
{
    const float product = (float)(weight * own) * (float)other;
    const uint32_t expected = bits_of(product * reciprocals[own + other]);
    const uint32_t bits = contrast_bits(weight * own, other, bits_of(reciprocals[own + other]));
    if (bits != expected)
        fail_msg("weight %u, counts %u and %u: %08x, not %08x", weight, own, other, bits, expected);
}

CASE(given_counts_of_usual_windows_then_contrasts_are_those_of_floating_point)
{
    for (uint32_t own = 1; own <= USUAL; own++) {
        for (uint32_t other = 0; other <= USUAL - own; other++)
            check(1 + (own + other) % 9, own, other);
    }
    for (uint32_t weight = 1; weight <= 9; weight++) {
        for (uint32_t own = 1; own <= 200; own++) {
            for (uint32_t other = 0; other <= 200; other++)
                check(weight, own, other);
        }
    }
}

CASE(given_counts_of_large_windows_then_contrasts_are_those_of_floating_point)
{
    uint32_t random = 1;
    for (uint32_t own = 1; own <= LARGEST; own += 7) {
        const uint32_t rest = LARGEST - own;
        check(9, own, rest);
        for (int i = 0; i < 200 && rest; i++) {
            random = random * 1664525 + 1013904223;
            check(1 + (random >> 8) % 9, own, (random >> 12) % rest);
        }
    }
}

CASE(counts_are_those_of_bytes)
{
    counts_of_word lower = {0, 0}, upper = {0, 0};
    for (int i = 0; i < 255; i++) {
        lower = add_counts(lower, 0xff010203);
        upper = add_counts(upper, 0x00fe80ff);
    }
    static const uint32_t counts[] = {3, 2, 1, 255, 255, 128, 254, 0};
    for (int i = 0; i < 8; i++)
        assert_int_equal(count_of(lower, upper, i), 255 * counts[i]);
}

int main(int argc, char **argv)
{
    cambi_reciprocals(reciprocals, LARGEST);
    return run_cases(argc, argv);
}
