/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_REPORT_NUMBER_FORMAT_H
#define CORE_REPORT_NUMBER_FORMAT_H

#include <stddef.h>

enum {
    SCORE_FORMAT_MAX_FIELD = 999, /* width and precision that a score format may ask for */
    /* Sign, digits of DBL_MAX, point, decimals, terminator: longer than any score. */
    NUMBER_TEXT_SIZE = 1 + 309 + 1 + SCORE_FORMAT_MAX_FIELD + 1,
};

/*
 * Decimal places with which libvmaf prints a score: 6, or 16 if its fraction is so small that 6
 * would show little of it. Integers and values that are not finite have 6.
 */
int number_decimals(double value);

/*
 * Prints a score, by number_decimals if `score_format` is NULL, else with that printf format (one
 * that report_check_score_format accepts). Values that are not finite: inf, -inf, nan, -nan. The
 * decimal point is that of the thread's locale: call it within vmaf_c_locale_enter. Returns the
 * length.
 */
size_t number_print(char text[NUMBER_TEXT_SIZE], double value, const char *score_format);

#endif
