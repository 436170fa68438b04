/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "simd_check/lanes_operations.h"

#include "simd_check/simd_check.h"
#include "support/cpu.h"
#include "support/vector_lanes.h"

/* What every operation means, lane by lane. In an expression of EACH, i is the index of the lane.
 */
#define EACH(type, n, actual, expression)                                                          \
    do {                                                                                           \
        type expected[n];                                                                          \
        const __typeof__(actual) got = actual;                                                     \
        for (int i = 0; i < (n); i++)                                                              \
            expected[i] = (type)(expression);                                                      \
        simd_case("%s", #actual);                                                                  \
        simd_expect_equal(expected, &got, sizeof(expected));                                       \
    } while (0)

enum { TABLE = 64 };

static int16_t random_i16(void)
{
    static const int16_t edges[] = {0, 1, -1, 2, -2, -3, INT16_MAX, -INT16_MAX, INT16_MIN};
    const uint32_t random = simd_random();
    return random % 4 ? (int16_t)(random >> 8) : edges[(random >> 8) % 9];
}

static float random_f32(void)
{
    return ldexpf((float)random_i16(), (int)(simd_random() % 32) - 16);
}

static void check_i16(void)
{
    static const int16_t factors[] = {1, 3227, 13573, 22170, 29956, INT16_MAX};
    union {
        int16_t at[LANES_16];
        LanesI16 all;
        HalfLanesU16 half[2];
    } a;
    for (int i = 0; i < LANES_16; i++)
        a.at[i] = random_i16();
    for (unsigned k = 0; k < sizeof(factors) / sizeof(factors[0]); k++)
        EACH(int16_t, LANES_16, lanes_mul_round_i16(a.all, factors[k]),
             (a.at[i] * factors[k] + (1 << 14)) >> 15);
    for (int i = 0; i < LANES_16; i++)
        a.at[i] = a.at[i] == INT16_MIN ? 0 : a.at[i]; /* no coefficient is */
    EACH(int16_t, LANES_16, lanes_half_i16(a.all), a.at[i] / 2);
    EACH(int32_t, LANES_32, lanes_i32_of_i16(a.at), a.at[i]);
    EACH(float, LANES_32, lanes_f32_of_i16(a.at), a.at[i]);
    EACH(float, LANES_32, lanes_f32_of_u16(a.half[0]), (uint16_t)a.at[i]);
}

static void check_f32(void)
{
    union {
        float at[LANES_32];
        LanesF32 all;
    } a;
    union {
        int32_t at[LANES_32];
        LanesI32 all;
    } n;
    for (int i = 0; i < LANES_32; i++) {
        a.at[i] = random_f32();
        n.at[i] = random_i16() * 4096;
    }
    EACH(float, LANES_32, lanes_load_f32(a.at, 0), a.at[i]);
    EACH(float, LANES_32, *lanes_at_f32(a.at, 0), a.at[i]);
    EACH(float, LANES_32, lanes_f32_of_i32(n.all), n.at[i]);
    EACH(int32_t, LANES_32, lanes_i32_of_f32(a.all), (int64_t)a.at[i]);
    EACH(float, LANES_32, lanes_positive_f32(a.all), a.at[i] > 0 ? a.at[i] : 0);
    for (int i = 0; i < LANES_32; i++)
        a.at[i] = fabsf(a.at[i]);
    EACH(float, LANES_32, lanes_sqrt_f32(a.all), sqrtf(a.at[i]));
}

static uint64_t upper(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof(bits));
    return (uint64_t)bits << 32;
}

static void check_f64(void)
{
    float rows[LANES_64 + 1][7], rounded[LANES_64];
    union {
        double at[LANES_64];
        LanesF64 all;
    } sums;
    for (int lane = 0; lane <= LANES_64; lane++)
        for (int k = 0; k < 7; k++)
            rows[lane][k] = random_f32();
    for (int i = 0; i < LANES_64; i++)
        sums.at[i] = (double)rows[0][i % 7] + ldexp(1 + i, -40);
    EACH(uint64_t, LANES_64, lanes_upper_f32(&rows[0][1]), upper((&rows[0][1])[i]));
    lanes_store_f32_of_f64(rounded, sums.all);
    for (int i = 0; i < LANES_64; i++) {
        const float expected = (float)sums.at[i];
        simd_case("lanes_store_f32_of_f64, lane %d", i);
        simd_expect_equal(&expected, &rounded[i], sizeof(expected));
    }
    uint64_t columns[4][LANES_64];
    lanes_store_columns_upper_f32(columns[0], &rows[0][1], 7);
    for (int k = 0; k < 4; k++)
        for (int lane = 0; lane < LANES_64; lane++) {
            simd_case("lanes_store_columns_upper_f32, column %d, row %d", k, lane);
            simd_expect_equal_u64(upper(rows[lane][1 + k]), columns[k][lane]);
        }
}

static void check_order(void)
{
    union {
        float at[LANES_32][LANES_32];
        LanesF32 all[LANES_32];
    } m, transposed;
    for (int i = 0; i < LANES_32; i++)
        for (int k = 0; k < LANES_32; k++)
            m.at[i][k] = random_f32();
    transposed = m;
    lanes_transpose_f32(transposed.all);
    for (int i = 0; i < LANES_32; i++)
        for (int k = 0; k < LANES_32; k++) {
            simd_case("lanes_transpose_f32, row %d, column %d", i, k);
            simd_expect_equal(&m.at[k][i], &transposed.at[i][k], sizeof(float));
        }
#ifdef LANES_GATHER_PAIRS
    float pairs[TABLE][2];
    union {
        int32_t at[LANES_32];
        LanesI32 all;
    } index;
    for (int i = 0; i < TABLE; i++)
        for (int k = 0; k < 2; k++)
            pairs[i][k] = random_f32();
    for (int i = 0; i < LANES_32; i++)
        index.at[i] = (int32_t)(simd_random() % TABLE);
    LanesF32 first, second;
    lanes_gather_pairs_f32(pairs, index.all, &first, &second);
    EACH(float, LANES_32, first, pairs[index.at[i]][0]);
    EACH(float, LANES_32, second, pairs[index.at[i]][1]);
#endif
}

static void check_128(void)
{
    union {
        uint8_t u8[16];
        uint16_t u16[8];
        uint32_t u32[4];
        uint64_t u64[2];
        Bytes16 all;
    } ab[2];
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 16; i++)
            ab[k].u8[i] = (uint8_t)simd_random();
    const Bytes16 a = ab[0].all, b = ab[1].all;
    EACH(uint8_t, 16, LOW_BYTES(a, b), ab[i % 2].u8[i / 2]);
    EACH(uint8_t, 16, HIGH_BYTES(a, b), ab[i % 2].u8[8 + i / 2]);
    EACH(uint16_t, 8, LOW_8(a, b), ab[i % 2].u16[i / 2]);
    EACH(uint16_t, 8, HIGH_8(a, b), ab[i % 2].u16[4 + i / 2]);
    EACH(uint32_t, 4, LOW_4(a, b), ab[i % 2].u32[i / 2]);
    EACH(uint32_t, 4, HIGH_4(a, b), ab[i % 2].u32[2 + i / 2]);
    EACH(uint64_t, 2, LOW_2(a, b), ab[i].u64[0]);
    EACH(uint64_t, 2, HIGH_2(a, b), ab[i].u64[1]);
}

void ISA_VARIANT(check_lanes_operations)(void)
{
    check_i16();
    check_f32();
    check_f64();
    check_order();
    check_128();
}
