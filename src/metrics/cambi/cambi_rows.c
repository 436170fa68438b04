/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <stdbool.h>
#include <string.h>

#include "metrics/cambi/cambi_internal.h"
#include "support/loops.h"

/*
 * Plain C, written for compilers that vectorise loops: no branches over pixels, narrow types,
 * restrict. Codes are compared as signed numbers, for which the baseline of x86-64 has a minimum.
 */

static unsigned used_bits(const uint16_t *row, unsigned w)
{
    uint16_t bits = 0;
    for (unsigned x = 0; x < w; x++)
        bits |= row[x];
    return bits;
}

static void codes_of_bytes(uint16_t *restrict codes, const uint8_t *restrict row, unsigned w)
{
    for (unsigned x = 0; x < w; x++)
        codes[x] = (uint16_t)(row[x] << 2);
}

static void codes_of_words(uint16_t *restrict codes, const uint16_t *restrict row, unsigned w,
                           unsigned bpc)
{
    if (bpc <= 10) {
        const unsigned shift = 10 - bpc;
        for (unsigned x = 0; x < w; x++)
            codes[x] = (uint16_t)(row[x] << shift);
    } else {
        const unsigned shift = bpc - 10;
        for (unsigned x = 0; x < w; x++)
            codes[x] = (uint16_t)((row[x] >> shift) + (row[x] >> (shift - 1) & 1));
    }
}

static void smooth(uint16_t *row, const uint16_t *below, unsigned w)
{
    if (below == row) {
        for (unsigned x = 0; x + 1 < w; x++)
            row[x] = (uint16_t)((row[x] + row[x + 1]) >> 1);
        return;
    }
    const uint16_t *restrict next = below;
    for (unsigned x = 0; x + 1 < w; x++)
        row[x] = (uint16_t)((uint16_t)(row[x] + row[x + 1] + next[x] + next[x + 1]) >> 2);
    row[w - 1] = (uint16_t)((row[w - 1] + next[w - 1]) >> 1);
}

static void flatness(uint8_t *restrict flat, const uint16_t *row, const uint16_t *below, unsigned w)
{
    for (unsigned x = 0; x + 1 < w; x++)
        flat[x] = (row[x] == row[x + 1]) & (row[x] == below[x]);
    flat[w - 1] = row[w - 1] == below[w - 1];
}

static void slide(uint8_t *restrict sums, const uint8_t *restrict entering,
                  const uint8_t *restrict leaving, unsigned w)
{
    for (unsigned x = 0; x < w; x++)
        sums[x] = (uint8_t)(sums[x] + entering[x] - leaving[x]);
}

static void threshold_sums(uint8_t *restrict mask, const uint8_t *restrict sums, unsigned w,
                           unsigned threshold)
{
    const uint8_t limit = (uint8_t)threshold;
    const uint8_t *l3 = sums - 3, *l2 = sums - 2, *l1 = sums - 1;
    const uint8_t *r1 = sums + 1, *r2 = sums + 2, *r3 = sums + 3;
    VECTORS_OF(uint8_t)
    for (unsigned x = 0; x < w; x++) {
        const uint8_t left = (uint8_t)(l3[x] + l2[x] + l1[x]);
        const uint8_t right = (uint8_t)(r1[x] + r2[x] + r3[x]);
        const uint8_t sum = (uint8_t)(left + sums[x] + right);
        mask[x] = sum > limit;
    }
}

/* a where the mask is -1, b where it is 0. */
static inline int16_t choose(int16_t mask, int16_t a, int16_t b)
{
    return (int16_t)(b ^ ((a ^ b) & mask));
}

/* Masks keep all of it in 16 bits. */
static inline int16_t mode3(int16_t a, int16_t b, int16_t c)
{
    const int16_t less = choose((int16_t) - (a < b), a, b);
    const int16_t least = choose((int16_t) - (less < c), less, c);
    const int16_t unless_a = choose((int16_t) - (b == c), b, least);
    return choose((int16_t) - ((a == b) | (a == c)), a, unless_a);
}

static void mode_of_three(uint16_t *restrict out, const uint16_t *a, const uint16_t *b,
                          const uint16_t *c, unsigned w)
{
    for (unsigned x = 0; x < w; x++)
        out[x] = (uint16_t)mode3((int16_t)a[x], (int16_t)b[x], (int16_t)c[x]);
}

static void halve_codes(uint16_t *restrict out, const uint16_t *restrict in, unsigned w)
{
    for (size_t x = 0; x < w; x++)
        out[x] = in[2 * x];
}

static void halve_mask(uint8_t *restrict out, const uint8_t *restrict in, unsigned w)
{
    for (size_t x = 0; x < w; x++)
        out[x] = in[2 * x];
}

static void band_codes(uint16_t *restrict band, const uint16_t *restrict codes,
                       const uint8_t *restrict mask, unsigned w, unsigned first_code,
                       unsigned n_codes)
{
    const int16_t offset = (int16_t)(first_code - 1), last = (int16_t)n_codes;
    VECTORS_OF(int16_t)
    for (unsigned x = 0; x < w; x++) {
        const int16_t code = (int16_t)((int16_t)codes[x] - offset);
        const int16_t inside = code > 0 ? code : 0;
        const int16_t known = inside <= last ? inside : 0;
        band[x] = (uint16_t)(known & -(int16_t)mask[x]);
    }
}

/* Four codes or counts at a time, in either byte order. */
static inline uint64_t load_four(const uint16_t *row)
{
    uint64_t four;
    memcpy(&four, row, sizeof(four));
    return four;
}

static inline bool is_uniform(const uint16_t *block)
{
    const uint64_t first = block[0] * UINT64_C(0x0001000100010001);
    uint64_t difference = 0;
    for (int i = 0; i < CAMBI_RUN_LENGTH; i += 4)
        difference |= load_four(block + i) ^ first;
    return !difference;
}

static unsigned find_runs(CambiRun *restrict runs, uint32_t *restrict begins,
                          const uint16_t *restrict band, unsigned w)
{
    /* Inside of blocks boundaries are hard to predict: both loops write every element and move on
     * only past those that count. */
    unsigned n_begins = 0;
    for (unsigned block = 0; block < w; block += CAMBI_RUN_LENGTH) {
        begins[n_begins++] = block;
        if (is_uniform(band + block))
            continue;
        const unsigned end = block + CAMBI_RUN_LENGTH < w ? block + CAMBI_RUN_LENGTH : w;
        for (unsigned x = block + 1; x < end; x++) {
            begins[n_begins] = x;
            n_begins += band[x] != band[x - 1];
        }
    }
    begins[n_begins] = w;

    unsigned n_runs = 0;
    for (unsigned i = 0; i < n_begins; i++) {
        const uint32_t x = begins[i];
        runs[n_runs] = (CambiRun){x, band[x], (uint16_t)(begins[i + 1] - x)};
        n_runs += band[x] != 0;
    }
    return n_runs;
}

/* Where a run touches the counts: whole vectors, so that each is stored and loaded again in the
 * same way. */
enum { BLOCK = 8 };

typedef struct Touched {
    uint16_t *count;
    const uint16_t *change;
    unsigned n_blocks;
} Touched;

static inline Touched touched(const CambiCounts *counts, const CambiRun *run)
{
    const unsigned first = run->x + counts->margin - counts->radius;
    const unsigned skew = first % BLOCK;
    uint16_t *row = counts->count - counts->margin + run->code * counts->stride;
    return (Touched){
        .count = __builtin_assume_aligned(row + (first - skew), BLOCK * sizeof(uint16_t)),
        .change = counts->trapezium + run->length * counts->trapezium_stride - skew,
        .n_blocks = (skew + run->length + 2 * counts->radius + BLOCK - 1) / BLOCK,
    };
}

static void add_runs(const CambiCounts *counts, const CambiRun *runs, unsigned n_runs)
{
    for (unsigned r = 0; r < n_runs; r++) {
        const Touched t = touched(counts, &runs[r]);
        uint16_t *restrict count = t.count;
        const uint16_t *restrict change = t.change;
        for (unsigned b = 0; b < t.n_blocks; b++, count += BLOCK, change += BLOCK) {
            for (int i = 0; i < BLOCK; i++)
                count[i] = (uint16_t)(count[i] + change[i]);
        }
    }
}

static void remove_runs(const CambiCounts *counts, const CambiRun *runs, unsigned n_runs)
{
    for (unsigned r = 0; r < n_runs; r++) {
        const Touched t = touched(counts, &runs[r]);
        uint16_t *restrict count = t.count;
        const uint16_t *restrict change = t.change;
        for (unsigned b = 0; b < t.n_blocks; b++, count += BLOCK, change += BLOCK) {
            for (int i = 0; i < BLOCK; i++)
                count[i] = (uint16_t)(count[i] - change[i]);
        }
    }
}

/*
 * Four pixels at a time. Those beyond the end of the run have counts too; their contrasts are
 * overwritten by those of the next run. Counts, and counts times weights, are exact as binary32, so
 * that their product is rounded once.
 */
static unsigned contrasts(float *restrict out, const CambiRun *runs, unsigned n_runs,
                          const CambiCounts *counts, const CambiContrasts *how)
{
    enum { GROUP = 4 };
    const ptrdiff_t stride = counts->stride;
    const float *reciprocals = how->reciprocals;
    unsigned n = 0;
    for (unsigned r = 0; r < n_runs; r++) {
        const unsigned length = runs[r].length;
        const uint32_t steps = how->steps[runs[r].code];
        const uint16_t *count = counts->count + runs[r].code * stride + runs[r].x;
        for (unsigned i = 0; i < length; i += GROUP, count += GROUP) {
            float strongest[GROUP] = {0};
            for (uint32_t left = steps; left; left &= left - 1) {
                const int step = __builtin_ctz(left);
                const uint16_t *up = count + (step + 1) * stride;
                const uint16_t *down = count - (step + 1) * stride;
                if (!(load_four(up) | load_four(down)))
                    continue;
                const int weight = how->weights[step];
                for (int j = 0; j < GROUP; j++) {
                    const int other = up[j] > down[j] ? up[j] : down[j];
                    const float product = (float)(weight * count[j]) * (float)other;
                    const float contrast = product * reciprocals[count[j] + other];
                    strongest[j] = contrast > strongest[j] ? contrast : strongest[j];
                }
            }
            memcpy(out + n + i, strongest, sizeof(strongest));
        }
        n += length;
    }
    return n;
}

static void tally(CambiTally *t, const float *contrasts, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        int32_t bits;
        memcpy(&bits, &contrasts[i], sizeof(bits));
        const int32_t class = (bits >> CAMBI_TALLY_SHIFT) - (CAMBI_TALLY_FIRST - 1);
        const int table = i % CAMBI_TALLY_TABLES, index = class > 0 ? class : 0;
        t->table[table][index].count++;
        t->table[table][index].bits += (uint32_t)bits;
    }
}

void ISA_VARIANT(cambi_functions_fill)(CambiFunctions *functions)
{
    *functions = (CambiFunctions){
        .used_bits = used_bits,
        .codes_of_bytes = codes_of_bytes,
        .codes_of_words = codes_of_words,
        .smooth = smooth,
        .flatness = flatness,
        .slide = slide,
        .threshold_sums = threshold_sums,
        .mode_of_three = mode_of_three,
        .halve_codes = halve_codes,
        .halve_mask = halve_mask,
        .band_codes = band_codes,
        .find_runs = find_runs,
        .add_runs = add_runs,
        .remove_runs = remove_runs,
        .contrasts = contrasts,
        .tally = tally,
    };
}
