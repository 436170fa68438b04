/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "float_cases.h"

#include <math.h>
#include <string.h>

enum { SPECIALS = 14 };

static uint64_t noise(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state * 0x9E3779B97F4A7C15u >> 4;
}

static float float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof(x));
    return x;
}

static uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof(bits));
    return x != x ? 0x7fc00000u : bits;
}

static double double_of(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof(x));
    return x;
}

static uint64_t double_bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof(bits));
    return x != x ? 0x7ff8000000000000u : bits;
}

static uint32_t operand(uint64_t *state)
{
    static const uint32_t specials[SPECIALS] = {
        0,          0x80000000u, 0x7f800000u, 0xff800000u, 0x7fc00000u, 1,           0x80000001u,
        0x007fffff, 0x00800000,  0x7f7fffff,  0x3f800000,  0xff800001u, 0x7fffffffu, 0xbf800000u};
    const uint32_t bits = (uint32_t)noise(state);
    const uint64_t choice = noise(state);
    const uint32_t sign = bits & 0x80000000u, fraction = bits & 0x7fffff;
    const uint32_t any = (uint32_t)(choice >> 8) & 255, few = (uint32_t)(choice >> 16) & 31;
    switch (choice & 7) {
    case 0:
        return bits;
    case 1: /* near 1 */
        return sign | (119 + few / 2) << 23 | fraction;
    case 2: /* just above a power of two */
        return sign | ((any << 23) + (bits & 7));
    case 3: /* just below */
        return sign | ((((any + 1) & 255) << 23) - 1 - (bits & 7));
    case 4: /* denormals and the least normal numbers */
        return sign | (few & 3) << 23 | fraction;
    case 5: /* the largest ones */
        return sign | (252 + (few & 3)) << 23 | fraction;
    case 6:
        return specials[bits % SPECIALS];
    default: /* few digits, for ties */
        return sign | (111 + few) << 23 | (fraction & (0x7fffffu << bits % 23) & 0x7fffff);
    }
}

FloatCase float_case(uint64_t *state)
{
    FloatCase x = {.a = operand(state), .b = operand(state), .c = operand(state)};
    const uint64_t choice = noise(state), nearly = noise(state);
    if ((choice & 3) == 0) /* a difference that cancels */
        x.b = (x.a ^ ((uint32_t)nearly & 0x807fffff & (uint32_t)(nearly >> 24))) +
              ((uint32_t)(choice >> 8 & 3) - 1) * 0x800000;
    switch (choice >> 4 & 7) {
    case 0: /* what a contracted multiplication and addition leaves */
        x.c = bits_of(-(float_of(x.a) * float_of(x.b)));
        break;
    case 1:
        x.c = bits_of(float_of(x.a) * float_of(x.b)) + (uint32_t)(nearly & 3) - 1;
        break;
    case 2:
        x.c = bits_of(-(float_of(x.a) + float_of(x.b)));
        break;
    default:
        break;
    }
    return x;
}

static uint64_t double_operand(uint64_t *state)
{
    /* clang-format off */
    static const uint64_t specials[SPECIALS] = {
        0, 0x8000000000000000u, 0x7ff0000000000000, 0xfff0000000000000u, 0x7ff8000000000000, 1,
        0x8000000000000001u, 0x000fffffffffffff, 0x0010000000000000, 0x7fefffffffffffff,
        0x3ff0000000000000, 0xfff0000000000001u, 0x7fffffffffffffff, 0xbff0000000000000u,
    };
    /* clang-format on */
    const uint64_t bits = noise(state) << 32 ^ noise(state), choice = noise(state);
    const uint64_t sign = bits & 0x8000000000000000u, fraction = bits & 0xfffffffffffff;
    const uint64_t any = choice >> 8 & 2047, few = choice >> 24 & 31;
    switch (choice & 7) {
    case 0:
        return bits;
    case 1:
        return sign | (1015 + few / 2) << 52 | fraction;
    case 2:
        return sign | ((any << 52) + (bits & 7));
    case 3:
        return sign | ((((any + 1) & 2047) << 52) - 1 - (bits & 7));
    case 4:
        return sign | (few & 3) << 52 | fraction;
    case 5:
        return sign | (2044 + (few & 3)) << 52 | fraction;
    case 6:
        return (choice & 64) != 0
                   ? specials[bits % SPECIALS]
                   : sign | (1007 + few) << 52 | (fraction & 0xfffffffffffff << bits % 52);
    default: /* near binary32: its denormals, and its ties */
        return sign | (870 + any % 290) << 52 |
               (((fraction | 0xfffffff) ^ 0xfffffff) + (few & 3) * 0x8000000 - (few >> 3));
    }
}

DoubleCase double_case(uint64_t *state)
{
    DoubleCase x = {.a = double_operand(state), .b = double_operand(state)};
    const uint64_t choice = noise(state), nearly = noise(state) << 32 ^ noise(state);
    if ((choice & 3) == 0)
        x.b = (x.a ^ (nearly & 0x800fffffffffffff & nearly >> 11)) +
              ((choice >> 8 & 3) - 1) * 0x10000000000000;
    return x;
}

static int64_t wide_of(uint32_t upper, uint32_t lower, uint32_t shift)
{
    return (int64_t)((uint64_t)upper << 32 | lower) >> (shift & 63);
}

void float_expected(FloatCase given, uint32_t results[FLOAT_RESULTS])
{
    const volatile float a = float_of(given.a), b = float_of(given.b), c = float_of(given.c);
    const volatile float product = a * b, sum = a + b, b_c = b + c; /* rounded */
    const volatile float a_by_c = a * c, b_by_c = b * c;
    const uint32_t a_bits = bits_of(a), b_bits = bits_of(b), c_bits = bits_of(c);
    const float values[FLOAT_RESULTS] = {
        [0] = sum,
        [1] = a - b,
        [2] = product,
        [3] = a / b,
        [4] = sqrtf(a),
        [5] = a < b ? a : b,
        [6] = a > b ? a : b,
        [7] = -a,
        [8] = fabsf(a),
        [9] = ldexpf(a, (int)(b_bits % 254) - 126),
        [11] = (float)(int32_t)a_bits,
        [12] = (float)a_bits,
        [13] = (float)wide_of(a_bits, b_bits, c_bits),
        [15] = product + c,
        [16] = c - product,
        [17] = sum + c,
        [18] = sum - a,
        [19] = product * c,
        [20] = product / b,
        [21] = a * b_c,
        [23] = 1 / a,
        [24] = (float)((double)a + (double)b),
        [25] = a + 0,
        [26] = a_by_c + b,
        [27] = a - b_by_c,
    };
    for (unsigned i = 0; i < FLOAT_RESULTS; i++)
        results[i] = bits_of(values[i]);
    results[10] = (uint32_t)(a < b) + 2 * (uint32_t)(a == b);
    results[14] = fabsf(a) < 0x1p31F ? (uint32_t)(int32_t)a : 0;
    results[22] = (uint32_t)(sum < c);
}

void double_expected(DoubleCase given, uint64_t results[DOUBLE_RESULTS])
{
    const volatile double a = double_of(given.a), b = double_of(given.b);
    const volatile float a_rounded = (float)a, b_rounded = (float)b;
    const double values[DOUBLE_RESULTS] = {
        [0] = a + b,
        [1] = a - b,
        [2] = a * b,
        [3] = a / b,
        [4] = sqrt(a),
        [9] = ldexp(a, (int)((uint32_t)(given.b >> 40) % 2046) - 1022),
        [11] = (int32_t)given.a,
        [12] = (uint32_t)given.a,
        [13] = (double)((int64_t)given.a >> (given.b & 63)),
        [16] = (double)float_of((uint32_t)(given.a >> 31)),
        [17] = (double)(a_rounded + b_rounded),
    };
    for (unsigned i = 0; i < DOUBLE_RESULTS; i++)
        results[i] = double_bits_of(values[i]);
    results[5] = a < b ? given.a : given.b;
    results[6] = a > b ? given.a : given.b;
    results[7] = given.a ^ 0x8000000000000000u;
    results[8] = given.a & 0x7fffffffffffffff;
    results[10] = (uint64_t)(a < b) + 2 * (uint64_t)(a == b);
    results[14] = fabs(a) < 0x1p63 ? (uint64_t)(int64_t)a : 0;
    results[15] = bits_of(a_rounded);
}
