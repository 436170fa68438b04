/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/adm/adm_internal.h"
#include "support/vector.h"

/*
 * Contrast masking with vectors; see adm_masking_scalar.c. Energies are unsigned as long as
 * magnitudes stay below 2^30; where one does not, the portable functions repeat the row.
 */

static AdmKernels portable_kernels(void)
{
    AdmKernels kernels;
    adm_kernels_fill_masking_portable(&kernels);
    return kernels;
}

/* Elements begin .. of which those from `end` on are cleared. */
static inline Vec columns_before(ptrdiff_t begin, int end)
{
    return vec_greater_32s(vec_set_32((int32_t)(end - begin)), vec_index_32());
}

/* The columns with a contribution to those of the row. */
static AdmRange contributing(const AdmMasking *row)
{
    return (AdmRange){adm_max(0, row->columns.begin - 1),
                      adm_min(row->band_columns, row->columns.end + 1)};
}

/* Sums contributions over three columns. Left of the band its column 1 is repeated, right of it
 * the last one. */
static void sum_columns(const AdmMasking *row)
{
    int32_t *terms = row->workspace;
    const AdmRange columns = row->columns;
    if (columns.begin == 0)
        terms[-1] = terms[1];
    if (columns.end == row->band_columns)
        terms[columns.end] = terms[columns.end - 1];
    for (ptrdiff_t x = columns.begin; x < columns.end; x += VEC_32)
        vec_store(row->neighbours + x,
                  vec_add_32(vec_add_32(vec_load(terms + x - 1), vec_load(terms + x)),
                             vec_load(terms + x + 1)));
}

static inline Vec threshold(const AdmEnergy *row, ptrdiff_t x)
{
    const Vec neighbours =
        vec_add_32(vec_add_32(vec_load(row->neighbours[0] + x), vec_load(row->neighbours[1] + x)),
                   vec_load(row->neighbours[2] + x));
    return vec_add_32(neighbours, vec_load(row->centre + x));
}

/* -- cubes -- */

/* Sum over columns of (m^2 / 2^square_shift) m / 2^cube_shift, both quotients rounded. */
typedef struct Cubes {
    VecRoundShift square_shift, cube_shift;
    Vec sum;
} Cubes;

static Cubes cubes_init(int square_shift, int cube_shift)
{
    return (Cubes){vec_round_shift(square_shift), vec_round_shift(cube_shift), vec_zero()};
}

/* 32-bit magnitudes below 2^30. */
static inline void cubes_add(Cubes *cubes, Vec m)
{
    VecPair v = vec_products_32u(m, m);
    v.low = vec_round_shift_right_64u(v.low, cubes->square_shift);
    v.high = vec_round_shift_right_64u(v.high, cubes->square_shift);
    v = vec_products_lower_32u(v, m);
    cubes->sum = vec_add_64(cubes->sum, vec_round_shift_right_64u(v.low, cubes->cube_shift));
    cubes->sum = vec_add_64(cubes->sum, vec_round_shift_right_64u(v.high, cubes->cube_shift));
}

/* What remains of a weighted coefficient above the threshold. */
static inline Vec visible(Vec weighted, Vec raised)
{
    return vec_max_32s(vec_sub_32(vec_abs_32(weighted), raised), vec_zero());
}

/* True if any of the bits that magnitudes have makes them too large for cubes_add(). */
static bool is_large(Vec bits)
{
    return !vec_is_zero(vec_shift_right_32u(bits, 30));
}

/* -- scale 0 -- */

/* A 16-bit unsigned weight as a signed factor, and a mask of the 65536 that it lacks. */
typedef struct Weight16 {
    Vec factor, upper;
} Weight16;

static Weight16 weight16(uint32_t weight)
{
    return (Weight16){vec_set_16((int16_t)weight), vec_set_16(weight >> 15 & 1 ? -1 : 0)};
}

/* Magnitudes of the weighted coefficients of a signal, rounded to 12 fractional bits. */
static inline Vec strength(Vec y, Weight16 weight)
{
    const Vec upper = vec_and(vec_add_16(y, y), weight.upper);
    return vec_abs_16(vec_add_16(vec_mul_round_16s(y, weight.factor), upper));
}

/* In the diagonal band there are two more bits to drop, and what is added before is 65535, one
 * less than one half: it rounds up the upper 16 bits of the product. */
static inline Vec strength_diagonal(Vec y, Weight16 weight)
{
    const Vec high = vec_add_16(vec_mul_high_up_16s(y, weight.factor), vec_and(y, weight.upper));
    return vec_abs_16(vec_shift_right_16s(high, 1));
}

/* Numerators over 4096 of 1/30 and 1/15 in 5 more fractional bits, less the whole part, in units
 * of 2^-15. */
enum {
    NEIGHBOUR_GAIN = (ADM_NEIGHBOUR_PART_16 - 4096) * 8,
    CENTRE_GAIN = (ADM_CENTRE_PART_16 - 8192) * 8
};

/* Contributions of a band, in 16 bits. A strength of 2^15, which has no signed equal, has the same
 * rounded part as the one below it. */
typedef struct Contribution {
    Vec neighbour, centre;
} Contribution;

static inline Contribution contribution(Vec c)
{
    const Vec limited = vec_min_16u(c, vec_set_16(INT16_MAX));
    return (Contribution){
        vec_add_16(c, vec_mul_round_16s(limited, vec_set_16(NEIGHBOUR_GAIN))),
        vec_add_16(vec_add_16(c, c), vec_mul_round_16s(limited, vec_set_16(CENTRE_GAIN))),
    };
}

/* Adds the bands in 32 bits. */
static inline void store_contributions(Contribution h, Contribution v, Contribution d,
                                       int32_t *terms, int32_t *centre)
{
    const VecPair neighbours = vec_widened_sum_16s(h.neighbour, v.neighbour);
    const VecPair own = vec_widened_sum_16s(h.centre, v.centre);
    VecPair d_neighbours, d_own;
    vec_widen_both_16s(d.neighbour, d.centre, &d_neighbours, &d_own);
    const Vec low = vec_add_32(neighbours.low, d_neighbours.low);
    const Vec high = vec_add_32(neighbours.high, d_neighbours.high);
    vec_store(terms, low);
    vec_store(terms + VEC_32, high);
    vec_store(centre, vec_sub_32(vec_add_32(own.low, d_own.low), low));
    vec_store(centre + VEC_32, vec_sub_32(vec_add_32(own.high, d_own.high), high));
}

/* Factors of -2^15, which no sensible weight has, may not meet coefficients of -2^15. */
static bool has_least_factor(const AdmMasking *row)
{
    return (row->weights[BAND_H] & UINT16_MAX) == 1 << 15 ||
           (row->weights[BAND_V] & UINT16_MAX) == 1 << 15;
}

static void masking_16(const AdmMasking *row)
{
    if (has_least_factor(row)) {
        portable_kernels().masking_16(row);
        return;
    }
    const AdmRange columns = contributing(row);
    const Weight16 wh = weight16(row->weights[BAND_H]), wv = weight16(row->weights[BAND_V]);
    const Weight16 wd = weight16(row->weights[BAND_D]);
    for (ptrdiff_t x = columns.begin; x < columns.end; x += VEC_16) {
        Vec y[ADM_BANDS];
        for (int b = 0; b < ADM_BANDS; b++)
            y[b] = vec_natural_before_interleave(vec_load((const int16_t *)row->signal[b] + x));
        store_contributions(
            contribution(strength(y[BAND_H], wh)), contribution(strength(y[BAND_V], wv)),
            contribution(strength_diagonal(y[BAND_D], wd)), row->workspace + x, row->centre + x);
    }
    sum_columns(row);
}

static inline Vec raise_16(Vec threshold_, int band)
{
    return band == BAND_D ? vec_shift_left_32(threshold_, 12) : vec_shift_left_32(threshold_, 10);
}

/* A 16-bit unsigned weight as the sum of two signed factors, which 65535 does not allow. */
typedef struct WeightHalves {
    int first, second;
} WeightHalves;

/* Energies of two vectors of 32-bit elements of all bands; `bits` collects what magnitudes have. */
static inline __attribute__((always_inline)) void
add_energies_16(const AdmEnergy *row, ptrdiff_t x, bool partial,
                const WeightHalves weights[ADM_BANDS], Cubes cubes[ADM_BANDS], Vec *bits)
{
    const Vec first_threshold = threshold(row, x), second_threshold = threshold(row, x + VEC_32);
    for (int b = 0; b < ADM_BANDS; b++) {
        const Vec y = vec_natural_before_interleave(vec_load((const int16_t *)row->target[b] + x));
        const VecPair weighted = vec_weighted_2(y, weights[b].first, y, weights[b].second);
        Vec first = visible(weighted.low, raise_16(first_threshold, b));
        Vec second = visible(weighted.high, raise_16(second_threshold, b));
        if (partial) {
            first = vec_and(first, columns_before(x, row->columns.end));
            second = vec_and(second, columns_before(x + VEC_32, row->columns.end));
        }
        const Vec any = vec_or(first, second);
        if (vec_is_zero(any)) /* as most of the impairment is */
            continue;
        *bits = vec_or(*bits, any);
        cubes_add(&cubes[b], first);
        cubes_add(&cubes[b], second);
    }
}

static void energy_16(const AdmEnergy *row, uint64_t sums[ADM_BANDS])
{
    WeightHalves weights[ADM_BANDS];
    Vec bits = vec_zero();
    Cubes cubes[ADM_BANDS];
    bool large = false;
    for (int b = 0; b < ADM_BANDS; b++) {
        const int weight = (int)(row->weights[b] & UINT16_MAX);
        large |= weight == UINT16_MAX;
        weights[b] = (WeightHalves){weight / 2, weight - weight / 2};
        cubes[b] = cubes_init(b == BAND_D ? 30 : 29, row->shift[b]);
    }
    ptrdiff_t x = row->columns.begin;
    for (; x + VEC_16 <= row->columns.end; x += VEC_16)
        add_energies_16(row, x, false, weights, cubes, &bits);
    if (x < row->columns.end)
        add_energies_16(row, x, true, weights, cubes, &bits);
    for (int b = 0; b < ADM_BANDS; b++)
        sums[b] = vec_sum_64(cubes[b].sum);
    if (large || is_large(bits))
        portable_kernels().energy_16(row, sums);
}

static inline Vec add_cubes_16(Vec sum, Vec m)
{
    const VecPair wide = vec_widen_16u(m);
    sum = vec_add_products_32u(sum, vec_square_small_32(wide.low), wide.low);
    return vec_add_products_32u(sum, vec_square_small_32(wide.high), wide.high);
}

static uint64_t cubes_16(const int16_t *band, AdmRange columns)
{
    Vec sum = vec_zero();
    ptrdiff_t x = columns.begin;
    for (; x + VEC_16 <= columns.end; x += VEC_16)
        sum = add_cubes_16(sum, vec_abs_16(vec_load(band + x)));
    if (x < columns.end) {
        const Vec inside = vec_pack_natural_32s(columns_before(x, columns.end),
                                                columns_before(x + VEC_32, columns.end));
        sum = add_cubes_16(sum, vec_and(vec_abs_16(vec_load(band + x)), inside));
    }
    return vec_sum_64(sum);
}

/* -- coarser scales -- */

/* Weighted coefficients, as target and as masker, for weights below 2^31. */
static inline Vec weighted_32(Vec y, Vec weight)
{
    const VecPair products = vec_products_32s(y, weight);
    return vec_narrow_rounded_64(products, 28);
}

/* (gain c - 2^31) >> 32. The reference values have minus one half where rounding would have
 * plus. */
static inline Vec scaled_strength(Vec c, Vec gain)
{
    return vec_high_of_difference_64(vec_products_32u(c, gain), vec_set_64(INT64_C(1) << 31));
}

static bool has_large_weight(const uint32_t weights[ADM_BANDS])
{
    return (weights[0] | weights[1] | weights[2]) >> 31;
}

static void masking_32(const AdmMasking *row)
{
    if (has_large_weight(row->weights)) {
        portable_kernels().masking_32(row);
        return;
    }
    const Vec neighbour_gain = vec_set_32(ADM_NEIGHBOUR_PART_32);
    const Vec centre_gain = vec_set_32(ADM_CENTRE_PART_32);
    Vec weights[ADM_BANDS];
    for (int b = 0; b < ADM_BANDS; b++)
        weights[b] = vec_set_32((int32_t)row->weights[b]);
    const AdmRange columns = contributing(row);
    for (ptrdiff_t x = columns.begin; x < columns.end; x += VEC_32) {
        Vec neighbours = vec_zero(), own = vec_zero();
        for (int b = 0; b < ADM_BANDS; b++) {
            const Vec y = vec_load((const int32_t *)row->signal[b] + x);
            const Vec c = vec_abs_32(weighted_32(y, weights[b]));
            neighbours = vec_add_32(neighbours, scaled_strength(c, neighbour_gain));
            own = vec_add_32(own, scaled_strength(c, centre_gain));
        }
        vec_store(row->workspace + x, neighbours);
        vec_store(row->centre + x, vec_sub_32(own, neighbours));
    }
    sum_columns(row);
}

static void energy_32(const AdmEnergy *row, uint64_t sums[ADM_BANDS])
{
    if (has_large_weight(row->weights)) {
        portable_kernels().energy_32(row, sums);
        return;
    }
    Vec bits = vec_zero(), weights[ADM_BANDS];
    Cubes cubes[ADM_BANDS];
    for (int b = 0; b < ADM_BANDS; b++) {
        weights[b] = vec_set_32((int32_t)row->weights[b]);
        cubes[b] = cubes_init(30, row->shift[b]);
    }
    for (ptrdiff_t x = row->columns.begin; x < row->columns.end; x += VEC_32) {
        const Vec raised = threshold(row, x);
        const Vec inside = columns_before(x, row->columns.end);
        for (int b = 0; b < ADM_BANDS; b++) {
            const Vec y = vec_load((const int32_t *)row->target[b] + x);
            const Vec m = vec_and(visible(weighted_32(y, weights[b]), raised), inside);
            if (vec_is_zero(m))
                continue;
            bits = vec_or(bits, m);
            cubes_add(&cubes[b], m);
        }
    }
    for (int b = 0; b < ADM_BANDS; b++)
        sums[b] = vec_sum_64(cubes[b].sum);
    if (is_large(bits))
        portable_kernels().energy_32(row, sums);
}

/* ((m^2 >> square_shift) + 1) m / 2^cube_shift, the latter rounded. */
static inline Vec add_reduced_cubes(Vec sum, Vec m, Vec square_bits, VecRoundShift cube_shift)
{
    const Vec one = vec_set_64(1);
    VecPair v = vec_products_32u(m, m);
    v.low = vec_add_64(vec_shift_right_each_64u(v.low, square_bits), one);
    v.high = vec_add_64(vec_shift_right_each_64u(v.high, square_bits), one);
    v = vec_products_lower_32u(v, m);
    sum = vec_add_64(sum, vec_round_shift_right_64u(v.low, cube_shift));
    return vec_add_64(sum, vec_round_shift_right_64u(v.high, cube_shift));
}

static uint64_t cubes_32(const int32_t *band, AdmRange columns, int square_shift, int cube_shift)
{
    const Vec square_bits = vec_set_64(square_shift);
    const VecRoundShift cube_rounding = vec_round_shift(cube_shift);
    Vec sum = vec_zero();
    ptrdiff_t x = columns.begin;
    for (; x + VEC_32 <= columns.end; x += VEC_32)
        sum = add_reduced_cubes(sum, vec_abs_32(vec_load(band + x)), square_bits, cube_rounding);
    if (x < columns.end) {
        const Vec m = vec_and(vec_abs_32(vec_load(band + x)), columns_before(x, columns.end));
        sum = add_reduced_cubes(sum, m, square_bits, cube_rounding);
    }
    return vec_sum_64(sum);
}

void ISA_VARIANT(adm_kernels_fill_masking)(AdmKernels *kernels)
{
    kernels->masking_16 = masking_16;
    kernels->masking_32 = masking_32;
    kernels->energy_16 = energy_16;
    kernels->energy_32 = energy_32;
    kernels->cubes_16 = cubes_16;
    kernels->cubes_32 = cubes_32;
}
