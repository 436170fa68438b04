/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "report/number_format.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"

int number_decimals(double value)
{
    double magnitude = fabs(value);
    if (!(magnitude < 2147483648.0)) /* no 32-bit integer part: libvmaf then sees no fraction */
        return 6;

    /*
     * Counts the decimal places until the fraction reaches 1. The products must be rounded one by
     * one, as they are here: values next to 1e-6 fall on other sides of a closed-form threshold.
     */
    double fraction = magnitude - (double)(int32_t)magnitude;
    int places = 0;
    while (fraction < 1.0 && fraction != 0.0 && places <= 6) {
        fraction *= 10.0;
        places++;
    }
    return places <= 6 ? 6 : 16;
}

#ifdef __SIZEOF_INT128__

/* The digits of a number, at least `least` of them, from the left. Returns the end. */
static char *put_digits(char *text, uint64_t number, int least)
{
    char digits[20];
    int n = 0;
    do {
        digits[n++] = (char)('0' + number % 10);
        number /= 10;
    } while (number || n < least);
    while (n > 0)
        *text++ = digits[--n];
    return text;
}

/*
 * "%.*f" of a value whose integer part fits in 32 bits, several times as fast: reports of long
 * videos are made of such numbers. A value is mantissa / 2^shift; so that times 10^decimals, in
 * 53 + 54 bits, is rounded like the C library does it, by what the shift loses.
 */
static size_t print_fixed(char *text, double value, int decimals)
{
    const uint64_t unit = decimals == 6 ? 1000000 : 10000000000000000;
    int exponent;
    const uint64_t mantissa = (uint64_t)(frexp(fabs(value), &exponent) * 0x1p53);
    const unsigned shift = (unsigned)(53 - exponent);
    unsigned __int128 scaled = (unsigned __int128)mantissa * unit;
    if (shift > 108) {
        scaled = 0; /* less than a half */
    } else {
        const unsigned __int128 half = (unsigned __int128)1 << (shift - 1);
        const unsigned __int128 lost = scaled & (2 * half - 1);
        scaled >>= shift;
        scaled += lost > half || (lost == half && (scaled & 1));
    }
    char *end = text;
    if (signbit(value))
        *end++ = '-';
    end = put_digits(end, (uint64_t)(scaled / unit), 1);
    *end++ = '.';
    end = put_digits(end, (uint64_t)(scaled % unit), decimals);
    *end = '\0';
    return (size_t)(end - text);
}

#endif

/* C libraries differ in the sign of what is no number; this is as GNU's has it. */
static int print_not_finite(char *text, double value, const char *format)
{
    const char *flags = format + 1, *width = flags + strspn(flags, "-+ #0");
    char word[8];
    bool is_left = false, has_plus = false, has_blank = false;
    for (; flags < width; flags++) {
        is_left |= *flags == '-';
        has_plus |= *flags == '+';
        has_blank |= *flags == ' ';
    }
    snprintf(word, sizeof(word), "%s%s",
             signbit(value) ? "-"
             : has_plus     ? "+"
             : has_blank    ? " "
                            : "",
             isnan(value) ? "nan" : "inf");
    const int columns = atoi(width); /* 0: none; the precision means nothing */
    return snprintf(text, NUMBER_TEXT_SIZE, "%*s", is_left ? -columns : columns, word);
}

size_t number_print(char text[NUMBER_TEXT_SIZE], double value, const char *score_format)
{
    int length;
#ifdef __SIZEOF_INT128__
    if (!score_format && fabs(value) < 4294967296.0)
        return print_fixed(text, value, number_decimals(value));
#endif
    if (!isfinite(value))
        length = print_not_finite(text, value, score_format ? score_format : "%f");
    else if (score_format)
        length = snprintf(text, NUMBER_TEXT_SIZE, score_format, value);
    else
        length = snprintf(text, NUMBER_TEXT_SIZE, "%.*f", number_decimals(value), value);
    return length < 0 ? 0 : (size_t)length;
}

/* Skips a decimal number of at most SCORE_FORMAT_MAX_FIELD; false if it is larger. */
static bool skip_field(const char **text)
{
    unsigned value = 0;
    while (**text >= '0' && **text <= '9') {
        value = 10 * value + (unsigned)(*(*text)++ - '0');
        if (value > SCORE_FORMAT_MAX_FIELD)
            return false;
    }
    return true;
}

int report_check_score_format(const char *format)
{
    if (!format || *format++ != '%')
        return -EINVAL;
    format += strspn(format, "-+ #0");
    if (!skip_field(&format))
        return -EINVAL;
    if (*format == '.') {
        format++;
        if (!skip_field(&format))
            return -EINVAL;
    }
    bool one_conversion = *format && strchr("efga", *format) && format[1] == '\0';
    return one_conversion ? 0 : -EINVAL;
}
