/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "common/messages.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/file.h"
#include "platform/text.h"

int message_set(Message *message, int error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message->text, sizeof(message->text), format, arguments);
    va_end(arguments);
    return error;
}

int message_about_file(Message *message, int error, const char *path)
{
    const Message what = *message;
    return message_set(message, error, "%.200s: %.300s", path, what.text);
}

const char *if_out_of_memory(int error)
{
    return error == -ENOMEM ? ": out of memory" : "";
}

/* ---- Lines ---- */

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
        const size_t length = vmaf_utf8_length((const char *)c, VMAF_UTF8_MAX, &code);
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

void print_error_also_to(Message *message)
{
    also_to = message;
}

void print_about(const char *subject)
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

void print_error(const char *format, ...)
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

/* ---- Help ---- */

void print_help_row(const char *name, int left, const char *words)
{
    enum { COLUMNS = 80 };
    const int used = printf("  %s", name);
    int column = left;
    printf("%s%*s", used < left ? "" : "\n", used < left ? left - used : left, "");
    while (*words) {
        const int length = (int)strcspn(words, " ");
        if (column > left && column + 1 + length > COLUMNS) {
            printf("\n%*s", left, "");
            column = left;
        }
        column += printf("%s%.*s", column > left ? " " : "", length, words);
        words += length;
        words += strspn(words, " ");
    }
    putchar('\n');
}

/* ---- Guesses ---- */

enum { LONGEST_NAME = 64 }; /* what is longer is not a misspelt name */

static unsigned min3(unsigned a, unsigned b, unsigned c)
{
    unsigned least = a < b ? a : b;
    return least < c ? least : c;
}

unsigned edit_distance(const char *a, const char *b)
{
    size_t a_length = strlen(a), b_length = strlen(b);
    if (a_length > LONGEST_NAME || b_length > LONGEST_NAME)
        return LONGEST_NAME;

    /* Three rows of the table of distances between prefixes: a swap looks back two rows. */
    unsigned row[3][LONGEST_NAME + 1];
    for (size_t j = 0; j <= b_length; j++)
        row[0][j] = (unsigned)j;
    for (size_t i = 1; i <= a_length; i++) {
        unsigned *now = row[i % 3];
        const unsigned *above = row[(i - 1) % 3];
        now[0] = (unsigned)i;
        for (size_t j = 1; j <= b_length; j++) {
            now[j] = min3(above[j] + 1, now[j - 1] + 1, above[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                unsigned swapped = row[(i - 2) % 3][j - 2] + 1;
                if (swapped < now[j])
                    now[j] = swapped;
            }
        }
    }
    return row[a_length % 3][b_length];
}

void suggestion_offer(Suggestion *suggestion, const char *candidate)
{
    suggestion_offer_as(suggestion, candidate, candidate);
}

void suggestion_offer_as(Suggestion *suggestion, const char *written, const char *candidate)
{
    unsigned distance = edit_distance(suggestion->wanted, written);
    if (!suggestion->best || distance < suggestion->distance) {
        suggestion->best = candidate;
        suggestion->distance = distance;
    }
}

const char *suggestion_result(const Suggestion *suggestion)
{
    if (!suggestion->best)
        return NULL;
    /* Up to a third of the letters may be wrong; beyond that it is another word. */
    size_t limit = strlen(suggestion->wanted) / 3;
    if (limit < 1)
        limit = 1;
    return suggestion->distance <= limit ? suggestion->best : NULL;
}

/* ---- Texts in memory ---- */

FILE *text_begin(TextBuffer *buffer)
{
    *buffer = (TextBuffer){NULL};
    buffer->out = open_memstream(&buffer->text, &buffer->size);
    return buffer->out;
}

char *text_end(TextBuffer *buffer, int err)
{
    const bool failed = !buffer->out || ferror(buffer->out);
    if (buffer->out && fclose(buffer->out))
        err = -ENOMEM;
    if (!err && !failed)
        return buffer->text;
    free(buffer->text);
    return NULL;
}

char *text_printed(const char *format, ...)
{
    char *text;
    va_list arguments;
    va_start(arguments, format);
    const int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    return length < 0 ? NULL : text;
}

int text_write(const char *path, const char *text)
{
    VmafAtomicFile *file;
    const int err = vmaf_atomic_file_open(&file, path);
    if (err)
        return err;
    vmaf_atomic_file_puts(file, text);
    return vmaf_atomic_file_commit(file);
}

/* ---- Texts that must be UTF-8 ---- */

static const char replacement[] = "\xef\xbf\xbd"; /* U+FFFD */

char *text_mended(const char *text)
{
    char *mended = malloc(strlen(text) * strlen(replacement) + 1), *end = mended;
    if (!mended)
        return NULL;
    while (*text) {
        uint32_t code;
        const size_t length = vmaf_utf8_length(text, VMAF_UTF8_MAX, &code);
        end = length ? mempcpy(end, text, length) : stpcpy(end, replacement);
        text += length ? length : 1;
    }
    *end = '\0';
    return mended;
}

static void print_character(FILE *out, const char *text, size_t length)
{
    if (!length)
        fputs(replacement, out);
    else if (*text == '"' || *text == '\\')
        fprintf(out, "\\%c", *text);
    else if ((unsigned char)*text < 0x20)
        fprintf(out, "\\u%04x", (unsigned)*text);
    else
        fwrite(text, 1, length, out);
}

void json_string_print(FILE *out, const char *text)
{
    if (!text) {
        fputs("null", out);
        return;
    }
    fputc('"', out);
    while (*text) {
        uint32_t code;
        const size_t length = vmaf_utf8_length(text, VMAF_UTF8_MAX, &code);
        print_character(out, text, length);
        text += length ? length : 1;
    }
    fputc('"', out);
}
