/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "text/say.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Length of the UTF-8 character at the start of a text, 0 if there is none; *code receives it. */
static size_t character_length(const unsigned char *text, uint32_t *code)
{
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    *code = text[0];
    if (text[0] < 0x80)
        return 1;
    const size_t length = text[0] >= 0xf0 ? 4 : text[0] >= 0xe0 ? 3 : 2;
    if (text[0] < 0xc2 || text[0] > 0xf4)
        return 0;
    *code &= 0x7fu >> length;
    for (size_t i = 1; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80) /* also at the end of the text */
            return 0;
        *code = *code << 6 | (text[i] & 0x3fu);
    }
    const bool is_surrogate = *code >= 0xd800 && *code <= 0xdfff;
    return *code < smallest[length] || *code > 0x10ffff || is_surrogate ? 0 : length;
}

/* Not C0 or C1 controls, separators of lines, or what turns the direction of text. */
static bool is_printable(uint32_t code)
{
    return code >= 0x20 && !(code >= 0x7f && code < 0xa0) && !(code >= 0x2028 && code <= 0x202e) &&
           !(code >= 0x2066 && code <= 0x2069);
}

/* Collected, because stderr has no buffer: a line should be one write. */
typedef struct Pending {
    FILE *out;
    size_t used;
    char bytes[1024];
} Pending;

static void put(Pending *pending, const void *bytes, size_t length)
{
    if (length > sizeof(pending->bytes) - pending->used) {
        fwrite(pending->bytes, 1, pending->used, pending->out);
        pending->used = 0;
    }
    memcpy(pending->bytes + pending->used, bytes, length);
    pending->used += length;
}

static void put_line(FILE *out, const char *text)
{
    Pending pending = {.out = out};
    for (const unsigned char *c = (const unsigned char *)text; *c;) {
        uint32_t code;
        const size_t length = character_length(c, &code);
        const unsigned char *end = c + (length ? length : 1);
        if (length && is_printable(code)) {
            put(&pending, c, length);
            c = end;
        }
        for (; c < end; c++) {
            char escaped[8];
            put(&pending, escaped, (size_t)snprintf(escaped, sizeof(escaped), "\\x%02x", *c));
        }
    }
    put(&pending, "\n", 1);
    fwrite(pending.bytes, 1, pending.used, out);
}

static void print_arguments(FILE *out, const char *format, va_list arguments)
{
    char short_text[1024], *text = short_text;
    va_list again;
    va_copy(again, arguments);
    const int length = vsnprintf(short_text, sizeof(short_text), format, arguments);
    if (length >= (int)sizeof(short_text)) {
        char *whole = malloc((size_t)length + 1);
        if (whole) { /* else the beginning has to do */
            vsnprintf(whole, (size_t)length + 1, format, again);
            text = whole;
        }
    }
    va_end(again);
    if (length >= 0)
        put_line(out, text);
    if (text != short_text)
        free(text);
}

static Message *also_to;

void say_also_to(Message *message)
{
    also_to = message;
}

/* As much as there is room for. */
static void collect(const char *format, va_list arguments)
{
    char *text = also_to->text;
    const size_t size = sizeof(also_to->text), used = strlen(text);
    const int n = used ? snprintf(text + used, size - used, "; ") : 0;
    if (used + (size_t)n < size)
        vsnprintf(text + used + (size_t)n, size - used - (size_t)n, format, arguments);
}

void say(const char *format, ...)
{
    va_list arguments;
    if (also_to) {
        va_start(arguments, format);
        collect(format, arguments);
        va_end(arguments);
    }
    va_start(arguments, format);
    print_arguments(stderr, format, arguments);
    va_end(arguments);
}

void print_line(FILE *out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_arguments(out, format, arguments);
    va_end(arguments);
}
