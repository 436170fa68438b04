/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <arm_neon.h>

#include "feature/adm/adm_kernels.h"

/*
 * Contrast masking with NEON; see adm_masking.c. Energies are unsigned as long as magnitudes stay
 * below 2^30; where one does not, the scalar functions repeat the row. Sums that may wrap are
 * unsigned, because compilers write signed ones as additions in C.
 */

enum { COLUMNS_16 = 8, COLUMNS_32 = 4 }; /* of a vector */

static AdmKernels scalar_kernels(void)
{
    AdmKernels kernels;
    adm_kernels_fill_masking_scalar(&kernels);
    return kernels;
}

/* Columns begin .. of which those from `end` on are cleared. */
static inline uint32x4_t columns_before(int begin, int end)
{
    static const int32_t index[COLUMNS_32] = {0, 1, 2, 3};
    return vcltq_s32(vld1q_s32(index), vdupq_n_s32(end - begin));
}

static inline uint32x4_t load_wrapping(const int32_t *from)
{
    return vreinterpretq_u32_s32(vld1q_s32(from));
}

static inline void store_wrapping(int32_t *to, uint32x4_t v)
{
    vst1q_s32(to, vreinterpretq_s32_u32(v));
}

static inline uint32x4_t magnitude(int32x4_t v)
{
    return vreinterpretq_u32_s32(vabsq_s32(v));
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
    for (int x = columns.begin; x < columns.end; x += COLUMNS_32) {
        const uint32x4_t beside =
            vaddq_u32(load_wrapping(terms + x - 1), load_wrapping(terms + x + 1));
        store_wrapping(row->neighbours + x, vaddq_u32(beside, load_wrapping(terms + x)));
    }
}

static inline uint32x4_t threshold(const AdmEnergy *row, int x)
{
    const uint32x4_t upper =
        vaddq_u32(load_wrapping(row->neighbours[0] + x), load_wrapping(row->neighbours[1] + x));
    const uint32x4_t lower =
        vaddq_u32(load_wrapping(row->neighbours[2] + x), load_wrapping(row->centre + x));
    return vaddq_u32(upper, lower);
}

/* What remains of a weighted coefficient above the threshold. */
static inline uint32x4_t visible(int32x4_t weighted, uint32x4_t raised)
{
    const int32x4_t excess = vreinterpretq_s32_u32(vsubq_u32(magnitude(weighted), raised));
    return vreinterpretq_u32_s32(vmaxq_s32(excess, vdupq_n_s32(0)));
}

/*
 * Sum over columns of (m^2 / 2^square_shift) m / 2^cube_shift, both quotients rounded, for
 * magnitudes m below 2^30. Shifts to the right are negative ones to the left.
 */
typedef struct Cubes {
    int64x2_t square_shift, cube_shift;
    uint64x2_t sum;
} Cubes;

static Cubes cubes_init(int square_shift, int cube_shift)
{
    return (Cubes){vdupq_n_s64(-square_shift), vdupq_n_s64(-cube_shift), vdupq_n_u64(0)};
}

static inline void cubes_add_half(Cubes *cubes, uint32x2_t m)
{
    const uint32x2_t square = vmovn_u64(vrshlq_u64(vmull_u32(m, m), cubes->square_shift));
    cubes->sum = vaddq_u64(cubes->sum, vrshlq_u64(vmull_u32(square, m), cubes->cube_shift));
}

static inline void cubes_add(Cubes *cubes, uint32x4_t m)
{
    cubes_add_half(cubes, vget_low_u32(m));
    cubes_add_half(cubes, vget_high_u32(m));
}

/* -- scale 0 -- */

/* A 16-bit unsigned weight as a signed factor, and a mask of the 65536 that it lacks. */
typedef struct Weight16 {
    int16_t factor, upper;
} Weight16;

static Weight16 weight16(uint32_t weight)
{
    return (Weight16){(int16_t)weight, (int16_t)(weight >> 15 & 1 ? -1 : 0)};
}

/* Magnitudes of the weighted coefficients of a signal, rounded to 12 fractional bits. The doubling
 * product saturates only if both factors are -2^15. */
static inline uint16x8_t strength(int16x8_t y, Weight16 weight)
{
    const uint16x8_t product = vreinterpretq_u16_s16(vqrdmulhq_n_s16(y, weight.factor));
    const int16x8_t upper = vandq_s16(vshlq_n_s16(y, 1), vdupq_n_s16(weight.upper));
    const uint16x8_t c = vaddq_u16(product, vreinterpretq_u16_s16(upper));
    return vreinterpretq_u16_s16(vabsq_s16(vreinterpretq_s16_u16(c)));
}

/* In the diagonal band there are two more bits to drop, and what is added before is 65535, one
 * less than one half. */
static inline uint16x8_t strength_diagonal(int16x8_t y, Weight16 weight)
{
    const int32x4_t half = vdupq_n_s32(ADM_ROUNDING_D);
    const int32x4_t low = vmull_n_s16(vget_low_s16(y), weight.factor);
    const int32x4_t high = vmull_high_n_s16(y, weight.factor);
    const int16x8_t product = vaddhn_high_s32(vaddhn_s32(low, half), high, half);
    const int16x8_t c = vaddq_s16(product, vandq_s16(y, vdupq_n_s16(weight.upper)));
    return vreinterpretq_u16_s16(vabsq_s16(vshrq_n_s16(c, 1)));
}

/* Numerators over 4096 of 1/30 and 1/15 in 5 more fractional bits. */
enum { NEIGHBOUR_GAIN = ADM_NEIGHBOUR_PART_16, CENTRE_GAIN = ADM_CENTRE_PART_16 };

/* The lower 16 bits of (gain c + 2048) >> 12. */
static inline int16x8_t scaled_strength_16(uint16x8_t c, uint16_t gain)
{
    const uint16x4_t low = vrshrn_n_u32(vmull_n_u16(vget_low_u16(c), gain), 12);
    return vreinterpretq_s16_u16(vrshrn_high_n_u32(low, vmull_high_n_u16(c, gain), 12));
}

static inline int32x4_t sum_of_low(const int16x8_t v[ADM_BANDS])
{
    return vaddw_s16(vaddl_s16(vget_low_s16(v[0]), vget_low_s16(v[1])), vget_low_s16(v[2]));
}

static inline int32x4_t sum_of_high(const int16x8_t v[ADM_BANDS])
{
    return vaddw_high_s16(vaddl_high_s16(v[0], v[1]), v[2]);
}

static void masking_16(const AdmMasking *row)
{
    const AdmRange columns = contributing(row);
    const Weight16 wh = weight16(row->weights[BAND_H]), wv = weight16(row->weights[BAND_V]);
    const Weight16 wd = weight16(row->weights[BAND_D]);
    if (wh.factor == INT16_MIN || wv.factor == INT16_MIN) {
        scalar_kernels().masking_16(row);
        return;
    }
    for (int x = columns.begin; x < columns.end; x += COLUMNS_16) {
        const uint16x8_t strengths[ADM_BANDS] = {
            [BAND_H] = strength(vld1q_s16((const int16_t *)row->signal[BAND_H] + x), wh),
            [BAND_V] = strength(vld1q_s16((const int16_t *)row->signal[BAND_V] + x), wv),
            [BAND_D] = strength_diagonal(vld1q_s16((const int16_t *)row->signal[BAND_D] + x), wd),
        };
        int16x8_t neighbours[ADM_BANDS], own[ADM_BANDS];
        for (int b = 0; b < ADM_BANDS; b++) {
            neighbours[b] = scaled_strength_16(strengths[b], NEIGHBOUR_GAIN);
            own[b] = scaled_strength_16(strengths[b], CENTRE_GAIN);
        }
        const int32x4_t low = sum_of_low(neighbours), high = sum_of_high(neighbours);
        vst1q_s32(row->workspace + x, low);
        vst1q_s32(row->workspace + x + COLUMNS_32, high);
        vst1q_s32(row->centre + x, vsubq_s32(sum_of_low(own), low));
        vst1q_s32(row->centre + x + COLUMNS_32, vsubq_s32(sum_of_high(own), high));
    }
    sum_columns(row);
}

/* Adds the energies of 8 columns of a band; returns what bits magnitudes have. */
static inline uint32x4_t add_energies_16(Cubes *cubes, int16x8_t y, const int16_t weights[2],
                                         uint32x4_t first_raised, uint32x4_t second_raised,
                                         const uint32x4_t inside[2])
{
    const int16x4_t low = vget_low_s16(y);
    const int32x4_t first = vmlal_n_s16(vmull_n_s16(low, weights[0]), low, weights[1]);
    const int32x4_t second = vmlal_high_n_s16(vmull_high_n_s16(y, weights[0]), y, weights[1]);
    const uint32x4_t first_visible = vandq_u32(visible(first, first_raised), inside[0]);
    const uint32x4_t second_visible = vandq_u32(visible(second, second_raised), inside[1]);
    const uint32x4_t any = vorrq_u32(first_visible, second_visible);
    if (vmaxvq_u32(any)) { /* most of the impairment is not visible */
        cubes_add(cubes, first_visible);
        cubes_add(cubes, second_visible);
    }
    return any;
}

static void energy_16(const AdmEnergy *row, uint64_t sums[ADM_BANDS])
{
    uint32x4_t bits = vdupq_n_u32(0);
    int16_t weights[ADM_BANDS][2];
    Cubes cubes[ADM_BANDS];
    /* A weight is split into two signed factors, which 65535 does not allow. */
    bool large = false;
    for (int b = 0; b < ADM_BANDS; b++) {
        const int weight = (int)(row->weights[b] & UINT16_MAX);
        large |= weight == UINT16_MAX;
        weights[b][0] = (int16_t)(weight / 2);
        weights[b][1] = (int16_t)(weight - weight / 2);
        cubes[b] = cubes_init(b == BAND_D ? 30 : 29, row->shift[b]);
    }
    for (int x = row->columns.begin; x < row->columns.end; x += COLUMNS_16) {
        const uint32x4_t inside[2] = {columns_before(x, row->columns.end),
                                      columns_before(x + COLUMNS_32, row->columns.end)};
        const uint32x4_t first = threshold(row, x), second = threshold(row, x + COLUMNS_32);
        for (int b = 0; b < ADM_BANDS; b++) {
            const int32x4_t up = vdupq_n_s32(b == BAND_D ? 12 : 10);
            const int16x8_t y = vld1q_s16((const int16_t *)row->target[b] + x);
            bits = vorrq_u32(bits, add_energies_16(&cubes[b], y, weights[b], vshlq_u32(first, up),
                                                   vshlq_u32(second, up), inside));
        }
    }
    for (int b = 0; b < ADM_BANDS; b++)
        sums[b] = vaddvq_u64(cubes[b].sum);
    if (large || vmaxvq_u32(bits) >> 30)
        scalar_kernels().energy_16(row, sums);
}

static inline uint64x2_t add_cubes_16(uint64x2_t sum, uint16x8_t m)
{
    const uint32x4_t first = vmovl_u16(vget_low_u16(m)), second = vmovl_high_u16(m);
    const uint32x4_t first_square = vmull_u16(vget_low_u16(m), vget_low_u16(m));
    const uint32x4_t second_square = vmull_high_u16(m, m);
    sum = vmlal_u32(sum, vget_low_u32(first_square), vget_low_u32(first));
    sum = vmlal_high_u32(sum, first_square, first);
    sum = vmlal_u32(sum, vget_low_u32(second_square), vget_low_u32(second));
    return vmlal_high_u32(sum, second_square, second);
}

static uint64_t cubes_16(const int16_t *band, AdmRange columns)
{
    uint64x2_t sum = vdupq_n_u64(0);
    int x = columns.begin;
    for (; x + COLUMNS_16 <= columns.end; x += COLUMNS_16)
        sum = add_cubes_16(sum, vreinterpretq_u16_s16(vabsq_s16(vld1q_s16(band + x))));
    if (x < columns.end) {
        const uint16x4_t first = vmovn_u32(columns_before(x, columns.end));
        const uint16x8_t inside =
            vmovn_high_u32(first, columns_before(x + COLUMNS_32, columns.end));
        const uint16x8_t m = vreinterpretq_u16_s16(vabsq_s16(vld1q_s16(band + x)));
        sum = add_cubes_16(sum, vandq_u16(m, inside));
    }
    return vaddvq_u64(sum);
}

/* -- coarser scales -- */

/* Weighted coefficients, as target and as masker, for weights below 2^31. */
static inline int32x4_t weighted_32(int32x4_t y, int32_t weight)
{
    const int32x2_t low = vrshrn_n_s64(vmull_n_s32(vget_low_s32(y), weight), 28);
    return vrshrn_high_n_s64(low, vmull_high_n_s32(y, weight), 28);
}

/* (gain c - 2^31) >> 32. The reference values have minus one half where rounding would have
 * plus. */
static inline uint32x4_t scaled_strength_32(uint32x4_t c, uint32_t gain)
{
    const uint64x2_t half = vdupq_n_u64(UINT64_C(1) << 31);
    const uint32x2_t low = vsubhn_u64(vmull_n_u32(vget_low_u32(c), gain), half);
    return vsubhn_high_u64(low, vmull_high_n_u32(c, gain), half);
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
    const AdmRange columns = contributing(row);
    for (int x = columns.begin; x < columns.end; x += COLUMNS_32) {
        uint32x4_t neighbours = vdupq_n_u32(0), own = vdupq_n_u32(0);
        for (int b = 0; b < ADM_BANDS; b++) {
            const int32x4_t y = vld1q_s32((const int32_t *)row->signal[b] + x);
            const uint32x4_t c = magnitude(weighted_32(y, (int32_t)row->weights[b]));
            /* 1/30 and 1/15 in 32 fractional bits. */
            neighbours = vaddq_u32(neighbours, scaled_strength_32(c, ADM_NEIGHBOUR_PART_32));
            own = vaddq_u32(own, scaled_strength_32(c, ADM_CENTRE_PART_32));
        }
        store_wrapping(row->workspace + x, neighbours);
        store_wrapping(row->centre + x, vsubq_u32(own, neighbours));
    }
    sum_columns(row);
}

static void energy_32(const AdmEnergy *row, uint64_t sums[ADM_BANDS])
{
    if (has_large_weight(row->weights)) {
        scalar_kernels().energy_32(row, sums);
        return;
    }
    uint32x4_t bits = vdupq_n_u32(0);
    Cubes cubes[ADM_BANDS];
    for (int b = 0; b < ADM_BANDS; b++)
        cubes[b] = cubes_init(30, row->shift[b]);
    for (int x = row->columns.begin; x < row->columns.end; x += COLUMNS_32) {
        const uint32x4_t raised = threshold(row, x);
        const uint32x4_t inside = columns_before(x, row->columns.end);
        for (int b = 0; b < ADM_BANDS; b++) {
            const int32x4_t y = vld1q_s32((const int32_t *)row->target[b] + x);
            const int32x4_t weighted = weighted_32(y, (int32_t)row->weights[b]);
            const uint32x4_t m = vandq_u32(visible(weighted, raised), inside);
            if (vmaxvq_u32(m) == 0)
                continue;
            bits = vorrq_u32(bits, m);
            cubes_add(&cubes[b], m);
        }
    }
    for (int b = 0; b < ADM_BANDS; b++)
        sums[b] = vaddvq_u64(cubes[b].sum);
    if (vmaxvq_u32(bits) >> 30)
        scalar_kernels().energy_32(row, sums);
}

/* ((m^2 >> square_shift) + 1) m / 2^cube_shift, the latter rounded. */
static inline uint64x2_t reduced_cubes(uint32x2_t m, int64x2_t square_shift, int64x2_t cube_shift)
{
    const uint32x2_t square = vmovn_u64(vshlq_u64(vmull_u32(m, m), square_shift));
    return vrshlq_u64(vmull_u32(vadd_u32(square, vdup_n_u32(1)), m), cube_shift);
}

static uint64_t cubes_32(const int32_t *band, AdmRange columns, int square_shift, int cube_shift)
{
    const int64x2_t square_bits = vdupq_n_s64(-square_shift), cube_bits = vdupq_n_s64(-cube_shift);
    uint64x2_t sum = vdupq_n_u64(0);
    for (int x = columns.begin; x < columns.end; x += COLUMNS_32) {
        uint32x4_t m = magnitude(vld1q_s32(band + x));
        if (x + COLUMNS_32 > columns.end)
            m = vandq_u32(m, columns_before(x, columns.end));
        sum = vaddq_u64(sum, reduced_cubes(vget_low_u32(m), square_bits, cube_bits));
        sum = vaddq_u64(sum, reduced_cubes(vget_high_u32(m), square_bits, cube_bits));
    }
    return vaddvq_u64(sum);
}

void adm_kernels_fill_masking_neon(AdmKernels *kernels)
{
    kernels->masking_16 = masking_16;
    kernels->masking_32 = masking_32;
    kernels->energy_16 = energy_16;
    kernels->energy_32 = energy_32;
    kernels->cubes_16 = cubes_16;
    kernels->cubes_32 = cubes_32;
}
