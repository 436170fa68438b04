/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * Computes the tables of src/metrics/common/math, in fixed point with 256 bits behind the point,
 * and prints the source. See README.md.
 */

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/common/math/math_internal.h"

/* -- arithmetic: magnitudes below 2^31, with a sign -- */

enum { LIMBS = 9, FRACTION_BITS = 32 * (LIMBS - 1) };

typedef struct Fixed {
    bool negative;
    uint32_t limb[LIMBS]; /* from the lowest */
} Fixed;

static Fixed zero(void)
{
    return (Fixed){0};
}

static Fixed of_unsigned(uint32_t n)
{
    Fixed x = zero();
    x.limb[LIMBS - 1] = n;
    return x;
}

static Fixed negated(Fixed x)
{
    x.negative = !x.negative;
    return x;
}

static int compare_magnitudes(const Fixed *a, const Fixed *b)
{
    for (int i = LIMBS; i-- > 0;)
        if (a->limb[i] != b->limb[i])
            return a->limb[i] < b->limb[i] ? -1 : 1;
    return 0;
}

static bool is_zero(const Fixed *x)
{
    const Fixed none = zero();
    return compare_magnitudes(x, &none) == 0;
}

static Fixed sum(Fixed a, Fixed b)
{
    Fixed result = zero();
    if (a.negative == b.negative) {
        uint64_t carry = 0;
        for (int i = 0; i < LIMBS; i++) {
            carry += (uint64_t)a.limb[i] + b.limb[i];
            result.limb[i] = (uint32_t)carry;
            carry >>= 32;
        }
        result.negative = a.negative;
        return result;
    }
    if (compare_magnitudes(&a, &b) < 0)
        return sum(b, a);
    int64_t borrow = 0;
    for (int i = 0; i < LIMBS; i++) {
        borrow += (int64_t)a.limb[i] - b.limb[i];
        result.limb[i] = (uint32_t)borrow;
        borrow >>= 32;
    }
    result.negative = a.negative;
    return result;
}

static Fixed difference(Fixed a, Fixed b)
{
    return sum(a, negated(b));
}

static Fixed product(const Fixed *a, const Fixed *b)
{
    uint32_t full[2 * LIMBS] = {0};
    for (int i = 0; i < LIMBS; i++) {
        uint64_t carry = 0;
        for (int j = 0; j < LIMBS; j++) {
            carry += (uint64_t)a->limb[i] * b->limb[j] + full[i + j];
            full[i + j] = (uint32_t)carry;
            carry >>= 32;
        }
        full[i + LIMBS] = (uint32_t)carry;
    }
    Fixed result = {.negative = a->negative != b->negative};
    memcpy(result.limb, full + LIMBS - 1, sizeof(result.limb));
    return result;
}

static Fixed quotient_by(Fixed x, uint32_t divisor)
{
    uint64_t rest = 0;
    for (int i = LIMBS; i-- > 0;) {
        rest = rest << 32 | x.limb[i];
        x.limb[i] = (uint32_t)(rest / divisor);
        rest %= divisor;
    }
    return x;
}

static Fixed doubled(Fixed x)
{
    return sum(x, x);
}

/* Bit by bit; a is less than b in magnitude. */
static Fixed quotient(Fixed a, Fixed b)
{
    Fixed result = {.negative = a.negative != b.negative};
    a.negative = b.negative = false;
    for (int bit = FRACTION_BITS; bit-- > 0;) {
        a = doubled(a);
        if (compare_magnitudes(&a, &b) >= 0) {
            a = difference(a, b);
            result.limb[bit / 32] |= UINT32_C(1) << bit % 32;
        }
    }
    return result;
}

/* -- from and to binary64 -- */

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

static Fixed of_double(double x)
{
    Fixed result = {.negative = x < 0};
    double rest = fabs(x);
    for (int i = LIMBS; i-- > 0;) {
        result.limb[i] = (uint32_t)rest;
        rest = (rest - result.limb[i]) * 0x1p32;
    }
    if (rest != 0) {
        fprintf(stderr, "math-tables: %a has too many bits\n", x);
        exit(1);
    }
    return result;
}

/* Rounds to the nearest multiple of 2^-places. */
static double rounded_to(const Fixed *x, int places)
{
    Fixed half = zero();
    const int bit = FRACTION_BITS - places;
    half.limb[(bit - 1) / 32] = UINT32_C(1) << (bit - 1) % 32;
    Fixed y = *x;
    y.negative = false;
    y = sum(y, half);
    double result = 0;
    for (int i = LIMBS; i-- > 0;) {
        uint32_t limb = y.limb[i];
        if (32 * i < bit)
            limb = 32 * i + 32 <= bit ? 0 : limb & ~((UINT32_C(1) << (bit - 32 * i)) - 1);
        result += ldexp(limb, 32 * i - FRACTION_BITS);
    }
    return x->negative ? -result : result;
}

static double rounded(const Fixed *x)
{
    if (is_zero(x))
        return 0;
    int top = 32 * LIMBS - 1;
    while (!(x->limb[top / 32] >> top % 32 & 1))
        top--;
    /* What is so small that it has fewer bits is but an error of the arithmetic. */
    return top > 52 ? rounded_to(x, FRACTION_BITS - (top - 52)) : 0;
}

/* -- functions -- */

/* x + sign x^3/3 + x^5/5 + sign x^7/7 ... */
static Fixed arc_series(Fixed x, bool alternates)
{
    const Fixed square = product(&x, &x);
    Fixed result = zero(), power = x;
    for (uint32_t n = 1; !is_zero(&power); n += 2) {
        const Fixed term = quotient_by(power, n);
        result = alternates && n % 4 == 3 ? difference(result, term) : sum(result, term);
        power = product(&power, &square);
    }
    return result;
}

/* The natural logarithm of x between 1/2 and 2. */
static Fixed logarithm(Fixed x)
{
    const Fixed one = of_unsigned(1);
    return doubled(arc_series(quotient(difference(x, one), sum(x, one)), false));
}

static Fixed ln_2(void)
{
    return doubled(arc_series(quotient_by(of_unsigned(1), 3), false));
}

/* Sums x^n/n! over n = first, first + step..., with signs that alternate if step is 2. */
static Fixed power_series(Fixed x, uint32_t first, uint32_t step)
{
    Fixed result = zero(), term = of_unsigned(1);
    for (uint32_t n = 0; !is_zero(&term); n++) {
        if (n % step == first)
            result = step == 2 && n % 4 >= 2 ? difference(result, term) : sum(result, term);
        term = quotient_by(product(&term, &x), n + 1);
    }
    return result;
}

/* Machin: pi/4 = 4 arctan(1/5) - arctan(1/239) */
static Fixed pi(void)
{
    const Fixed fifth = arc_series(quotient_by(of_unsigned(1), 5), true);
    const Fixed small = arc_series(quotient_by(of_unsigned(1), 239), true);
    return doubled(doubled(difference(doubled(doubled(fifth)), small)));
}

static Fixed arc_tangent(Fixed x)
{
    const Fixed one = of_unsigned(1);
    if (compare_magnitudes(&x, &one) == 0)
        return quotient_by(pi(), 4);
    /* Twice that of x / (1 + sqrt(1 + x^2)) would need a root: by steps of 1/4 instead. */
    Fixed result = zero();
    const Fixed step = quotient_by(one, 4);
    while (compare_magnitudes(&x, &step) > 0) {
        const Fixed scaled = product(&x, &step);
        x = quotient(difference(x, step), sum(one, scaled));
        result = sum(result, arc_series(step, true));
    }
    return sum(result, arc_series(x, true));
}

/* -- what Arm chose -- */

/*
 * Tables of logarithms have, for each step, a c near the middle of it whose logarithm is nearly a
 * number of the table. These were found among 2^30 or 2^31 neighbours of each middle: its inverse
 * is that of the middle, rounded, plus so many units in the last place.
 */
static const int log_offsets[LOG_STEPS] = {
    -23142382,  -57643754,  -234334839, -124664804, 19045012,   -123323398, -501163255, 342479926,
    -234593306, 57421184,   513617488,  -240891478, 85169741,   28659150,   284053799,  342563057,
    -68420459,  -346144712, -90113766,  -464022980, 285342708,  -489548825, 376054848,  47397812,
    -423637851, -260988534, 336107021,  448241578,  154177355,  447893384,  241227555,  -420636714,
    -218426730, -96876684,  -205835218, -368178198, -345128710, -510284502, 481763731,  209336112,
    429336310,  15489329,   442353177,  -417834330, 73183371,   515232680,  507984536,  83787275,
    330409952,  151596684,  377744204,  198302857,  214798271,  -345957716, 356163107,  215510022,
    -229897960, -131709726, 215213618,  -464519207, -332821996, 385780520,  -400344786, 256208139,
    478356527,  345720337,  128466877,  217515751,  -162048343, 295127580,  -235892775, -69369347,
    93666841,   -272860130, 91915174,   29018059,   258893229,  386009280,  -241633007, 68399381,
    386341370,  408940642,  65060217,   -120872168, 189498853,  -32395328,  -49955913,  154042178,
    -346113480, 148348366,  -396488327, -427431396, 107119491,  -500798201, 212184347,  305888811,
    -330297730, -91422864,  6707636,    273897542,  -512931067, -500150233, 485589437,  -280752730,
    106848032,  30953893,   -291342514, -408884927, 149302919,  -107851081, 225432558,  460497078,
    -452391632, -490679353, 508304210,  493208081,  336502878,  526975298,  -457361038, -312310462,
    -365194252, -421357131, 362015322,  310793228,  -441535439, -69145545,  -528727990, 433364383,
};

static const int log2_offsets[LOG2_STEPS] = {
    -328544708, -74476326,   1021141498, -931182196, 504379064,  -335614843,  -283118344,
    -758775068, 270002250,   -664773176, 119721058,  -796885113, 398067151,   688888268,
    -781335381, 311471183,   513703399,  419598957,  649865984,  408218657,   174518592,
    571646530,  435428157,   -216810764, -991209262, -690557345, -1030886551, 398740487,
    66223972,   932406211,   967645063,  -979151458, -28036586,  -817826823,  -365698287,
    -981846215, -1065532483, -332011688, 201404552,  363032081,  -137453701,  900509459,
    -327015489, -795511436,  214218588,  759630975,  -488691505, -693136430,  -418196895,
    -982645419, -1031413185, 767668918,  191094814,  358029168,  -1027234167, -92054101,
    -59776880,  -273556791,  -87604962,  -82950621,  1000733367, 46436578,    255011079,
    359290331,
};

static const double log2_f32_inverses[LOG2_F32_STEPS] = {
    0x1.661ec79f8f3bep+0, 0x1.571ed4aaf883dp+0,
    0x1.49539f0f010bp+0,  0x1.3c995b0b80385p+0,
    0x1.30d190c8864a5p+0, 0x1.25e227b0b8eap+0,
    0x1.1bb4a4a1a343fp+0, 0x1.12358f08ae5bap+0,
    0x1.0953f419900a7p+0, 0x1p+0,
    0x1.e608cfd9a47acp-1, 0x1.ca4b31f026aap-1,
    0x1.b2036576afce6p-1, 0x1.9c2d163a1aa2dp-1,
    0x1.886e6037841edp-1, 0x1.767dcf5534862p-1,
};

/* -- tables -- */

static const uint64_t least_z = UINT64_C(0x3fe6000000000000); /* 11/16 */

static double inverse_of_step(unsigned step, unsigned steps, int offset)
{
    const uint64_t width = (UINT64_C(1) << 52) / steps, first = least_z + step * width;
    const Fixed middle =
        quotient_by(sum(of_double(from_bits(first)), of_double(from_bits(first + width))), 2);
    /* quotient() wants a result below 1 */
    const Fixed quarter = quotient(quotient_by(of_unsigned(1), 4), middle);
    const Fixed inverse = doubled(doubled(quarter));
    return from_bits(bits_of(rounded(&inverse)) + (uint64_t)(int64_t)offset);
}

/* The logarithm of 1/inverse, to base 2 or e. */
static Fixed logarithm_of_inverse(double inverse, bool is_binary)
{
    const Fixed natural = logarithm(of_double(inverse));
    return negated(is_binary ? quotient(natural, ln_2()) : natural);
}

static void print_exp_rows(void)
{
    puts("const ExpRow math_exp_rows[EXP_STEPS] = {");
    for (uint32_t i = 0; i < EXP_STEPS; i++) {
        const Fixed factor = of_unsigned(i), ln = ln_2();
        const Fixed exact = power_series(quotient_by(product(&ln, &factor), EXP_STEPS), 0, 1);
        const double bound = rounded(&exact);
        /* exact/bound - 1; bound is at least 1 */
        Fixed lost = quotient(difference(exact, of_double(bound)), of_double(bound));
        printf("{%a, 0x%" PRIx64 "},\n", rounded(&lost), bits_of(bound) - ((uint64_t)i << 45));
    }
    puts("};\n");
    puts("const uint64_t math_exp_f32_bits[EXP_F32_STEPS] = {");
    for (uint32_t i = 0; i < EXP_F32_STEPS; i++) {
        const Fixed factor = of_unsigned(i), ln = ln_2();
        const Fixed exact = power_series(quotient_by(product(&ln, &factor), EXP_F32_STEPS), 0, 1);
        printf("0x%" PRIx64 ",\n", bits_of(rounded(&exact)) - ((uint64_t)i << 47));
    }
    puts("};\n");
}

static void print_log_row(double inverse, double log)
{
    printf("{%a, %a},\n", inverse, log);
}

static void print_log_rows(void)
{
    puts("const LogRow math_log_rows[LOG_STEPS] = {");
    for (unsigned i = 0; i < LOG_STEPS; i++) {
        const double inverse = inverse_of_step(i, LOG_STEPS, log_offsets[i]);
        const Fixed log = logarithm_of_inverse(inverse, false);
        print_log_row(inverse, rounded_to(&log, 43));
    }
    puts("};\n");
    puts("const LogRow math_log2_rows[LOG2_STEPS] = {");
    for (unsigned i = 0; i < LOG2_STEPS; i++) {
        const double inverse = inverse_of_step(i, LOG2_STEPS, log2_offsets[i]);
        const Fixed log = logarithm_of_inverse(inverse, true);
        print_log_row(inverse, rounded_to(&log, 42));
    }
    puts("};\n");
    puts("const LogRow math_log2_f32_rows[LOG2_F32_STEPS] = {");
    for (unsigned i = 0; i < LOG2_F32_STEPS; i++) {
        const Fixed log = logarithm_of_inverse(log2_f32_inverses[i], true);
        print_log_row(log2_f32_inverses[i], rounded(&log));
    }
    puts("};\n");
}

/* Inverses of few bits, so that z inverse - 1 is exact for z of the step. */
static void print_pow_log_rows(void)
{
    puts("const PowLogRow math_pow_log_rows[POW_LOG_STEPS] = {");
    for (unsigned i = 0; i < POW_LOG_STEPS; i++) {
        const uint64_t first = UINT64_C(0x3fe6955500000000) + ((uint64_t)i << 45);
        const double middle = (from_bits(first) + from_bits(first + (UINT64_C(1) << 45))) / 2;
        const double n = POW_LOG_STEPS;
        const double inverse = middle < 1 ? round(n / middle) / n : round(2 * n / middle) / n / 2;
        const Fixed log = logarithm_of_inverse(inverse, false);
        const double high = rounded_to(&log, 43);
        const Fixed rest = difference(log, of_double(high));
        printf("{%a, %a, %a},\n", inverse, high, rounded(&rest));
    }
    puts("};\n");
}

static void print_double_double(Fixed x)
{
    const double hi = rounded(&x);
    const Fixed rest = difference(x, of_double(hi));
    const double lo = rounded(&rest);
    printf("{%a, %a},\n", hi, lo);
}

static void print_angles(void)
{
    const Fixed one = of_unsigned(1);
    puts("const DoubleDouble math_sines[SINE_STEPS + 1] = {");
    for (uint32_t i = 0; i <= SINE_STEPS; i++) {
        const Fixed factor = of_unsigned(i), half_turn = pi();
        print_double_double(
            power_series(quotient_by(product(&half_turn, &factor), 2 * SINE_STEPS), 1, 2));
    }
    puts("};\n");
    puts("const DoubleDouble math_arc_tangents[ARC_TANGENT_STEPS + 1] = {");
    for (uint32_t i = 0; i <= ARC_TANGENT_STEPS; i++) {
        const Fixed factor = of_unsigned(i), slope = quotient_by(one, ARC_TANGENT_STEPS);
        print_double_double(arc_tangent(product(&slope, &factor)));
    }
    puts("};");
}

int main(void)
{
    puts("/* SPDX-License-Identifier: BSD-2-Clause-Patent */\n"
         "/* Made by tools/math-tables. */\n"
         "#include \"metrics/common/math/math_internal.h\"\n");
    print_exp_rows();
    print_log_rows();
    print_pow_log_rows();
    print_angles();
    return 0;
}
