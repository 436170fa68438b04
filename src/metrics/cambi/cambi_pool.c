/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/cambi/cambi_internal.h"

#include <string.h>

double cambi_sum_value(const CambiSum *sum)
{
    /* Both terms are exact: whole numbers stay below 2^53. */
    return (double)sum->whole + (double)sum->fraction * 0x1p-24;
}

/* Adds `times` a number in units of 2^-24. */
static void sum_add(CambiSum *sum, uint64_t value, uint64_t times)
{
    sum->whole += (value >> 24) * times;
    sum->fraction += (value & 0xffffff) * times;
    sum->whole += sum->fraction >> 24;
    sum->fraction &= 0xffffff;
}

/* The exponent of the class, in the encoding of binary32: that of 0.5 for the first. */
static unsigned class_exponent(unsigned class)
{
    return CAMBI_TALLY_FIRST / CAMBI_TALLY_CLASSES_PER_OCTAVE +
           (class - 1) / CAMBI_TALLY_CLASSES_PER_OCTAVE;
}

/* Adds numbers of a class other than 0, given the sum of their bits: their significands, with the
 * leading one that is not stored, in units that the exponent tells. */
static void sum_add_class(CambiSum *sum, unsigned class, uint64_t count, uint64_t bits)
{
    const unsigned exponent = class_exponent(class);
    const uint64_t significands = bits - count * ((uint64_t)(exponent - 1) << 23);
    sum_add(sum, significands, UINT64_C(1) << (exponent - class_exponent(1)));
}

/* Numbers that are not negative are in the order of their bits. */
static uint32_t bits_of(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof(bits));
    return bits;
}

/* What is left to choose from: numbers of one class, of which those bits are known to be equal that
 * have been looked at. */
typedef struct Candidates {
    float *contrasts;
    size_t n;
    size_t wanted; /* so many of the largest, at least one */
} Candidates;

/* Numbers of the class move to the front. */
static size_t keep_class(float *contrasts, size_t n, unsigned class)
{
    const uint32_t leading = class ? CAMBI_TALLY_FIRST + class - 1 : 0;
    size_t n_kept = 0;
    for (size_t i = 0; i < n; i++) {
        const float contrast = contrasts[i];
        contrasts[n_kept] = contrast;
        n_kept += bits_of(contrast) >> CAMBI_TALLY_SHIFT == leading;
    }
    return n_kept;
}

/* The bits behind those that make the class are looked at in two steps. */
enum { DIGIT_BITS = CAMBI_TALLY_SHIFT / 2, DIGITS = 1 << DIGIT_BITS };

/* Sums the candidates whose digit is larger than that of the last wanted one, and keeps those whose
 * digit is the same. */
static void narrow_down(Candidates *c, unsigned shift, uint64_t *count, uint64_t *bits)
{
    uint32_t histogram[DIGITS] = {0};
    for (size_t i = 0; i < c->n; i++)
        histogram[bits_of(c->contrasts[i]) >> shift & (DIGITS - 1)]++;
    unsigned digit = DIGITS - 1;
    size_t above = 0;
    while (above + histogram[digit] < c->wanted)
        above += histogram[digit--];

    size_t n_kept = 0;
    for (size_t i = 0; i < c->n; i++) {
        const float contrast = c->contrasts[i];
        const unsigned own = bits_of(contrast) >> shift & (DIGITS - 1);
        *bits += own > digit ? bits_of(contrast) : 0;
        c->contrasts[n_kept] = contrast;
        n_kept += own == digit;
    }
    *count += above;
    c->n = n_kept;
    c->wanted -= above;
}

CambiSum cambi_sum_strongest(const CambiTally *tally, float *contrasts, size_t n, size_t k)
{
    /* Whole classes, from the top; class 0 adds nothing. */
    CambiSum sum = {0};
    Candidates c = {contrasts, n, k};
    unsigned class = CAMBI_TALLY_CLASSES - 1;
    for (; class > 0; class --) {
        uint64_t count = 0, bits = 0;
        for (int t = 0; t < CAMBI_TALLY_TABLES; t++) {
            count += tally->table[t][class].count;
            bits += tally->table[t][class].bits;
        }
        if (count > c.wanted)
            break;
        sum_add_class(&sum, class, count, bits);
        c.wanted -= count;
    }
    if (!class || !c.wanted)
        return sum;

    uint64_t count = 0, bits = 0;
    c.n = keep_class(contrasts, n, class);
    narrow_down(&c, DIGIT_BITS, &count, &bits);
    narrow_down(&c, 0, &count, &bits);
    /* What is left is equal. */
    count += c.wanted;
    bits += (uint64_t)c.wanted * bits_of(contrasts[0]);
    sum_add_class(&sum, class, count, bits);
    return sum;
}
