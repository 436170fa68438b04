/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/adm/adm_internal.h"
#include "metrics/adm/adm_wavelet_rows.h"
#include "support/vector.h"

/* The row functions of ADM with vectors, all but the wavelet transform of coarse scales. */

static AdmFunctions portable_functions(void)
{
    AdmFunctions functions;
    adm_functions_fill_portable(&functions);
    return functions;
}

/* -- the wavelet transform of luma -- */

/* Coefficients and what is between the passes have 16 bits. */

enum { LOW_PASS_SUM = ADM_LOW0 + ADM_LOW1 + ADM_LOW2 + ADM_LOW3 };

static inline Vec vertical_luma(const Vec rows[4], const int16_t taps[4], bool deep, int depth)
{
    VecPair sums = vec_weighted_2(rows[0], taps[0], rows[1], taps[1]);
    sums = vec_add_weighted_2(sums, rows[2], taps[2], rows[3], taps[3]);
    /* Samples beyond the bit depth leave 16 bits: this drops the bits above. */
    return deep ? vec_narrow_rounded_all(sums, depth) : vec_pack_rounded(sums, 8);
}

/* Bytes are not made relative to mid grey one by one: the sum is, when it is rounded. The taps of
 * the high pass add up to nothing. */
static inline Vec vertical_low_pass_of_bytes(const Vec rows[4])
{
    const int half = 1 << 7;
    const Vec start = vec_set_32(half - half * LOW_PASS_SUM);
    VecPair sums =
        vec_add_weighted_2((VecPair){start, start}, rows[0], ADM_LOW0, rows[1], ADM_LOW1);
    sums = vec_add_weighted_2(sums, rows[2], ADM_LOW2, rows[3], ADM_LOW3);
    return vec_pack_shifted(sums, 8);
}

static inline __attribute__((always_inline)) void
vertical_luma_rows(const AdmWaveletRow *row, AdmRange columns, bool deep, bool with_high,
                   int16_t *out_low, int16_t *out_high)
{
    const int depth = row->vertical_shift, half = 1 << depth >> 1, n = row->input_columns;
    const Vec mid = vec_set_16(half);
    for (ptrdiff_t x = columns.begin; x < columns.end; x += VEC_16) {
        /* Pictures do not fit the caches that are near. */
        const size_t offset = (size_t)x * (deep ? sizeof(uint16_t) : sizeof(uint8_t));
        for (int k = 0; k < 2; k++)
            __builtin_prefetch((const uint8_t *)row->next[k] + offset);
        Vec rows[4];
        for (int k = 0; k < 4; k++) {
            rows[k] = vec_load_samples(row->input[k], (size_t)x, (size_t)n, deep);
            if (deep)
                rows[k] = vec_sub_16(rows[k], mid);
        }
        vec_store(out_low + x, deep ? vertical_luma(rows, adm_low_pass, deep, depth)
                                    : vertical_low_pass_of_bytes(rows));
        if (with_high)
            vec_store(out_high + x, vertical_luma(rows, adm_high_pass, deep, depth));
    }
    adm_mirror_ends(out_low, columns, n);
    if (with_high)
        adm_mirror_ends(out_high, columns, n);
}

static void horizontal_luma_row(const int16_t *in, AdmRange columns, const int16_t taps[4],
                                int16_t *out)
{
    for (ptrdiff_t i = columns.begin; i < columns.end; i += VEC_16)
        vec_store(out + i, vec_decimate_4(in + 2 * i, taps));
}

static inline __attribute__((always_inline)) void wavelet_luma(const AdmWaveletRow *row, bool deep)
{
    int16_t *low = adm_workspace_row(row, 0), *high = adm_workspace_row(row, 1);
    const AdmRange columns = adm_row_support(row, adm_range_hull(row->approx, row->detail));
    if (adm_range_length(row->detail) == 0) {
        vertical_luma_rows(row, columns, deep, false, low, high);
    } else {
        vertical_luma_rows(row, columns, deep, true, low, high);
        horizontal_luma_row(low, row->detail, adm_high_pass, row->detail_rows[BAND_V]);
        horizontal_luma_row(high, row->detail, adm_low_pass, row->detail_rows[BAND_H]);
        horizontal_luma_row(high, row->detail, adm_high_pass, row->detail_rows[BAND_D]);
    }
    horizontal_luma_row(low, row->approx, adm_low_pass, row->a);
}

static void wavelet_luma8(const AdmWaveletRow *row)
{
    wavelet_luma(row, false);
}

static void wavelet_luma16(const AdmWaveletRow *row)
{
    wavelet_luma(row, true);
}

/*
 * Decoupling with vectors; see adm_scalar.c. What is rare is left to the portable
 * functions: gain limits that are no integers, large coefficients, and directions so close to the
 * limit of one degree that binary32 does not decide on which side they are.
 */

/* Reference coefficients below this are restored as the distorted ones are, within limits. */
enum { EXACT_RATIO = 1 << 14 };

typedef void DecoupleRow(const AdmDecouple *);

static void decouple_columns(DecoupleRow *portable, const AdmDecouple *row, int begin, int columns)
{
    AdmDecouple part = *row;
    part.columns = (AdmRange){begin, adm_min(begin + columns, row->columns.end)};
    portable(&part);
}

/* -- directions -- */

/* Masks of the elements where two vectors point in the same direction (near), and of those where
 * more digits are needed to decide that (doubtful). */
typedef struct Direction {
    Vec near, doubtful;
} Direction;

/*
 * By inner product P and squared lengths E and T: P >= 0 and P^2 >= c E T with c = cos^2 1 degree.
 * The relative error of the two sides is below 2^-20 where they are about equal, also if P, E and
 * T are computed in binary32 from rounded coefficients: then P is about |o| |t|, and so are the
 * sums of the magnitudes of its terms.
 */
static inline Direction compare_directions(VecF inner, VecF ref_energy, VecF dist_energy)
{
    const float same_direction = ADM_SAME_DIRECTION / 0x1p24F, margin = 0x1p-18F;
    const VecF squared = vec_mul_float(inner, inner);
    const VecF energies = vec_mul_float(ref_energy, dist_energy);
    const Vec surely = vec_at_least_float(
        squared, vec_mul_float(energies, vec_set_float(same_direction * (1 + margin))));
    const Vec possibly = vec_at_least_float(
        squared, vec_mul_float(energies, vec_set_float(same_direction * (1 - margin))));
    const Vec forward = vec_at_least_float(inner, vec_set_float(0));
    return (Direction){vec_and(surely, forward), vec_and_not(possibly, surely)};
}

/* -- scale 0 -- */

static inline Direction directions_16(const Vec ref[ADM_BANDS], const Vec dist[ADM_BANDS])
{
    const Vec oh = ref[BAND_H], ov = ref[BAND_V], th = dist[BAND_H], tv = dist[BAND_V];
    const VecPair inner = vec_sum_of_products(oh, th, ov, tv);
    const VecPair ref_energy = vec_sum_of_products(oh, oh, ov, ov);
    const VecPair dist_energy = vec_sum_of_products(th, th, tv, tv);
    const Direction low = compare_directions(vec_float(inner.low), vec_float(ref_energy.low),
                                             vec_float(dist_energy.low));
    const Direction high = compare_directions(vec_float(inner.high), vec_float(ref_energy.high),
                                              vec_float(dist_energy.high));
    return (Direction){vec_pack_32s(low.near, high.near), vec_or(low.doubtful, high.doubtful)};
}

/* The value or zero that is nearest to t, or what is between. */
static inline Vec clamp_towards(Vec t, Vec limit)
{
    const Vec zero = vec_zero();
    return vec_min_16s(vec_max_16s(t, vec_min_16s(limit, zero)), vec_max_16s(limit, zero));
}

static void decouple_16(const AdmDecouple *row)
{
    const AdmFunctions portable = portable_functions();
    const int gain = (int)row->gain_limit;
    if (gain != row->gain_limit) {
        portable.decouple_16(row);
        return;
    }
    const Vec factor = vec_set_16(gain);
    const Vec ref_limit = vec_set_16(EXACT_RATIO - 1);
    const Vec dist_limit = vec_set_16(ADM_LARGEST_LUMA_DETAIL);
    /* More than any coefficient of a picture whatever the gain. */
    const Vec most = vec_set_16(INT16_MAX / gain), least = vec_set_16(-(INT16_MAX / gain));

    for (ptrdiff_t x = row->columns.begin; x < row->columns.end; x += VEC_16) {
        Vec ref[ADM_BANDS], dist[ADM_BANDS];
        Vec largest_ref = ref_limit, largest_dist = dist_limit;
        for (int b = 0; b < ADM_BANDS; b++) {
            ref[b] = vec_load((const int16_t *)row->ref[b] + x);
            dist[b] = vec_load((const int16_t *)row->dist[b] + x);
            largest_ref = vec_max_16u(largest_ref, vec_abs_16(ref[b]));
            largest_dist = vec_max_16u(largest_dist, vec_abs_16(dist[b]));
        }
        const Vec beyond =
            vec_or(vec_xor(largest_ref, ref_limit), vec_xor(largest_dist, dist_limit));
        Direction direction = {vec_zero(), vec_zero()};
        if (gain > 1)
            direction = directions_16(ref, dist);
        if (!vec_is_zero(vec_or(beyond, direction.doubtful))) {
            decouple_columns(portable.decouple_16, row, (int)x, VEC_16);
            continue;
        }
        for (int b = 0; b < ADM_BANDS; b++) {
            Vec limit = ref[b];
            if (gain > 1) {
                const Vec raised =
                    vec_mul_low_16(vec_max_16s(vec_min_16s(ref[b], most), least), factor);
                limit = vec_select(direction.near, raised, limit);
            }
            const Vec rest = clamp_towards(dist[b], limit);
            vec_store((int16_t *)row->rest[b] + x, rest);
            vec_store((int16_t *)row->addition[b] + x, vec_sub_16(dist[b], rest));
        }
    }
}

/* -- coarser scales -- */

static inline Direction directions_32(const Vec ref[ADM_BANDS], const Vec dist[ADM_BANDS])
{
    const VecF oh = vec_float(ref[BAND_H]), ov = vec_float(ref[BAND_V]);
    const VecF th = vec_float(dist[BAND_H]), tv = vec_float(dist[BAND_V]);
    return compare_directions(vec_add_float(vec_mul_float(oh, th), vec_mul_float(ov, tv)),
                              vec_add_float(vec_mul_float(oh, oh), vec_mul_float(ov, ov)),
                              vec_add_float(vec_mul_float(th, th), vec_mul_float(tv, tv)));
}

/* floor(2^30 / divisor) for divisors from 2^14 to 2^15. */
static inline Vec reciprocal(Vec divisor)
{
    const Vec one = vec_set_32(1 << 30);
    const Vec rounded = vec_integer(vec_div_float(vec_float(one), vec_float(divisor)));
    /* The quotient may have been rounded up to an integer; never down past one. */
    return vec_add_32(rounded, vec_greater_32s(vec_mul_low_32(rounded, divisor), one));
}

/*
 * r = k o, with k = t / o in 15 fractional bits from the upper 15 bits of o, for a magnitude of o
 * from EXACT_RATIO and an equal sign of t.
 */
static inline Vec rest_of_large(Vec o, Vec o_magnitude, Vec t_magnitude)
{
    /* A bit more than there are gives the same ratio, by twice the reciprocal and one bit more to
     * drop, of a magnitude that binary32 rounds up to a power of two. */
    const Vec exponent = vec_excess_bits_32(o_magnitude, 15);
    const Vec inverse = reciprocal(vec_round_shift_right_each_32u(o_magnitude, exponent));

    /* k is at its limit of 2^15 from t = 2 o on. */
    const Vec t = vec_min_32u(t_magnitude, vec_add_32(o_magnitude, o_magnitude));
    const Vec ratio = vec_narrow_rounded_each_64(vec_products_32u(inverse, t),
                                                 vec_add_32(exponent, vec_set_32(15)));
    const Vec k = vec_min_32u(ratio, vec_set_32(1 << 15));
    const VecPair rest = vec_products_32s(k, o);
    return vec_narrow_rounded_64(rest, 15);
}

static void decouple_32(const AdmDecouple *row)
{
    const AdmFunctions portable = portable_functions();
    const int gain = (int)row->gain_limit;
    if (gain != row->gain_limit) {
        portable.decouple_32(row);
        return;
    }
    const Vec sign_bit = vec_set_32(INT32_MIN), factor = vec_set_32(gain);
    /* More than any coefficient whatever the gain. */
    const Vec most = vec_set_32((int32_t)(UINT32_MAX / (unsigned)gain));

    for (ptrdiff_t x = row->columns.begin; x < row->columns.end; x += VEC_32) {
        Vec ref[ADM_BANDS], dist[ADM_BANDS], ref_magnitude[ADM_BANDS], dist_magnitude[ADM_BANDS];
        Vec bits = vec_zero();
        for (int b = 0; b < ADM_BANDS; b++) {
            ref[b] = vec_load((const int32_t *)row->ref[b] + x);
            dist[b] = vec_load((const int32_t *)row->dist[b] + x);
            ref_magnitude[b] = vec_abs_32(ref[b]);
            dist_magnitude[b] = vec_abs_32(dist[b]);
            bits = vec_or(bits, vec_or(ref_magnitude[b], dist_magnitude[b]));
        }
        const Direction direction = directions_32(ref, dist);
        if (!vec_is_zero(vec_or(vec_and(bits, sign_bit), direction.doubtful))) {
            decouple_columns(portable.decouple_32, row, (int)x, VEC_32);
            continue;
        }
        for (int b = 0; b < ADM_BANDS; b++) {
            const Vec o = ref_magnitude[b], t = dist_magnitude[b];
            const Vec sign = vec_shift_right_32s(ref[b], 31);
            const Vec opposite = vec_shift_right_32s(vec_xor(ref[b], dist[b]), 31);
            const Vec small = vec_greater_32s(vec_set_32(EXACT_RATIO), o);
            Vec rest =
                vec_select(small, vec_min_32u(o, t), vec_abs_32(rest_of_large(ref[b], o, t)));
            Vec raised = rest;
            if (gain > 1)
                raised = vec_mul_low_32(vec_min_32u(rest, most), factor);
            rest = vec_select(direction.near, vec_min_32u(raised, t), rest);
            rest = vec_sub_32(vec_xor(rest, sign), sign);
            rest = vec_and_not(rest, opposite);
            vec_store((int32_t *)row->rest[b] + x, rest);
            vec_store((int32_t *)row->addition[b] + x, vec_sub_32(dist[b], rest));
        }
    }
}

/*
 * Contrast masking with vectors; see adm_scalar.c. Energies are unsigned as long as
 * magnitudes stay below 2^30; where one does not, the portable functions repeat the row.
 */

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
        portable_functions().masking_16(row);
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
        portable_functions().energy_16(row, sums);
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
        portable_functions().masking_32(row);
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
        portable_functions().energy_32(row, sums);
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
        portable_functions().energy_32(row, sums);
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

void ISA_VARIANT(adm_functions_fill)(AdmFunctions *functions)
{
    functions->wavelet_luma8 = wavelet_luma8;
    functions->wavelet_luma16 = wavelet_luma16;
    functions->decouple_16 = decouple_16;
    functions->decouple_32 = decouple_32;
    functions->masking_16 = masking_16;
    functions->masking_32 = masking_32;
    functions->energy_16 = energy_16;
    functions->energy_32 = energy_32;
    functions->cubes_16 = cubes_16;
    functions->cubes_32 = cubes_32;
}
