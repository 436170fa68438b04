/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "report/number_format.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
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

size_t number_print(char text[NUMBER_TEXT_SIZE], double value, const char *score_format)
{
    int length;
    if (score_format)
        length = snprintf(text, NUMBER_TEXT_SIZE, score_format, value);
    else if (isfinite(value))
        length = snprintf(text, NUMBER_TEXT_SIZE, "%.*f", number_decimals(value), value);
    else
        length = snprintf(text, NUMBER_TEXT_SIZE, "%s%s", signbit(value) ? "-" : "",
                          isnan(value) ? "nan" : "inf");
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
