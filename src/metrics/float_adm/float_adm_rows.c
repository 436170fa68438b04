/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <math.h>

#include "metrics/float_adm/float_adm_internal.h"
#include "metrics/float_adm/float_adm_kernel.h"

/* The row functions of float_adm: wavelet transform, decoupling, masking. */

/*
 * One level of the wavelet transform (Daubechies "db2"): a vertical pass over four rows into a low
 * and a high row, then a horizontal pass with decimation over each.
 */

static const float low0 = FLOAT_ADM_LOW0, low1 = FLOAT_ADM_LOW1;
static const float low2 = FLOAT_ADM_LOW2, low3 = FLOAT_ADM_LOW3;

/* The four-tap filters. The high-pass taps are the low-pass ones backwards, every other negated. */
static inline float low_pass(float x0, float x1, float x2, float x3)
{
    return low0 * x0 + low1 * x1 + low2 * x2 + low3 * x3;
}

static inline float high_pass(float x0, float x1, float x2, float x3)
{
    return low3 * x0 - low2 * x1 + low1 * x2 - low0 * x3;
}

/* Continues a row of so many columns by what a filter may read beyond its ends. */
static void mirror_ends(FloatAdmSplitRow row, int size)
{
    const int half = size / 2;
    row.odd[-1] = row.odd[0];
    if (size % 2 == 0) {
        row.even[half] = row.odd[half - 1];
    } else {
        row.odd[half] = row.even[half];
        row.even[half + 1] = row.odd[half - 1];
    }
}

static inline __attribute__((always_inline)) void convert_luma(const FloatAdmLumaRow *row,
                                                               bool deep)
{
    const uint8_t *restrict bytes = row->samples;
    const uint16_t *restrict words = row->samples;
    float *restrict even = row->output.even, *restrict odd = row->output.odd;
    const int mid = 1 << row->depth >> 1;
    const float unit = ldexpf(1.0F, 8 - row->depth);

    const int end = adm_min(row->columns.end + 1, row->size) / 2;
    for (int i = row->columns.begin / 2; i < end; i++) {
        const int left = deep ? words[2 * i] : bytes[2 * i];
        const int right = deep ? words[2 * i + 1] : bytes[2 * i + 1];
        /* Exact, as everything here. */
        even[i] = (float)(left - mid) * unit;
        odd[i] = (float)(right - mid) * unit;
    }
    if (row->size % 2) {
        const int last = deep ? words[row->size - 1] : bytes[row->size - 1];
        even[row->size / 2] = (float)(last - mid) * unit;
    }
    mirror_ends(row->output, row->size);
}

static void luma8(const FloatAdmLumaRow *row)
{
    convert_luma(row, false);
}

static void luma16(const FloatAdmLumaRow *row)
{
    convert_luma(row, true);
}

static void vertical_low(const float *restrict x0, const float *restrict x1,
                         const float *restrict x2, const float *restrict x3, int begin, int end,
                         float *restrict low)
{
    for (int i = begin; i < end; i++)
        low[i] = low_pass(x0[i], x1[i], x2[i], x3[i]);
}

static void vertical_both(const float *restrict x0, const float *restrict x1,
                          const float *restrict x2, const float *restrict x3, int begin, int end,
                          float *restrict low, float *restrict high)
{
    for (int i = begin; i < end; i++) {
        low[i] = low_pass(x0[i], x1[i], x2[i], x3[i]);
        high[i] = high_pass(x0[i], x1[i], x2[i], x3[i]);
    }
}

static void horizontal_low(const float *restrict even, const float *restrict odd, AdmRange columns,
                           float *restrict low)
{
    for (int i = columns.begin; i < columns.end; i++)
        low[i] = low_pass(odd[i - 1], even[i], odd[i], even[i + 1]);
}

static void horizontal_high(const float *restrict even, const float *restrict odd, AdmRange columns,
                            float *restrict high)
{
    for (int i = columns.begin; i < columns.end; i++)
        high[i] = high_pass(odd[i - 1], even[i], odd[i], even[i + 1]);
}

static void horizontal_both(const float *restrict even, const float *restrict odd, AdmRange columns,
                            float *restrict low, float *restrict high)
{
    for (int i = columns.begin; i < columns.end; i++) {
        low[i] = low_pass(odd[i - 1], even[i], odd[i], even[i + 1]);
        high[i] = high_pass(odd[i - 1], even[i], odd[i], even[i + 1]);
    }
}

static void split(const float *restrict row, AdmRange columns, int size, FloatAdmSplitRow output)
{
    float *restrict even = output.even, *restrict odd = output.odd;
    for (int i = columns.begin / 2; i < (columns.end + 1) / 2; i++) {
        even[i] = row[2 * i];
        odd[i] = row[2 * i + 1];
    }
    mirror_ends(output, size);
}

static void wavelet(const FloatAdmWaveletRow *row)
{
    const FloatAdmSplitRow *const x = row->input;
    const bool approx = adm_range_length(row->approx) > 0;
    const bool detail = adm_range_length(row->detail) > 0;
    const AdmRange columns = !detail   ? row->approx
                             : !approx ? row->detail
                                       : (AdmRange){adm_min(row->approx.begin, row->detail.begin),
                                                    adm_max(row->approx.end, row->detail.end)};
    const int begin = columns.begin - 1, end = columns.end + 1;
    if (detail) {
        vertical_both(x[0].even, x[1].even, x[2].even, x[3].even, begin, end, row->low.even,
                      row->high.even);
        vertical_both(x[0].odd, x[1].odd, x[2].odd, x[3].odd, begin, end, row->low.odd,
                      row->high.odd);
        horizontal_both(row->high.even, row->high.odd, row->detail, row->bands[BAND_H],
                        row->bands[BAND_D]);
    } else {
        vertical_low(x[0].even, x[1].even, x[2].even, x[3].even, begin, end, row->low.even);
        vertical_low(x[0].odd, x[1].odd, x[2].odd, x[3].odd, begin, end, row->low.odd);
    }
    if (approx && detail)
        horizontal_both(row->low.even, row->low.odd, columns, row->whole_a, row->bands[BAND_V]);
    else if (approx)
        horizontal_low(row->low.even, row->low.odd, columns, row->whole_a);
    else if (detail)
        horizontal_high(row->low.even, row->low.odd, columns, row->bands[BAND_V]);
    if (approx)
        split(row->whole_a, row->approx, row->size, row->a);
}

/*
 * Decoupling of detail loss and additive impairment (Li et al., section III): what is left of a
 * reference coefficient o in the distorted coefficient t is r = k o with k = t / o limited to
 * 0..1. Where the distorted detail points in the same direction as the reference, that is, is the
 * reference with more contrast, r may exceed o by a factor up to the gain limit. The rest of the
 * distorted coefficient, t - r, is the impairment.
 */

static const float same_direction = FLOAT_ADM_SAME_DIRECTION;

static const double neighbour_masking = FLOAT_ADM_NEIGHBOUR_MASKING;

/* Selections by masks: compilers that see comparisons make branches of some, and no vectors. */
static inline uint32_t mask_of(bool condition)
{
    return -(uint32_t)condition;
}

static inline float selected(uint32_t mask, float a, float b)
{
    return float_of_bits((bits_of_float(a) & mask) | (bits_of_float(b) & ~mask));
}

static inline float flipped(float x, uint32_t sign)
{
    return float_of_bits(bits_of_float(x) ^ sign);
}

/* A mask of where the angle between the vectors (h, v) of reference and distorted picture is below
 * one degree. */
static void find_near(const float *restrict ref_h, const float *restrict ref_v,
                      const float *restrict dist_h, const float *restrict dist_v, AdmRange columns,
                      uint32_t *restrict near)
{
    for (int x = columns.begin; x < columns.end; x++) {
        const float inner = ref_h[x] * dist_h[x] + ref_v[x] * dist_v[x];
        const float ref_energy = ref_h[x] * ref_h[x] + ref_v[x] * ref_v[x];
        const float dist_energy = dist_h[x] * dist_h[x] + dist_v[x] * dist_v[x];
        const float limit = same_direction * ref_energy * dist_energy;
        near[x] = mask_of(inner >= 0.0F) & mask_of(inner * inner >= limit);
    }
}

/* r G, rounded to binary32 once: where G is a binary32 number, too, its product with r is exact in
 * binary64, and multiplication in binary32 gives the same. */
static inline float amplified(float r, double gain_limit, bool simple)
{
    return simple ? r * (float)gain_limit : (float)(r * gain_limit);
}

static inline float rest_of(float o, float t, uint32_t near, double gain_limit, bool simple)
{
    float k = t * float_adm_reciprocal(o + FLOAT_ADM_TINY);
    k = selected(mask_of(k > 0.0F), k, 0.0F);
    k = selected(mask_of(k < 1.0F), k, 1.0F);
    const float r = k * o;

    /* Negative numbers are limited like their magnitudes. */
    const uint32_t sign = bits_of_float(r) & FLOAT_ADM_SIGN;
    const float limit = flipped(amplified(r, gain_limit, simple), sign),
                distorted = flipped(t, sign);
    const float limited = flipped(selected(mask_of(limit < distorted), limit, distorted), sign);
    return selected(near & mask_of(r != 0.0F), limited, r);
}

static inline __attribute__((always_inline)) void
decouple_band(const float *restrict ref, const float *restrict dist, const uint32_t *restrict near,
              AdmRange columns, double gain_limit, bool simple, float *restrict restored,
              float *restrict added)
{
    for (int x = columns.begin; x < columns.end; x++) {
        const float r = rest_of(ref[x], dist[x], near[x], gain_limit, simple);
        restored[x] = r;
        added[x] = dist[x] - r;
    }
}

static void weigh_band(float *restrict band, AdmRange columns, float weight,
                       float *restrict masking)
{
    for (int x = columns.begin; x < columns.end; x++) {
        const float magnitude = fabsf(weight * band[x]);
        band[x] = magnitude;
        masking[x] = (float)(neighbour_masking * magnitude);
    }
}

/* Left of the band its column 1 is repeated, right of it the last one. */
static void mirror_masking_ends(float *row, AdmRange columns, int size)
{
    if (columns.begin == 0)
        row[-1] = row[1];
    if (columns.end == size)
        row[size] = row[size - 1];
}

static void decouple(const FloatAdmDecouple *row)
{
    find_near(row->ref[BAND_H], row->ref[BAND_V], row->dist[BAND_H], row->dist[BAND_V],
              row->columns, row->near);
    for (int b = 0; b < ADM_BANDS; b++) {
        if ((float)row->gain_limit == row->gain_limit)
            decouple_band(row->ref[b], row->dist[b], row->near, row->columns, row->gain_limit, true,
                          row->restored[b], row->added[b]);
        else
            decouple_band(row->ref[b], row->dist[b], row->near, row->columns, row->gain_limit,
                          false, row->restored[b], row->added[b]);
        weigh_band(row->restored[b], row->columns, row->weights[b], row->restored_masking[b]);
        weigh_band(row->added[b], row->columns, row->weights[b], row->added_masking[b]);
        mirror_masking_ends(row->restored_masking[b], row->columns, row->size);
        mirror_masking_ends(row->added_masking[b], row->columns, row->size);
    }
}

/*
 * Contrast masking (Li et al., section IV): detail hides in detail. Each weighted coefficient of
 * the masking signal raises the visibility threshold at its own place and at the eight places
 * around it, in all three bands. What of the target signal exceeds the threshold is raised to the
 * power of the norm and summed.
 *
 * Additions are done in the order in which they are written, as the definition has them.
 */

static const double own_masking = FLOAT_ADM_OWN_MASKING;

static inline __attribute__((always_inline)) void
add_threshold(const float *restrict above, const float *restrict here, const float *restrict below,
              const float *restrict magnitude, AdmRange columns, bool first,
              float *restrict threshold)
{
    for (int x = columns.begin; x < columns.end; x++) {
        float sum = above[x - 1] + above[x] + above[x + 1] + here[x - 1];
        sum = (float)(sum + own_masking * magnitude[x]);
        sum = sum + here[x + 1] + below[x - 1] + below[x] + below[x + 1];
        threshold[x] = first ? sum : threshold[x] + sum;
    }
}

static inline __attribute__((always_inline)) void excess(const float *restrict target,
                                                         const float *restrict threshold,
                                                         AdmRange columns, bool cube,
                                                         float *restrict terms)
{
    for (int x = columns.begin; x < columns.end; x++) {
        const float difference = target[x] - threshold[x];
        const float v = difference > 0.0F ? difference : 0.0F;
        terms[x] = cube ? v * v * v : v;
    }
}

static inline __attribute__((always_inline)) void magnitudes(const float *restrict band,
                                                             AdmRange columns, float weight,
                                                             bool cube, float *restrict terms)
{
    for (int x = columns.begin; x < columns.end; x++) {
        const float v = fabsf(weight * band[x]);
        terms[x] = cube ? v * v * v : v;
    }
}

static void find_threshold(const FloatAdmVisible *row)
{
    for (int b = 0; b < ADM_BANDS; b++) {
        const float *const *masking = row->masking[b];
        if (b == 0)
            add_threshold(masking[0], masking[1], masking[2], row->masker[b], row->columns, true,
                          row->threshold);
        else
            add_threshold(masking[0], masking[1], masking[2], row->masker[b], row->columns, false,
                          row->threshold);
    }
}

static void visible(const FloatAdmVisible *row)
{
    if (row->bypass) {
        for (int x = row->columns.begin; x < row->columns.end; x++)
            row->threshold[x] = 0.0F;
    } else {
        find_threshold(row);
    }
    for (int b = 0; b < ADM_BANDS; b++) {
        if (row->cube)
            excess(row->target[b], row->threshold, row->columns, true, row->terms[b]);
        else
            excess(row->target[b], row->threshold, row->columns, false, row->terms[b]);
    }
}

static void reference(const FloatAdmReference *row)
{
    for (int b = 0; b < ADM_BANDS; b++) {
        if (row->cube)
            magnitudes(row->ref[b], row->columns, row->weights[b], true, row->terms[b]);
        else
            magnitudes(row->ref[b], row->columns, row->weights[b], false, row->terms[b]);
    }
}

/* Nine chains of additions side by side hide the latency of each. */
static void sum(FloatAdmTerms terms, AdmRange columns, FloatAdmSums sums)
{
    FloatAdmSums total = {{0}};
    for (int x = columns.begin; x < columns.end; x++)
        for (int q = 0; q < FLOAT_ADM_QUANTITIES; q++)
            for (int b = 0; b < ADM_BANDS; b++)
                total[q][b] += terms[q][b][x];
    for (int q = 0; q < FLOAT_ADM_QUANTITIES; q++)
        for (int b = 0; b < ADM_BANDS; b++)
            sums[q][b] = total[q][b];
}

void ISA_VARIANT(float_adm_functions_fill)(FloatAdmFunctions *functions)
{
    functions->luma8 = luma8;
    functions->luma16 = luma16;
    functions->wavelet = wavelet;
    functions->decouple = decouple;
    functions->visible = visible;
    functions->reference = reference;
    functions->sum = sum;
}
