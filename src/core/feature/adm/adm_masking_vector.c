/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "feature/adm/adm_kernels.h"
#include "support/vector.h"

/*
 * Contrast masking with vectors; see adm_masking.c. Energies are unsigned as long as magnitudes
 * stay below 2^30; where one does not, the scalar functions repeat the row.
 */

static AdmKernels scalar_kernels(void)
{
    AdmKernels kernels;
    adm_kernels_fill_masking_scalar(&kernels);
    return kernels;
}

/* Elements begin .. of which those from `end` on are cleared. */
static inline Vec columns_before(int begin, int end)
{
    return vec_greater_32s(vec_set_32(end - begin), vec_index_32());
}

static inline Vec odd(Vec v)
{
    return vec_shift_right_64u(v, 32);
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
    for (int x = columns.begin; x < columns.end; x += VEC_32)
        vec_store(row->neighbours + x,
                  vec_add_32(vec_add_32(vec_load(terms + x - 1), vec_load(terms + x)),
                             vec_load(terms + x + 1)));
}

static inline Vec threshold(const AdmEnergy *row, int x)
{
    const Vec neighbours =
        vec_add_32(vec_add_32(vec_load(row->neighbours[0] + x), vec_load(row->neighbours[1] + x)),
                   vec_load(row->neighbours[2] + x));
    return vec_add_32(neighbours, vec_load(row->centre + x));
}

/* -- cubes -- */

/* Sum over columns of (m^2 / 2^square_shift) m / 2^cube_shift, both quotients rounded. */
typedef struct Cubes {
    Vec square_half, square_shift, cube_half, cube_shift;
    Vec sum;
} Cubes;

static Cubes cubes_init(int square_shift, int cube_shift)
{
    return (Cubes){
        .square_half = vec_set_64((int64_t)1 << square_shift >> 1),
        .square_shift = vec_set_64(square_shift),
        .cube_half = vec_set_64((int64_t)1 << cube_shift >> 1),
        .cube_shift = vec_set_64(cube_shift),
        .sum = vec_zero(),
    };
}

static inline void cubes_add_even(Cubes *cubes, Vec m)
{
    const Vec square = vec_shift_right_each_64u(vec_add_64(vec_mul_32u(m, m), cubes->square_half),
                                                cubes->square_shift);
    const Vec cube = vec_shift_right_each_64u(vec_add_64(vec_mul_32u(square, m), cubes->cube_half),
                                              cubes->cube_shift);
    cubes->sum = vec_add_64(cubes->sum, cube);
}

/* 32-bit magnitudes below 2^30. */
static inline void cubes_add(Cubes *cubes, Vec m)
{
    cubes_add_even(cubes, m);
    cubes_add_even(cubes, odd(m));
}

/* What remains of a weighted coefficient above the threshold. */
static inline Vec visible(Vec weighted, Vec raised)
{
    return vec_max_32s(vec_sub_32(vec_abs_32(weighted), raised), vec_zero());
}

/* Whether a sum of bits has any that makes magnitudes too large for cubes_add(). */
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
 * less than one half: one in the upper 16 bits of the product, unless the lower ones are zero. */
static inline Vec strength_diagonal(Vec y, Weight16 weight)
{
    const Vec high = vec_add_16(vec_mul_high_16s(y, weight.factor), vec_and(y, weight.upper));
    const Vec low = vec_mul_low_16(y, weight.factor);
    return vec_abs_16(vec_shift_right_16s(vec_add_16(high, vec_min_16u(low, vec_set_16(1))), 1));
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

/* Adds the bands in 32 bits. Each argument has those of two bands in pairs; the last one the two
 * contributions of the third. */
static inline void store_contributions(Vec neighbours, Vec centres, Vec third, int32_t *terms,
                                       int32_t *centre)
{
    const Vec both = vec_set_pair_16(1, 1);
    const Vec two_neighbours = vec_multiply_add(neighbours, both);
    vec_store(terms, vec_add_32(two_neighbours, vec_multiply_add(third, vec_set_pair_16(1, 0))));
    vec_store(centre, vec_add_32(vec_sub_32(vec_multiply_add(centres, both), two_neighbours),
                                 vec_multiply_add(third, vec_set_pair_16(-1, 1))));
}

static void masking_16(const AdmMasking *row)
{
    const AdmRange columns = contributing(row);
    const Weight16 wh = weight16(row->weights[BAND_H]), wv = weight16(row->weights[BAND_V]);
    const Weight16 wd = weight16(row->weights[BAND_D]);
    for (int x = columns.begin; x < columns.end; x += VEC_16) {
        Vec y[ADM_BANDS];
        for (int b = 0; b < ADM_BANDS; b++)
            y[b] = vec_natural_before_interleave(vec_load((const int16_t *)row->signal[b] + x));
        const Contribution h = contribution(strength(y[BAND_H], wh));
        const Contribution v = contribution(strength(y[BAND_V], wv));
        const Contribution d = contribution(strength_diagonal(y[BAND_D], wd));
        int32_t *const terms = row->workspace + x, *const centre = row->centre + x;
        store_contributions(vec_interleave_low_16(h.neighbour, v.neighbour),
                            vec_interleave_low_16(h.centre, v.centre),
                            vec_interleave_low_16(d.neighbour, d.centre), terms, centre);
        store_contributions(vec_interleave_high_16(h.neighbour, v.neighbour),
                            vec_interleave_high_16(h.centre, v.centre),
                            vec_interleave_high_16(d.neighbour, d.centre), terms + VEC_32,
                            centre + VEC_32);
    }
    sum_columns(row);
}

static inline Vec raise_16(Vec threshold_, int band)
{
    return band == BAND_D ? vec_shift_left_32(threshold_, 12) : vec_shift_left_32(threshold_, 10);
}

/* Energies of two vectors of 32-bit elements of all bands; `bits` collects what magnitudes have. */
static inline __attribute__((always_inline)) void add_energies_16(const AdmEnergy *row, int x,
                                                                  bool partial,
                                                                  const Vec weights[ADM_BANDS],
                                                                  Cubes cubes[ADM_BANDS], Vec *bits)
{
    const Vec first_threshold = threshold(row, x), second_threshold = threshold(row, x + VEC_32);
    for (int b = 0; b < ADM_BANDS; b++) {
        const Vec y = vec_natural_before_interleave(vec_load((const int16_t *)row->target[b] + x));
        Vec first = visible(vec_multiply_add(vec_interleave_low_16(y, y), weights[b]),
                            raise_16(first_threshold, b));
        Vec second = visible(vec_multiply_add(vec_interleave_high_16(y, y), weights[b]),
                             raise_16(second_threshold, b));
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
    Vec weights[ADM_BANDS], bits = vec_zero();
    Cubes cubes[ADM_BANDS];
    /* A weight is split into two signed factors, which 65535 does not allow. */
    bool large = false;
    for (int b = 0; b < ADM_BANDS; b++) {
        const int weight = (int)(row->weights[b] & UINT16_MAX);
        large |= weight == UINT16_MAX;
        weights[b] = vec_set_pair_16(weight / 2, weight - weight / 2);
        cubes[b] = cubes_init(b == BAND_D ? 30 : 29, row->shift[b]);
    }
    int x = row->columns.begin;
    for (; x + VEC_16 <= row->columns.end; x += VEC_16)
        add_energies_16(row, x, false, weights, cubes, &bits);
    if (x < row->columns.end)
        add_energies_16(row, x, true, weights, cubes, &bits);
    for (int b = 0; b < ADM_BANDS; b++)
        sums[b] = vec_sum_64(cubes[b].sum);
    if (large || is_large(bits))
        scalar_kernels().energy_16(row, sums);
}

/* Of magnitudes up to 2^15 in 32-bit elements: pairs with zero, to be squared as 16 bits. */
static inline Vec cubes_of_half(Vec m)
{
    const Vec square = vec_multiply_add(m, m);
    return vec_add_64(vec_mul_32u(square, m), vec_mul_32u(odd(square), odd(m)));
}

static uint64_t cubes_16(const int16_t *band, AdmRange columns)
{
    Vec sum = vec_zero();
    const Vec zero = vec_zero();
    for (int x = columns.begin; x < columns.end; x += VEC_16) {
        Vec m = vec_abs_16(vec_load(band + x));
        if (x + VEC_16 > columns.end) {
            const Vec first = columns_before(x, columns.end);
            const Vec second = columns_before(x + VEC_32, columns.end);
            m = vec_and(m, vec_pack_natural_32s(first, second));
        }
        sum = vec_add_64(sum, cubes_of_half(vec_interleave_low_16(m, zero)));
        sum = vec_add_64(sum, cubes_of_half(vec_interleave_high_16(m, zero)));
    }
    return vec_sum_64(sum);
}

/* -- coarser scales -- */

/* Weighted coefficients, as target and as masker, for weights below 2^31. */
static inline Vec weighted_32(Vec y, Vec weight)
{
    const Vec half = vec_set_64((int64_t)1 << 27);
    const Vec even_product = vec_add_64(vec_mul_32s(y, weight), half);
    const Vec odd_product = vec_add_64(vec_mul_32s(odd(y), weight), half);
    return vec_blend_32(vec_shift_right_64u(even_product, 28), vec_shift_left_64(odd_product, 4));
}

/* (gain c - 2^31) >> 32. The reference values have minus one half where rounding would have
 * plus. */
static inline Vec scaled_strength(Vec c, Vec gain)
{
    const Vec half = vec_set_64((int64_t)1 << 31);
    const Vec even_product = vec_sub_64(vec_mul_32u(c, gain), half);
    const Vec odd_product = vec_sub_64(vec_mul_32u(odd(c), gain), half);
    return vec_blend_32(odd(even_product), odd_product);
}

static bool has_large_weight(const uint32_t weights[ADM_BANDS])
{
    return (weights[0] | weights[1] | weights[2]) >> 31;
}

static void masking_32(const AdmMasking *row)
{
    if (has_large_weight(row->weights)) {
        scalar_kernels().masking_32(row);
        return;
    }
    const Vec neighbour_gain = vec_set_32(ADM_NEIGHBOUR_PART_32),
              centre_gain = vec_set_32(ADM_CENTRE_PART_32);
    const AdmRange columns = contributing(row);
    for (int x = columns.begin; x < columns.end; x += VEC_32) {
        Vec neighbours = vec_zero(), own = vec_zero();
        for (int b = 0; b < ADM_BANDS; b++) {
            const Vec y = vec_load((const int32_t *)row->signal[b] + x);
            const Vec c = vec_abs_32(weighted_32(y, vec_set_32((int32_t)row->weights[b])));
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
        scalar_kernels().energy_32(row, sums);
        return;
    }
    Vec bits = vec_zero();
    Cubes cubes[ADM_BANDS];
    for (int b = 0; b < ADM_BANDS; b++)
        cubes[b] = cubes_init(30, row->shift[b]);
    for (int x = row->columns.begin; x < row->columns.end; x += VEC_32) {
        const Vec raised = threshold(row, x);
        const Vec inside = columns_before(x, row->columns.end);
        for (int b = 0; b < ADM_BANDS; b++) {
            const Vec y = vec_load((const int32_t *)row->target[b] + x);
            const Vec weighted = weighted_32(y, vec_set_32((int32_t)row->weights[b]));
            const Vec m = vec_and(visible(weighted, raised), inside);
            if (vec_is_zero(m))
                continue;
            bits = vec_or(bits, m);
            cubes_add(&cubes[b], m);
        }
    }
    for (int b = 0; b < ADM_BANDS; b++)
        sums[b] = vec_sum_64(cubes[b].sum);
    if (is_large(bits))
        scalar_kernels().energy_32(row, sums);
}

/* ((m^2 >> square_shift) + 1) m / 2^cube_shift, the latter rounded, of even elements. */
static inline Vec reduced_cube(Vec m, Vec square_shift, Vec cube_half, Vec cube_shift)
{
    const Vec square =
        vec_add_64(vec_shift_right_each_64u(vec_mul_32u(m, m), square_shift), vec_set_64(1));
    return vec_shift_right_each_64u(vec_add_64(vec_mul_32u(square, m), cube_half), cube_shift);
}

static uint64_t cubes_32(const int32_t *band, AdmRange columns, int square_shift, int cube_shift)
{
    const Vec square_bits = vec_set_64(square_shift), cube_bits = vec_set_64(cube_shift);
    const Vec half = vec_set_64((int64_t)1 << cube_shift >> 1);
    Vec sum = vec_zero();
    for (int x = columns.begin; x < columns.end; x += VEC_32) {
        Vec m = vec_abs_32(vec_load(band + x));
        if (x + VEC_32 > columns.end)
            m = vec_and(m, columns_before(x, columns.end));
        sum = vec_add_64(sum, reduced_cube(m, square_bits, half, cube_bits));
        sum = vec_add_64(sum, reduced_cube(odd(m), square_bits, half, cube_bits));
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
