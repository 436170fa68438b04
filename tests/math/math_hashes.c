/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * The functions that scores go through, for very many arguments: hashes of their results are
 * frozen.
 *
 *   math_hashes                   10^6 arguments each
 *   math_hashes many              10^8
 *   math_hashes compare [N]       counts where the C library of this machine differs
 *   math_hashes print             the hashes as they are, for the table below
 *
 * Those of exp, log, log2, log10, pow and powf are also the hashes of glibc 2.36 with FMA.
 */

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "definition/math/math_functions.h"
#include "definition/math/math_variants.h"

enum { FEW = 1000000, MANY = 100000000 };

typedef struct Arguments {
    double x, y;
} Arguments;

/* -- arguments: made without any function whose rounding is in question -- */

static uint64_t state;

static uint64_t random_bits(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * UINT64_C(0x2545f4914f6cdd1d);
}

static double uniform(double low, double high)
{
    return low + (double)(random_bits() >> 11) * 0x1p-53 * (high - low);
}

static double from_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof(x));
    return x;
}

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof(bits));
    return bits;
}

/* Any bits at all: subnormal numbers, infinities and NaNs are among them. */
static double any(void)
{
    return from_bits(random_bits());
}

/* Either sign, and exponents that are all as likely. */
static double scaled(int least_exponent, int greatest_exponent)
{
    const uint64_t bits = random_bits();
    const uint64_t exponent = (uint64_t)(1023 + least_exponent) +
                              (bits >> 32) % (uint64_t)(greatest_exponent - least_exponent + 1);
    return from_bits((random_bits() >> 12) | exponent << 52 | (bits & 1) << 63);
}

static double subnormal(void)
{
    const uint64_t n_zeros = 12 + random_bits() % 50;
    return from_bits(random_bits() >> n_zeros);
}

static float any_float(void)
{
    const uint32_t bits = (uint32_t)(random_bits() >> 32);
    float x;
    memcpy(&x, &bits, sizeof(x));
    return x;
}

/* Calls within one expression would come in any order: x is made first. */

static Arguments of_exp(uint64_t i)
{
    Arguments a = {0, 0};
    switch (i % 5) {
    case 0: /* as models have them */
        a.x = uniform(-40, 0);
        break;
    case 1:
        a.x = uniform(-750, 715);
        break;
    case 2: /* subnormal results */
        a.x = uniform(-746, -707);
        break;
    case 3:
        a.x = scaled(-58, 10);
        break;
    default:
        a.x = any();
    }
    return a;
}

static Arguments of_logarithm(uint64_t i)
{
    Arguments a = {0, 0};
    switch (i % 5) {
    case 0:
        a.x = fabs(scaled(-30, 30));
        break;
    case 1:
        a.x = uniform(0.875, 1.125);
        break;
    case 2:
        a.x = 1 + scaled(-52, -4);
        break;
    case 3:
        a.x = subnormal();
        break;
    default:
        a.x = any();
    }
    return a;
}

static Arguments of_pow(uint64_t i)
{
    static const double exponents[] = {1.0 / 3, 2.4, 7, 0.5, 2, 3, 0.6276336467831387, -0.2712};
    Arguments a;
    switch (i % 8) {
    case 0:
        a.x = fabs(scaled(-20, 20));
        a.y = uniform(-50, 50);
        break;
    case 1:
        a.x = fabs(scaled(-30, 10));
        a.y = exponents[random_bits() % 8];
        break;
    case 2:
        a.x = uniform(0.9, 1.1);
        a.y = scaled(-10, 14);
        break;
    case 3:
        a.x = 1 + scaled(-52, -8);
        a.y = scaled(0, 62);
        break;
    case 4:
        a.x = scaled(-1022, 1023);
        a.y = (double)(random_bits() % 41) - 20;
        break;
    case 5: /* subnormal results, of either sign */
        a.x = uniform(-1, 1);
        a.y = a.x < 0 ? (double)(700 + random_bits() % 375) : uniform(700, 1075);
        break;
    case 6:
        a.x = subnormal();
        a.y = uniform(-1, 1);
        break;
    default:
        a.x = any();
        a.y = any();
    }
    return a;
}

static Arguments of_powf(uint64_t i)
{
    static const float exponents[] = {1.0F / 3, 7, 2.5F, 0.5F, 1.5F, 2, 4, 10};
    Arguments a;
    switch (i % 7) {
    case 0:
        a.x = fabs(scaled(-20, 20));
        a.y = uniform(-9, 9);
        break;
    case 1:
        a.x = fabs(scaled(-30, 30));
        a.y = exponents[random_bits() % 8];
        break;
    case 2:
        a.x = uniform(0.9, 1.1);
        a.y = scaled(-10, 14);
        break;
    case 3:
        a.x = any_float();
        a.y = (double)(random_bits() % 41) - 20;
        break;
    case 4: /* subnormal results, of either sign */
        a.x = uniform(-1, 1);
        a.y = a.x < 0 ? (double)(80 + random_bits() % 70) : uniform(80, 150);
        break;
    case 5: /* subnormal arguments */
        a.x = fabs(scaled(-149, -126));
        a.y = uniform(-1, 1);
        break;
    default:
        a.x = any_float();
        a.y = any_float();
    }
    /* The arguments that the function has. */
    a.x = (float)a.x;
    a.y = (float)a.y;
    return a;
}

static Arguments of_sine(uint64_t i)
{
    Arguments a = {0, 0};
    switch (i % 4) {
    case 0:
        a.x = uniform(-32, 32);
        break;
    case 1:
        a.x = (float)uniform(-7, 7);
        break;
    case 2:
        a.x = scaled(-30, 14);
        break;
    default: /* near multiples of pi/128 */
        a.x = ((double)(random_bits() % 4001) - 2000) * 0x1.921fb54442d18p-6;
        a.x *= 1 + scaled(-52, -20);
    }
    return a;
}

static Arguments of_atan2(uint64_t i)
{
    Arguments a;
    switch (i % 4) {
    case 0:
        a.x = (float)uniform(-200, 200);
        a.y = (float)uniform(-200, 200);
        break;
    case 1:
        a.x = uniform(-1, 1);
        a.y = uniform(-1, 1);
        break;
    case 2:
        a.x = scaled(-40, 40);
        a.y = scaled(-40, 40);
        break;
    default:
        a.x = any();
        a.y = any();
    }
    return a;
}

/* -- functions -- */

typedef double Function(Arguments a);

#define DEFINE_UNARY(name)                                                                         \
    static double name##_of(Arguments a)                                                           \
    {                                                                                              \
        return math_##name(a.x);                                                                   \
    }                                                                                              \
    static double software_##name(Arguments a)                                                     \
    {                                                                                              \
        return math_##name##_software(a.x);                                                        \
    }                                                                                              \
    static double library_##name(Arguments a)                                                      \
    {                                                                                              \
        return name(a.x);                                                                          \
    }
#define DEFINE_BINARY(type, name)                                                                  \
    static double name##_of(Arguments a)                                                           \
    {                                                                                              \
        return math_##name((type)a.x, (type)a.y);                                                  \
    }                                                                                              \
    static double software_##name(Arguments a)                                                     \
    {                                                                                              \
        return math_##name##_software((type)a.x, (type)a.y);                                       \
    }                                                                                              \
    static double library_##name(Arguments a)                                                      \
    {                                                                                              \
        return name((type)a.x, (type)a.y);                                                         \
    }

DEFINE_UNARY(exp)
DEFINE_UNARY(log)
DEFINE_UNARY(log2)
DEFINE_UNARY(log10)
DEFINE_BINARY(double, pow)
DEFINE_BINARY(float, powf)
DEFINE_UNARY(sin)
DEFINE_UNARY(cos)
DEFINE_BINARY(double, atan2)

typedef struct Row {
    const char *name;
    Arguments (*arguments)(uint64_t i);
    Function *function, *software, *library;
    uint64_t few, many; /* hashes of the first arguments */
} Row;

#define FUNCTIONS(name) name##_of, software_##name, library_##name

static const Row rows[] = {
    {"exp", of_exp, FUNCTIONS(exp), UINT64_C(0x81f2faa6b7cccefb), UINT64_C(0x35f3444e345460f7)},
    {"log", of_logarithm, FUNCTIONS(log), UINT64_C(0xc6846296e1b09546),
     UINT64_C(0x17123dd50cda6034)},
    {"log2", of_logarithm, FUNCTIONS(log2), UINT64_C(0x7aa8e40017456c5b),
     UINT64_C(0x3da99d6088317401)},
    {"log10", of_logarithm, FUNCTIONS(log10), UINT64_C(0x739b643ade180cb2),
     UINT64_C(0x3d4f045aa4a85324)},
    {"pow", of_pow, FUNCTIONS(pow), UINT64_C(0xe8896c88f92ef038), UINT64_C(0x277fdb32005cc5b1)},
    {"powf", of_powf, FUNCTIONS(powf), UINT64_C(0x916eb5f0f53817a9), UINT64_C(0xc765dc685c3f8a78)},
    {"sin", of_sine, FUNCTIONS(sin), UINT64_C(0x6ab27ed2598dfbd5), UINT64_C(0x256f4b83349c8b71)},
    {"cos", of_sine, FUNCTIONS(cos), UINT64_C(0x3442c396c4e14a0b), UINT64_C(0xac2c9916d1bb4e82)},
    {"atan2", of_atan2, FUNCTIONS(atan2), UINT64_C(0x62e78fe424610aec),
     UINT64_C(0x4a13e7e4007c62e4)},
};

enum { N_ROWS = sizeof(rows) / sizeof(rows[0]) };

/* All NaNs are one, and so are numbers on machines with another order of bytes. */
static uint64_t result_bits(double result)
{
    return isnan(result) ? UINT64_C(0x7ff8000000000000) : bits_of(result);
}

static void start(void)
{
    state = UINT64_C(0x9e3779b97f4a7c15);
}

static uint64_t hash_of(const Row *row, Function *function, uint64_t n)
{
    uint64_t hash = 0;
    start();
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t bits = result_bits(function(row->arguments(i)));
        hash = ((hash << 5 | hash >> 59) ^ bits) * UINT64_C(0x9e3779b97f4a7c15);
    }
    return hash;
}

static bool check(const Row *row, const char *variant, Function *function, bool is_many)
{
    const uint64_t expected = is_many ? row->many : row->few;
    const uint64_t hash = hash_of(row, function, is_many ? MANY : FEW);
    if (hash == expected)
        return true;
    printf("%s, %s: 0x%016" PRIx64 ", and not 0x%016" PRIx64 "\n", row->name, variant, hash,
           expected);
    return false;
}

static int check_all(bool is_many)
{
    bool good = true;
    for (int i = 0; i < N_ROWS; i++) {
        const Row *row = &rows[i];
        good = check(row, "as scores use it", row->function, is_many) && good;
        good = check(row, "without FMA", row->software, is_many) && good;
    }
    printf("%d functions, %s arguments each, %s: %s\n", N_ROWS, is_many ? "10^8" : "10^6",
           math_has_fma() ? "with FMA and without" : "without FMA", good ? "as ever" : "WRONG");
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}

static void print_all(void)
{
    for (int i = 0; i < N_ROWS; i++) {
        const Row *row = &rows[i];
        printf("{\"%s\", 0x%016" PRIx64 ", 0x%016" PRIx64 "}\n", row->name,
               hash_of(row, row->function, FEW), hash_of(row, row->function, MANY));
        fflush(stdout);
    }
}

static void compare_all(uint64_t n)
{
    for (int r = 0; r < N_ROWS; r++) {
        const Row *row = &rows[r];
        uint64_t n_different = 0, n_float = 0;
        start();
        for (uint64_t i = 0; i < n; i++) {
            const Arguments a = row->arguments(i);
            const double ours = row->function(a), theirs = row->library(a);
            n_different += result_bits(ours) != result_bits(theirs);
            n_float += result_bits((float)ours) != result_bits((float)theirs);
        }
        printf("%-6s %" PRIu64 " of %" PRIu64 " differ, %" PRIu64 " when rounded to binary32\n",
               row->name, n_different, n, n_float);
        fflush(stdout);
    }
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "few";
    if (strcmp(mode, "print") == 0)
        print_all();
    else if (strcmp(mode, "compare") == 0)
        compare_all(argc > 2 ? strtoull(argv[2], NULL, 10) : FEW);
    else
        return check_all(strcmp(mode, "many") == 0);
    return EXIT_SUCCESS;
}
