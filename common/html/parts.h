/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef COMMON_HTML_PARTS_H
#define COMMON_HTML_PARTS_H

/* What pages are made of, this one and others: text and numbers as a page can hold them, axes of
 * plots, checksums, the style sheet. */

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Prints any bytes as text that neither ends an element or a quoted attribute nor begins one.
 * Bytes that are not UTF-8, and characters that HTML does not allow, become U+FFFD.
 */
void html_put_text(FILE *out, const char *text);

/* The same between two pieces of markup, most often the tags of an element. */
void html_put_element(FILE *out, const char *begin, const char *text, const char *end);

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

/* Range of an axis, and the numbers that are written beside it. */
typedef struct Axis {
    double low, high; /* low < high */
    double step;      /* ticks are at multiples of it */
    int decimals;     /* that tell neighbouring ticks apart */
} Axis;

/* From low to high, widened to whole steps; about `n` ticks. What is not finite counts as 0. */
Axis axis_of_values(double low, double high, unsigned n);

/* Exactly from low to high; steps are seconds and minutes that people count in if is_time. */
Axis axis_of_range(double low, double high, unsigned n, int is_time);

/* Position of a value, 0 to 1. */
double axis_place(const Axis *axis, double value);

/* First tick, the number of ticks, and each of them. */
double axis_first_tick(const Axis *axis);
size_t axis_ticks(const Axis *axis);
double axis_tick(const Axis *axis, size_t i);

/* Room for the numbers beside an axis, in characters. */
size_t axis_room(const Axis *axis);

enum { PLOT_WIDTH = 4000, PLOT_HEIGHT = 1000 }; /* of drawings, whatever their size on a screen */

/* Lines across a drawing at the ticks of its vertical axis, and the numbers beside it. */
void html_put_grid(FILE *out, const Axis *y);
void html_put_y_numbers(FILE *out, const Axis *y, const char *unit);

/* CRC-32 of zlib and PNG (ISO/IEC 15948, annex D) of bytes that follow those of `crc`; 0: none
 * precede. */
uint32_t checksum_crc32(uint32_t crc, const void *bytes, size_t size);

/* page.css and page.js, which the build makes C of. */
extern const char html_style_sheet[], html_script[];
extern const size_t html_style_sheet_size, html_script_size;

#endif
