/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "feature/cambi/cambi_pool.h"

#include <string.h>

double cambi_sum_value(const CambiSum *sum)
{
    /* Both terms are exact: whole numbers stay below 2^53. */
    return (double)sum->whole + (double)sum->fraction * 0x1p-24;
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
    /* Equal digits often follow each other, and several tables keep them from waiting. */
    enum { TABLES = 4 };
    uint32_t histogram[TABLES][DIGITS] = {{0}};
    for (size_t i = 0; i < n; i++)
        histogram[i % TABLES][bits_of(contrasts[i]) >> shift & (DIGITS - 1)]++;

    size_t larger = 0;
    for (unsigned digit = DIGITS - 1;; digit--) {
        size_t equal = 0;
        for (int t = 0; t < TABLES; t++)
            equal += histogram[t][digit];
        if (larger + equal >= k) {
            *above = larger;
            return digit;
        }
        larger += equal;
    }
}

/* Sums the contrasts with a larger digit, and moves those with the same digit to `equal`, which may
 * be where they came from. Returns their number. */
static size_t split(CambiSum *sum, float *equal, const float *contrasts, size_t n, unsigned shift,
                    unsigned digit)
{
    uint64_t total = 0;
    size_t n_equal = 0;
    for (size_t i = 0; i < n; i++) {
        const float contrast = contrasts[i];
        const unsigned own = bits_of(contrast) >> shift & (DIGITS - 1);
        total += own > digit ? fixed_point(contrast) : 0;
        equal[n_equal] = contrast;
        n_equal += own == digit;
    }
    cambi_sum_add(sum, total, 1);
    return n_equal;
}

void cambi_sum_strongest(CambiSum *sum, float *contrasts, size_t n, size_t k)
{
    /* From the most significant digit on; the sign is 0, and digits may overlap. */
    static const unsigned shifts[] = {20, 9, 0};
    for (unsigned s = 0; s < sizeof(shifts) / sizeof(shifts[0]); s++) {
        size_t above, n_equal = 0;
        const unsigned digit = kth_digit(contrasts, n, shifts[s], k, &above);
        for (size_t begin = 0; begin < n; begin += CAMBI_SUMMABLE) {
            const size_t count = n - begin < CAMBI_SUMMABLE ? n - begin : CAMBI_SUMMABLE;
            n_equal += split(sum, contrasts + n_equal, contrasts + begin, count, shifts[s], digit);
        }
        n = n_equal;
        k -= above;
    }
    cambi_sum_add(sum, fixed_point(contrasts[0]), k);
}
