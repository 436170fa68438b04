/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef HTML_TEXT_H
#define HTML_TEXT_H

/* Text and numbers as a page can hold them. */

#include <stdio.h>

/*
 * Prints any bytes as text that neither ends an element or a quoted attribute nor begins one.
 * Bytes that are not UTF-8, and characters that HTML does not allow, become U+FFFD.
 */
void html_put_text(FILE *out, const char *text);

/* The same as a string of JSON that may stand in a script element. */
void html_put_json_string(FILE *out, const char *text);

enum { HTML_NUMBER_SIZE = 64 };

/* A score as the reports print it; "not a number" and the like for what is not finite. */
void html_put_score(FILE *out, const char *score_format, double score);

/* A number for the eye, in `decimals` places, with a minus sign. */
const char *html_number(char text[HTML_NUMBER_SIZE], double value, int decimals);

/* A count with thin spaces between thousands. */
const char *html_count(char text[HTML_NUMBER_SIZE], unsigned long long value);

/* 1:02:03.450: hours if there are any, seconds with `decimals` places. */
const char *html_time(char text[HTML_NUMBER_SIZE], double seconds, int decimals);

#endif
