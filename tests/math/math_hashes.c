/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * The functions that scores go through, for very many arguments: hashes of their results are
 * frozen.
 *
 *   math_hashes 5 [PATTERN...]    10^5 arguments each, for emulated processors; likewise 6 and 8
 *   math_hashes compare [N]       counts where the C library of this machine differs
 *   math_hashes print             the hashes as they are, for the table below
 *
 * Those of exp, log, log2, log10, pow and powf are also the hashes of glibc 2.36 with FMA.
 */

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/common/math/math_functions.h"
#include "support/cases.h"

/* Powers of ten: the numbers of arguments whose hashes are known. */
static const int powers[] = {5, 6, 8};

enum { N_POWERS = sizeof(powers) / sizeof(powers[0]) };

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
    /* where another polynomial begins */
    static const double limits[] = {1 - 0x1p-4, 1 + 0x1.09p-4, 1 - 0x1.5b51p-5, 1 + 0x1.6ab2p-5};
    Arguments a = {0, 0};
    switch (i % 6) {
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
    case 4:
        a.x = limits[random_bits() % 4];
        a.x *= 1 + scaled(-30, -14);
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
    uint64_t hashes[N_POWERS]; /* of the first arguments */
} Row;

#define FUNCTIONS(name) name##_of, software_##name, library_##name

static const Row rows[] = {
    /* clang-format off */
    {"exp", of_exp, FUNCTIONS(exp), {0x25e779bde45319d3, 0x81f2faa6b7cccefb, 0x35f3444e345460f7}},
    {"log", of_logarithm, FUNCTIONS(log),
     {0xf48ad64bb92eef7a, 0x9ade631cb1d1a029, 0x11481275ac4fec45}},
    {"log2", of_logarithm, FUNCTIONS(log2),
     {0xcaf551638898e2d6, 0x28bf917bc31fffd8, 0xfa401b87047e6424}},
    {"log10", of_logarithm, FUNCTIONS(log10),
     {0x311beebc6f34e55c, 0xcd9c53c0feacf10e, 0xfd66ffa890021c0d}},
    {"pow", of_pow, FUNCTIONS(pow), {0x643b7bc9276a87eb, 0xe8896c88f92ef038, 0x277fdb32005cc5b1}},
    {"powf", of_powf, FUNCTIONS(powf),
     {0x518c5ca6e132cda6, 0x916eb5f0f53817a9, 0xc765dc685c3f8a78}},
    {"sin", of_sine, FUNCTIONS(sin), {0xdddc381ae163ebc4, 0x6ab27ed2598dfbd5, 0x256f4b83349c8b71}},
    {"cos", of_sine, FUNCTIONS(cos), {0x46ae1e898584c76e, 0x3442c396c4e14a0b, 0xac2c9916d1bb4e82}},
    {"atan2", of_atan2, FUNCTIONS(atan2),
     {0xdec554c9e4b1b6aa, 0x62e78fe424610aec, 0x4a13e7e4007c62e4}},
    /* clang-format on */
};

enum { N_ROWS = sizeof(rows) / sizeof(rows[0]) };

/* All NaNs are one. */
static uint64_t result_bits(double result)
{
    return isnan(result) ? UINT64_C(0x7ff8000000000000) : bits_of(result);
}

static void start(void)
{
    state = UINT64_C(0x9e3779b97f4a7c15);
}

static uint64_t hash_of(const Row *row, Function *function, int power)
{
    uint64_t hash = 0, n = 1;
    for (int i = 0; i < power; i++)
        n *= 10;
    start();
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t bits = result_bits(function(row->arguments(i)));
        hash = ((hash << 5 | hash >> 59) ^ bits) * UINT64_C(0x9e3779b97f4a7c15);
    }
    return hash;
}

static bool check(const Row *row, const char *variant, Function *function, int p)
{
    const uint64_t hash = hash_of(row, function, powers[p]);
    if (hash == row->hashes[p])
        return true;
    printf("%s, %s: 0x%016" PRIx64 ", and not 0x%016" PRIx64 "\n", row->name, variant, hash,
           row->hashes[p]);
    return false;
}

static int check_all(int p)
{
    bool good = true;
    for (int i = 0; i < N_ROWS; i++) {
        const Row *row = &rows[i];
        if (!case_is_selected(row->name))
            continue;
        good = check(row, "as scores use it", row->function, p) && good;
        good = check(row, "without FMA", row->software, p) && good;
    }
    printf("%d functions, 10^%d arguments each, %s: %s\n", N_ROWS, powers[p],
           math_has_fma() ? "with FMA and without" : "without FMA", good ? "as ever" : "WRONG");
    return end_cases(!good);
}

static void print_all(void)
{
    for (int i = 0; i < N_ROWS; i++) {
        printf("%s", rows[i].name);
        for (int p = 0; p < N_POWERS; p++)
            printf(" 0x%016" PRIx64, hash_of(&rows[i], rows[i].function, powers[p]));
        puts("");
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
    const char *mode = argc > 1 ? argv[1] : "";
    if (strcmp(mode, "print") == 0) {
        print_all();
        return EXIT_SUCCESS;
    }
    if (strcmp(mode, "compare") == 0) {
        compare_all(argc > 2 ? strtoull(argv[2], NULL, 10) : 1000000);
        return EXIT_SUCCESS;
    }
    select_cases(argc - 1, argv + 1);
    for (int p = 0; p < N_POWERS; p++)
        if (strtol(mode, NULL, 10) == powers[p])
            return check_all(p);
    fprintf(stderr,
            "usage: math_hashes (5 | 6 | 8) [--list | FUNCTION...] | print | compare [N]\n");
    return EXIT_FAILURE;
}
