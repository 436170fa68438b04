/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "common/html/parts.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "platform/text.h"

/* Neither a control, nor a noncharacter, nor what turns the direction of the text around it. */
static bool is_allowed(uint32_t code)
{
    if (code < 0x20 || (code >= 0x7f && code < 0xa0))
        return false;
    if ((code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069))
        return false;
    return !(code >= 0xfdd0 && code <= 0xfdef) && (code & 0xfffe) != 0xfffe;
}

/* Calls `put` with each character, as UTF-8. */
static void for_each_character(FILE *out, const char *text,
                               void (*put)(FILE *out, const char *utf8, size_t length))
{
    static const char replacement[] = "\xef\xbf\xbd";
    for (const char *c = text; *c;) {
        uint32_t code;
        const size_t length = vmaf_utf8_length(c, VMAF_UTF8_MAX, &code);
        if (length && is_allowed(code))
            put(out, c, length);
        else
            put(out, replacement, sizeof(replacement) - 1);
        c += length ? length : 1;
    }
}

static void put_in_markup(FILE *out, const char *utf8, size_t length)
{
    switch (*utf8) {
    case '&':
        fputs("&amp;", out);
        break;
    case '<':
        fputs("&lt;", out);
        break;
    case '>':
        fputs("&gt;", out);
        break;
    case '"':
        fputs("&quot;", out);
        break;
    case '\'':
        fputs("&#39;", out);
        break;
    default:
        fwrite(utf8, 1, length, out);
    }
}

void html_put_text(FILE *out, const char *text)
{
    for_each_character(out, text, put_in_markup);
}

void html_put_element(FILE *out, const char *begin, const char *text, const char *end)
{
    fputs(begin, out);
    html_put_text(out, text);
    fputs(end, out);
}

/* "</script>" and "<!--" would end the element, or change how it ends. */
static void put_in_script(FILE *out, const char *utf8, size_t length)
{
    if (strchr("\"\\<>&", *utf8))
        fprintf(out, "\\u%04x", (unsigned char)*utf8);
    else
        fwrite(utf8, 1, length, out);
}

void html_put_json_string(FILE *out, const char *text)
{
    fputc('"', out);
    for_each_character(out, text, put_in_script);
    fputc('"', out);
}

static const char *not_finite(double value)
{
    return isnan(value) ? "not a number" : value > 0 ? "infinite" : "\xe2\x88\x92infinite";
}

void html_put_score(FILE *out, const char *score_format, double score)
{
    char text[1400]; /* the widest format with the largest number */
    if (!isfinite(score)) {
        fputs(not_finite(score), out);
        return;
    }
    snprintf(text, sizeof(text), score_format ? score_format : "%f", score);
    fputs(text, out);
}

const char *html_number(char text[HTML_NUMBER_SIZE], double value, int decimals)
{
    if (!isfinite(value)) {
        snprintf(text, HTML_NUMBER_SIZE, "%s", not_finite(value));
        return text;
    }
    char digits[HTML_NUMBER_SIZE];
    const char *format = fabs(value) < 1e15 ? "%.*f" : "%.*g";
    snprintf(digits, sizeof(digits), format, decimals, fabs(value));
    const bool is_zero = !strpbrk(digits, "123456789");
    snprintf(text, HTML_NUMBER_SIZE, "%s%.50s", value < 0 && !is_zero ? "\xe2\x88\x92" : "",
             digits);
    return text;
}

const char *html_count(char text[HTML_NUMBER_SIZE], unsigned long long value)
{
    static const char space[] = "\xe2\x80\xaf"; /* narrow, and not to be broken */
    char digits[HTML_NUMBER_SIZE];
    const size_t n = (size_t)snprintf(digits, sizeof(digits), "%llu", value);
    char *end = text;
    for (size_t i = 0; i < n; i++) {
        if (i && (n - i) % 3 == 0 && n > 4)
            end = mempcpy(end, space, sizeof(space) - 1);
        *end++ = digits[i];
    }
    *end = '\0';
    return text;
}

const char *html_time(char text[HTML_NUMBER_SIZE], double seconds, int decimals)
{
    const double unit = pow(10, decimals);
    double rest = fmin(floor(fmax(seconds, 0) * unit + 0.5), 9e15); /* in the last place */
    const double minute = 60 * unit, hour = 60 * minute;
    const double hours = floor(rest / hour);
    rest -= hours * hour;
    const double minutes = floor(rest / minute);
    rest = (rest - minutes * minute) / unit;
    const int width = decimals ? 3 + decimals : 2;
    if (hours > 0)
        snprintf(text, HTML_NUMBER_SIZE, "%.0f:%02.0f:%0*.*f", hours, minutes, width, decimals,
                 rest);
    else
        snprintf(text, HTML_NUMBER_SIZE, "%.0f:%0*.*f", minutes, width, decimals, rest);
    return text;
}
