/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "feature/cambi/cambi_pool.h"

#include <string.h>

double cambi_sum_value(const CambiSum *sum)
{
    /* Both terms are exact: whole numbers stay below 2^53. */
    const uint64_t whole = sum->whole + (sum->fraction >> 24);
    return (double)whole + (double)(sum->fraction & 0xffffff) * 0x1p-24;
}

/* Numbers that are not negative are in the order of their bits. */
static uint32_t bits_of(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof(bits));
    return bits;
}

static uint64_t fixed_point(float contrast)
{
    return (uint64_t)(int64_t)(contrast * 0x1p24f);
}

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };

/* The digit of the k-th largest number; `above` is how many have a larger one. */
static unsigned kth_digit(const float *contrasts, size_t n, unsigned shift, size_t k, size_t *above)
{
    /* Equal digits often follow each other, and two tables keep them from waiting. */
    uint32_t histogram[2][DIGITS] = {{0}};
    for (size_t i = 0; i < n; i++)
        histogram[i & 1][bits_of(contrasts[i]) >> shift & (DIGITS - 1)]++;

    unsigned digit = DIGITS - 1;
    size_t larger = 0, equal;
    while (larger + (equal = (size_t)histogram[0][digit] + histogram[1][digit]) < k) {
        larger += equal;
        digit--;
    }
    *above = larger;
    return digit;
}

void cambi_sum_strongest(CambiSum *sum, float *contrasts, size_t n, size_t k)
{
    /* From the most significant digit on; the sign is 0, and digits may overlap. */
    static const unsigned shifts[] = {20, 9, 0};
    for (unsigned i = 0; i < sizeof(shifts) / sizeof(shifts[0]); i++) {
        const unsigned shift = shifts[i];
        size_t above, n_equal = 0;
        const unsigned digit = kth_digit(contrasts, n, shift, k, &above);
        for (size_t j = 0; j < n; j++) {
            const float contrast = contrasts[j];
            const unsigned own = bits_of(contrast) >> shift & (DIGITS - 1);
            if (own > digit)
                cambi_sum_add(sum, fixed_point(contrast), 1);
            contrasts[n_equal] = contrast;
            n_equal += own == digit;
        }
        n = n_equal;
        k -= above;
    }
    cambi_sum_add(sum, fixed_point(contrasts[0]), k);
}
