/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <math.h>
#include <string.h>

#include "metrics/common/rows.h"
#include "metrics/vif/vif_internal.h"
#include "support/cases.h"
#include "support/cpu.h"

/* -- logarithms -- */

static uint32_t table_value(uint32_t i)
{
    return vif_log_of_key(vif_log_key(i));
}

CASE(test_log_table_follows_its_formula)
{
    for (uint32_t i = 1u << 15; i < 1u << 16; i++) {
        float rounded = (float)log2(i);
        assert_int_equal(table_value(i), (uint32_t)floor(2048.0 * (double)rounded + 0.5));
    }
}

/* Sum and CRC-32 of the table of libvmaf 3.2: not a matter of how this platform computes log2. */
CASE(test_log_table_is_that_of_libvmaf_3_2)
{
    uint32_t sum = 0, crc = 0xffffffffu;
    for (uint32_t i = 1u << 15; i < 1u << 16; i++) {
        uint32_t value = table_value(i);
        sum += value;
        for (int byte = 0; byte < 2; byte++) {
            crc ^= value >> (8 * byte) & 0xff;
            for (int bit = 0; bit < 8; bit++)
                crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
        }
    }
    assert_int_equal(sum, 1044032097);
    assert_int_equal(~crc, 0x42ad4d4f);
}

CASE(test_log_depends_on_16_leading_bits)
{
    for (uint32_t shift = 0; shift < 16; shift++) {
        uint32_t ones = (1u << shift) - 1;
        uint32_t expected = table_value(50000) + shift * VIF_LOG_UNIT;
        assert_int_equal(vif_log_of_key(vif_log_key(50000u << shift)), expected);
        assert_int_equal(vif_log_of_key(vif_log_key(50000u << shift | ones)), expected);
    }
    assert_int_equal(vif_log_of_key(vif_log_key(VIF_NOISE_VARIANCE)), 17 * VIF_LOG_UNIT);
    assert_int_equal(vif_log_of_key(vif_log_key(4294967295u)), 32 * VIF_LOG_UNIT);
}

/* -- logarithms by pieces -- */

/* The integer that the 9 bits after the leading one hold. */
static uint32_t parabola_value(float parabola)
{
    assert_true(parabola >= 512 && parabola < 1024);
    return (uint32_t)parabola - 512;
}

/* Also where the product with the curvature is rounded before it is subtracted. */
CASE(test_log_pieces_give_every_value_of_the_table)
{
    for (uint32_t i = 0; i < 1u << 15; i++) {
        const uint32_t piece = i >> 10, place = i & 1023;
        const float u = 1 + (float)(piece << 10 | (1023 - place)) / 32768;
        const float square = u * u, curvature = vif_log_curvatures[piece];
        const float product = curvature * square;
        const uint32_t chord = 30720 + piece * VIF_LOG_PIECE_UNITS;
        const uint32_t expected = table_value(i + (1u << 15));
        assert_int_equal(chord + parabola_value(fmaf(-curvature, square, vif_log_apexes[piece])),
                         expected);
        assert_int_equal(chord + parabola_value(vif_log_apexes[piece] - product), expected);
    }
}

/* -- every table of kernels: the formulas, portable C, and that of this processor -- */

enum { TABLES = 3 };

static VifFunctions kernels_of(int table)
{
    VifFunctions functions;
    if (table == 0)
        vif_functions_init_scalar(&functions);
    else
        vif_functions_init(&functions, table == 1 ? 0 : cpu_flags(0));
    return functions;
}

/* -- gain -- */

typedef struct Pixel {
    int32_t ref, dist, covariance;
} Pixel;

static int64_t log_num_of(Pixel pixel, double limit)
{
    enum { ROOM = 1 + VIF_PADDING / sizeof(int32_t) };
    int32_t ref[ROOM] = {pixel.ref}, dist[ROOM] = {pixel.dist};
    int32_t covariance[ROOM] = {pixel.covariance};
    static uint32_t log_bows[VIF_LOG_STEPS];
    vif_log_bows(log_bows);
    int64_t log_num[TABLES] = {0};
    for (int table = 0; table < TABLES; table++) {
        const VifFunctions functions = kernels_of(table);
        VifSums sums = {.log_num = &log_num[table]};
        VifVariances row = {ref, dist, covariance};
        functions.gain(&sums, &row, 1, &(VifGain){&limit, 1, log_bows});
        assert_int_equal(log_num[table], log_num[0]);
    }
    return log_num[0];
}

static int64_t log_of(uint32_t v)
{
    return vif_log_of_key(vif_log_key(v));
}

CASE(test_gain_without_correlation_is_none)
{
    assert_int_equal(log_num_of((Pixel){1 << 24, 1 << 24, 0}, 100), 0);
    assert_int_equal(log_num_of((Pixel){1 << 24, 1 << 24, -(1 << 24)}, 100), 0);
    assert_int_equal(log_num_of((Pixel){1 << 24, 0, 30000}, 100), 0);
    assert_int_equal(log_num_of((Pixel){VIF_NOISE_VARIANCE - 1, 1 << 24, 1 << 20}, 100), 0);
}

CASE(test_gain_of_identical_pixels_falls_short_of_one)
{
    const uint32_t variance = 1 << 24;
    assert_int_equal(log_num_of((Pixel){variance, variance, variance}, 100),
                     log_of(VIF_NOISE_VARIANCE + variance - 1) - 17 * VIF_LOG_UNIT);
}

CASE(test_gain_is_limited_after_the_residual_is_taken)
{
    /* Twice the contrast: gain 2, no residual. */
    const Pixel pixel = {1 << 24, 1 << 26, 1 << 25};
    const int64_t log_noise = 17 * VIF_LOG_UNIT;
    assert_int_equal(log_num_of(pixel, 1), log_of(VIF_NOISE_VARIANCE + (1 << 24)) - log_noise);
    assert_int_equal(log_num_of(pixel, 1.5), log_of(VIF_NOISE_VARIANCE + (9 << 22)) - log_noise);
    assert_int_equal(log_num_of(pixel, 100),
                     log_of(VIF_NOISE_VARIANCE + (1 << 26) - 1) - log_noise);
}

/* -- variances of a row -- */

enum { ROW = 300, ROW_MARGIN = VIF_PADDING / sizeof(uint16_t), ROW_ROOM = ROW + 2 * ROW_MARGIN };

/* Rows after the vertical filter, by the name of the sum: two means, then three moments. */
typedef struct MomentRows {
    uint16_t mean[2][ROW_ROOM], moment[VIF_MOMENTS][VIF_HALVES][ROW_ROOM];
} MomentRows;

static uint64_t window_sum(const uint16_t *low, const uint16_t *high, unsigned x, unsigned scale)
{
    const VifFilter *filter = &vif_filters[scale];
    uint64_t sum = 0;
    for (int k = -(int)filter->radius; k <= (int)filter->radius; k++) {
        const int at = ROW_MARGIN + (int)x + k;
        sum += filter->taps[k < 0 ? -k : k] * ((high ? (uint64_t)high[at] << 16 : 0) | low[at]);
    }
    return sum;
}

/* What a moment has above the product of two means, both rounded to the unit of the variances. */
static int32_t direct_variance(const MomentRows *rows, int moment, unsigned x, unsigned scale)
{
    const int a = moment == VIF_DIST_DIST, b = moment != VIF_REF_REF;
    const uint64_t product =
        window_sum(rows->mean[a], NULL, x, scale) * window_sum(rows->mean[b], NULL, x, scale);
    const uint64_t raw =
        window_sum(rows->moment[moment][VIF_LOW], rows->moment[moment][VIF_HIGH], x, scale);
    const uint32_t rounded = (uint32_t)((product + (UINT64_C(1) << 31)) >> 32);
    return (int32_t)((uint32_t)((raw + 32768) >> 16) - rounded);
}

static void expect_direct_variances(const MomentRows *rows, unsigned scale)
{
    static int32_t ref[ROW_ROOM], dist[ROW_ROOM], covariance[ROW_ROOM];
    VifColumnMoments columns = {.reference = {.use = REFERENCE_ALONE}};
    for (int i = 0; i < 2; i++)
        columns.mean[i] = (uint16_t *)rows->mean[i] + ROW_MARGIN;
    for (int m = 0; m < VIF_MOMENTS; m++)
        for (int half = 0; half < VIF_HALVES; half++)
            columns.moment[m][half] = (uint16_t *)rows->moment[m][half] + ROW_MARGIN;
    for (int table = 0; table < TABLES; table++) {
        const VifFunctions functions = kernels_of(table);
        functions.local_variances[scale](&(VifVariances){ref, dist, covariance}, &columns, ROW);
        for (unsigned x = 0; x < ROW; x++) {
            const int32_t known = direct_variance(rows, VIF_DIST_DIST, x, scale);
            assert_int_equal(ref[x], direct_variance(rows, VIF_REF_REF, x, scale));
            assert_int_equal(dist[x], known < 0 ? 0 : known);
            assert_int_equal(covariance[x], direct_variance(rows, VIF_REF_DIST, x, scale));
        }
    }
}

/* A lone sample makes the filtered mean an odd multiple of 2^15, a flat row one of 2^16: their
 * product lies in the middle between two units. */
CASE(test_means_whose_product_is_a_half_round_up)
{
    static const uint16_t lone[VIF_SCALES] = {32768, 32768, 32768, 4096};
    for (unsigned scale = 0; scale < VIF_SCALES; scale++) {
        static MomentRows rows;
        memset(&rows, 0, sizeof(rows));
        unsigned n_halves = 0;
        for (unsigned x = 0; x < ROW_ROOM; x++) {
            rows.mean[0][x] = x % 23 == 11 ? lone[scale] : 0;
            rows.mean[1][x] = 40503;
        }
        for (unsigned x = 0; x < ROW; x++)
            n_halves += (uint32_t)(window_sum(rows.mean[0], NULL, x, scale) *
                                   window_sum(rows.mean[1], NULL, x, scale)) == 1u << 31;
        assert_true(n_halves > ROW / 23);
        expect_direct_variances(&rows, scale);
    }
}

/* The same of moments: a lone sample of 2^15, at an odd tap. */
CASE(test_moments_that_are_a_half_round_up)
{
    static const uint16_t lone[VIF_SCALES] = {32768, 32768, 32768, 4096};
    for (unsigned scale = 0; scale < VIF_SCALES; scale++) {
        static MomentRows rows;
        memset(&rows, 0, sizeof(rows));
        unsigned n_halves = 0;
        for (unsigned x = 0; x < ROW_ROOM; x++) {
            for (int m = 0; m < VIF_MOMENTS; m++) {
                rows.moment[m][VIF_LOW][x] = x % 19 == 7 ? lone[scale] : 0;
                rows.moment[m][VIF_HIGH][x] = (uint16_t)(x * 97 % 60000);
            }
        }
        for (unsigned x = 0; x < ROW; x++)
            n_halves += (uint16_t)window_sum(rows.moment[0][VIF_LOW], rows.moment[0][VIF_HIGH], x,
                                             scale) == 1u << 15;
        assert_true(n_halves > ROW / 19);
        expect_direct_variances(&rows, scale);
    }
}
