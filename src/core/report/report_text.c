/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Numbers and names as reports hold them. */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/text.h"
#include "report/report_internal.h"

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

/* U+FFFD in UTF-8: replaces what a format cannot hold. */
#define REPLACEMENT "\xef\xbf\xbd"

/* A character of a text: its code point and its bytes; length 0: an invalid byte. */
typedef struct Character {
    uint32_t code;
    const char *bytes;
    size_t length;
} Character;

static bool next_character(const char **text, Character *character)
{
    if (!**text)
        return false;
    *character = (Character){.bytes = *text};
    character->length = vmaf_utf8_length(*text, VMAF_UTF8_MAX, &character->code);
    *text += character->length ? character->length : 1;
    return true;
}

/* True if a text needs no escaping at all, as nearly all names. */
static bool is_plain(const char *text)
{
    /* strspn() would make a table of so many characters at each call. */
    while (vmaf_ascii_is_alnum(*text) || *text == '_' || *text == '.' || *text == '-')
        text++;
    return !*text;
}

static void put_or_replace(VmafAtomicFile *file, const Character *c, bool keep)
{
    if (keep && c->length)
        vmaf_atomic_file_write(file, c->bytes, c->length);
    else
        vmaf_atomic_file_puts(file, REPLACEMENT);
}

void report_put_json_string(VmafAtomicFile *file, const char *text)
{
    Character c;
    vmaf_atomic_file_puts(file, "\"");
    if (is_plain(text)) {
        vmaf_atomic_file_puts(file, text);
        text = "";
    }
    while (next_character(&text, &c)) {
        char escaped[8];
        if (c.code == '"' || c.code == '\\')
            snprintf(escaped, sizeof(escaped), "\\%c", (char)c.code);
        else if (c.length && c.code < 0x20)
            snprintf(escaped, sizeof(escaped), "\\u%04x", (unsigned)c.code);
        else
            *escaped = '\0';
        if (*escaped)
            vmaf_atomic_file_puts(file, escaped);
        else
            put_or_replace(file, &c, true);
    }
    vmaf_atomic_file_puts(file, "\"");
}

void report_put_xml_value(VmafAtomicFile *file, const char *text)
{
    Character c;
    if (is_plain(text)) {
        vmaf_atomic_file_puts(file, text);
        return;
    }
    while (next_character(&text, &c)) {
        char reference[16];
        if (c.length && (c.code == '\t' || c.code == '\n' || c.code == '\r' || c.code == '"' ||
                         c.code == '&' || c.code == '<' || c.code == '>')) {
            snprintf(reference, sizeof(reference), "&#%u;", (unsigned)c.code);
            vmaf_atomic_file_puts(file, reference);
        } else {
            put_or_replace(file, &c, c.code >= 0x20 && c.code != 0xfffe && c.code != 0xffff);
        }
    }
}

static bool is_letter(uint32_t code)
{
    return (code >= 'A' && code <= 'Z') || (code >= 'a' && code <= 'z') || code == '_';
}

static bool may_follow(uint32_t code)
{
    return is_letter(code) || (code >= '0' && code <= '9') || code == '-' || code == '.';
}

/* True if an underscore would read as the start of an escape. */
static bool starts_escape(const char *text)
{
    if (text[0] != '_' || text[1] != 'x')
        return false;
    size_t digits = strspn(text + 2, "0123456789ABCDEF");
    return digits >= 4 && text[2 + digits] == '_';
}

void report_put_xml_name(VmafAtomicFile *file, const char *text)
{
    /* Names that XML reserves, and the attribute that every frame has. */
    bool is_reserved = vmaf_ascii_begins_alike(text, "xml", 3) || !strcmp(text, "frameNum");
    if (is_plain(text) && is_letter((unsigned char)*text) && !is_reserved && !strstr(text, "_x")) {
        vmaf_atomic_file_puts(file, text);
        return;
    }
    if (!*text)
        vmaf_atomic_file_puts(file, "_x0000_");
    Character c;
    bool first = true;
    while (next_character(&text, &c)) {
        bool keep = c.length && (first ? is_letter(c.code) && !is_reserved : may_follow(c.code)) &&
                    !starts_escape(c.bytes);
        char escaped[16];
        /* An invalid byte gets the code of half a surrogate pair, which no valid text contains. */
        uint32_t code = c.length ? c.code : 0xdc00u + (unsigned char)*c.bytes;
        snprintf(escaped, sizeof(escaped), "_x%04X_", (unsigned)code);
        if (keep)
            vmaf_atomic_file_write(file, c.bytes, c.length);
        else
            vmaf_atomic_file_puts(file, escaped);
        first = false;
    }
}

void report_put_line_text(VmafAtomicFile *file, const char *text)
{
    Character c;
    if (is_plain(text)) {
        vmaf_atomic_file_puts(file, text);
        return;
    }
    while (next_character(&text, &c))
        put_or_replace(file, &c, vmaf_utf8_is_printable(c.code));
}

void report_put_csv_field(VmafAtomicFile *file, const char *text)
{
    if (!strpbrk(text, ",\"")) {
        report_put_line_text(file, text);
        return;
    }
    Character c;
    vmaf_atomic_file_puts(file, "\"");
    while (next_character(&text, &c)) {
        if (c.code == '"')
            vmaf_atomic_file_puts(file, "\"");
        put_or_replace(file, &c, vmaf_utf8_is_printable(c.code));
    }
    vmaf_atomic_file_puts(file, "\"");
}
