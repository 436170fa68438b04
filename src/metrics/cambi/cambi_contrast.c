/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <string.h>

#include "metrics/cambi/cambi_internal.h"

/* From the codes of a scale to its contrasts, and to their pooled score. */

/*
 * Windows slide down the picture, those of all columns together: each row of pixels is added to the
 * counts when it comes under the windows and removed when it has left them. Rows are handled as
 * runs of equal codes, because a run changes the counts of its code in a way that only depends on
 * its length.
 */

/* The scale in work. */
typedef struct Pass {
    const CambiFunctions *functions;
    const CambiVariant *variant;
    CambiScratch *scratch;
    unsigned w, window;
    CambiCounts counts;
} Pass;

/* Runs of a row under the windows. */
static CambiRun *runs_of_row(const Pass *pass, unsigned y, unsigned **n_runs)
{
    const unsigned slot = y % pass->window;
    *n_runs = &pass->scratch->n_runs[slot];
    return pass->scratch->runs + slot * pass->scratch->stride;
}

static void add_row(const Pass *pass, const CambiImage *image, unsigned y)
{
    const CambiFunctions *functions = pass->functions;
    CambiScratch *scratch = pass->scratch;
    unsigned *n_runs;
    CambiRun *runs = runs_of_row(pass, y, &n_runs);
    functions->band_codes(scratch->band, image->codes + y * scratch->stride,
                          image->mask + y * scratch->stride, pass->w,
                          pass->variant->band.first_code, pass->variant->band.n_codes);
    *n_runs = functions->find_runs(runs, scratch->begins, scratch->band, pass->w);
    functions->add_runs(&pass->counts, runs, *n_runs);
}

static void remove_row(const Pass *pass, unsigned y)
{
    unsigned *n_runs;
    const CambiRun *runs = runs_of_row(pass, y, &n_runs);
    pass->functions->remove_runs(&pass->counts, runs, *n_runs);
}

/* All counts are zero. */
static CambiCounts empty_counts(const CambiVariant *variant, int which, CambiScratch *scratch)
{
    /* Before the band there is a row for codes outside it, which are not counted. */
    const size_t n_rows = 1u + variant->band.below + variant->band.n_codes + variant->band.above;
    memset(scratch->counts, 0, n_rows * scratch->counts_stride * sizeof(*scratch->counts));
    return (CambiCounts){
        .count =
            scratch->counts + variant->band.below * scratch->counts_stride + scratch->counts_margin,
        .stride = (ptrdiff_t)scratch->counts_stride,
        .margin = scratch->counts_margin,
        .radius = variant->geometry[which].window / 2,
        .trapezium = variant->trapezium[which] + CAMBI_LANES,
        .trapezium_stride = variant->trapezium_stride[which],
    };
}

CambiSum cambi_sum_contrasts(const CambiParams *params, const CambiVariant *variant, int which,
                             int scale, CambiScratch *scratch, const CambiImage *image,
                             uint16_t *heat_map)
{
    const CambiFunctions *functions = &params->functions;
    const CambiGeometry *g = &variant->geometry[which];
    const unsigned w = g->scale_w[scale], h = g->scale_h[scale], radius = g->window / 2;
    const Pass pass = {functions, variant,   scratch,
                       w,         g->window, empty_counts(variant, which, scratch)};
    const CambiContrasts how = {variant->band.steps, cambi_step_weights, params->reciprocals};

    CambiTally tally = {0};
    size_t n_contrasts = 0;
    for (unsigned below = 0; below < h + radius; below++) {
        if (below >= g->window)
            remove_row(&pass, below - g->window);
        if (below < h)
            add_row(&pass, image, below);
        if (below < radius)
            continue;
        const unsigned y = below - radius;
        unsigned *n_runs;
        const CambiRun *runs = runs_of_row(&pass, y, &n_runs);
        float *contrasts = scratch->contrasts + n_contrasts;
        const unsigned n = functions->contrasts(contrasts, runs, *n_runs, &pass.counts, &how);
        functions->tally(&tally, contrasts, n);
        n_contrasts += n;
        if (heat_map)
            cambi_heat_map_row(heat_map + (size_t)y * w, contrasts, runs, *n_runs,
                               variant->heat_map_gain);
    }
    return cambi_sum_strongest(&tally, scratch->contrasts, n_contrasts,
                               variant->pooled[which][scale]);
}

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
