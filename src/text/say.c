/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "text/say.h"

#include "text/utf8.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

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

static void put_text(Pending *pending, const char *text)
{
    for (const unsigned char *c = (const unsigned char *)text; *c;) {
        uint32_t code;
        const size_t length = utf8_character((const char *)c, &code);
        const unsigned char *end = c + (length ? length : 1);
        if (length && is_printable(code)) {
            put(pending, c, length);
            c = end;
        }
        for (; c < end; c++) {
            char escaped[8];
            put(pending, escaped, (size_t)snprintf(escaped, sizeof(escaped), "\\x%02x", *c));
        }
    }
}

/* `subject` may be NULL. */
static void put_line(FILE *out, const char *subject, const char *text)
{
    Pending pending = {.out = out};
    if (subject) {
        put_text(&pending, subject);
        put(&pending, ": ", 2);
    }
    put_text(&pending, text);
    put(&pending, "\n", 1);
    fwrite(pending.bytes, 1, pending.used, out);
}

static void print_arguments(FILE *out, const char *subject, const char *format, va_list arguments)
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
        put_line(out, subject, text);
    if (text != short_text)
        free(text);
}

static _Thread_local Message *also_to;
static _Thread_local const char *about;

void say_also_to(Message *message)
{
    also_to = message;
}

void say_about(const char *subject)
{
    about = subject;
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
    print_arguments(stderr, about, format, arguments);
    va_end(arguments);
}

void print_line(FILE *out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_arguments(out, NULL, format, arguments);
    va_end(arguments);
}
