/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "msl.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Token {
    const char *text;
    size_t length; /* 0: the end */
} Token;

typedef struct Reader {
    const char *at;
    Token token; /* the current one */
    MslText *text;
    unsigned long max_threads; /* of an attribute, for the next kernel */
    int depth;                 /* of braces */
    char *error;
} Reader;

__attribute__((format(printf, 2, 3))) static bool reason_set(Reader *reader, const char *format,
                                                             ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reader->error, MSL_ERROR_SIZE, format, arguments);
    va_end(arguments);
    return false;
}

/* -- words -- */

static const char *skip_line(const char *at)
{
    while (*at && *at != '\n')
        at++;
    return at;
}

static const char *skip_blank(const char *at)
{
    for (;;) {
        const char *end;
        if (isspace((unsigned char)*at))
            at++;
        else if (*at == '#' || (at[0] == '/' && at[1] == '/'))
            at = skip_line(at);
        else if (at[0] == '/' && at[1] == '*' && (end = strstr(at + 2, "*/")))
            at = end + 2;
        else
            return at;
    }
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static void next(Reader *reader)
{
    const char *at = skip_blank(reader->at), *end = at;
    if (*at == '"') {
        for (end++; *end && *end != '"'; end++)
            end += *end == '\\' && end[1];
        end += *end == '"';
    } else if (is_word(*at)) {
        while (is_word(*end))
            end++;
    } else if (strncmp(at, "[[", 2) == 0 || strncmp(at, "]]", 2) == 0) {
        end += 2;
    } else {
        end += *at != '\0';
    }
    reader->token = (Token){at, (size_t)(end - at)};
    reader->at = end;
}

static bool is(const Reader *reader, const char *word)
{
    const Token *token = &reader->token;
    return token->length == strlen(word) && strncmp(token->text, word, token->length) == 0;
}

/* Goes on if this is the word. */
static bool take(Reader *reader, const char *word)
{
    if (!is(reader, word))
        return false;
    next(reader);
    return true;
}

static void take_name(Reader *reader, char name[MSL_NAME_SIZE])
{
    const Token *token = &reader->token;
    snprintf(name, MSL_NAME_SIZE, "%.*s", (int)token->length, token->text);
    next(reader);
}

/* -- numbers: ( ) + - * of integers -- */

static long read_sum(Reader *reader);

static long read_atom(Reader *reader)
{
    long value = 0;
    if (take(reader, "(")) {
        value = read_sum(reader);
        take(reader, ")");
    } else if (reader->token.length && isdigit((unsigned char)*reader->token.text)) {
        value = strtol(reader->token.text, NULL, 0);
        next(reader);
    }
    return value;
}

static long read_product(Reader *reader)
{
    long value = read_atom(reader);
    while (take(reader, "*"))
        value *= read_atom(reader);
    return value;
}

static long read_sum(Reader *reader)
{
    long value = read_product(reader);
    for (;;) {
        if (take(reader, "+"))
            value += read_product(reader);
        else if (take(reader, "-"))
            value -= read_product(reader);
        else
            return value;
    }
}

/* -- kernels -- */

/* A parameter, up to "," or ")": the buffer that it is, if it is one. */
static bool read_parameter(Reader *reader, MslKernel *kernel)
{
    MslBuffer buffer = {.is_bound = true};
    bool is_device = false, is_const = false, is_pointer = false;
    long slot = -1;
    while (reader->token.length && !is(reader, ",") && !is(reader, ")")) {
        is_device |= is(reader, "device");
        buffer.is_constant |= is(reader, "constant");
        is_const |= is(reader, "const");
        is_pointer |= is(reader, "*") || is(reader, "&");
        if (take(reader, "[[")) {
            const bool is_slot = take(reader, "buffer");
            if (is_slot)
                slot = read_atom(reader);
            while (reader->token.length && !is(reader, "]]"))
                next(reader);
            next(reader);
            continue;
        }
        next(reader);
    }
    if (slot < 0)
        return !is_pointer ||
               reason_set(reader, "a pointer of the kernel %s is no buffer", kernel->name);
    if (slot >= MSL_MAX_BUFFERS || kernel->buffers[slot].is_bound)
        return reason_set(reader, "the kernel %s cannot have buffer %ld", kernel->name, slot);
    if (!is_pointer || is_device == buffer.is_constant)
        return reason_set(reader, "buffer %ld of the kernel %s is in no memory", slot,
                          kernel->name);
    buffer.is_written = is_device && !is_const;
    kernel->buffers[slot] = buffer;
    return true;
}

/* Behind "kernel". */
static bool read_kernel(Reader *reader)
{
    MslText *text = reader->text;
    if (!take(reader, "void"))
        return reason_set(reader, "a kernel has to return void");
    text->kernels = realloc(text->kernels, (text->n_kernels + 1) * sizeof(*text->kernels));
    MslKernel *kernel = &text->kernels[text->n_kernels++];
    *kernel = (MslKernel){.max_threads = reader->max_threads};
    reader->max_threads = 0;
    take_name(reader, kernel->name);
    if (!take(reader, "("))
        return reason_set(reader, "the kernel %s has no parameters", kernel->name);
    while (!is(reader, ")")) {
        if (!read_parameter(reader, kernel))
            return false;
        if (!take(reader, ",") && !is(reader, ")"))
            return reason_set(reader, "the parameters of the kernel %s do not end", kernel->name);
    }
    return true;
}

/* -- the whole -- */

static bool check_lines(Reader *reader, const char *source)
{
    for (const char *line = source; *line; line += *line == '\n') {
        const char *at = line + strspn(line, " \t");
        if (strncmp(at, "#include", 8) == 0 && at[8 + strspn(at + 8, " \t")] == '"')
            return reason_set(reader, "a file that is not Metal's is included: %.*s",
                              (int)strcspn(at, "\n"), at);
        line = skip_line(line);
    }
    return true;
}

static bool read_token(Reader *reader)
{
    static const char *const rejected[] = {"double", "goto", "asm", "throw", "virtual"};
    for (size_t i = 0; i < sizeof(rejected) / sizeof(rejected[0]); i++) {
        if (is(reader, rejected[i]))
            return reason_set(reader, "'%s' is not supported in Metal", rejected[i]);
    }
    if (take(reader, "max_total_threads_per_threadgroup"))
        reader->max_threads = (unsigned long)read_atom(reader);
    else if (take(reader, "kernel"))
        return read_kernel(reader);
    else {
        reader->depth += is(reader, "{") - is(reader, "}");
        next(reader);
    }
    return true;
}

bool msl_read(MslText *text, const char *source, char error[MSL_ERROR_SIZE])
{
    Reader reader = {.at = source, .text = text, .error = error};
    bool ok = check_lines(&reader, source);
    *text = (MslText){NULL, 0};
    next(&reader);
    while (ok && reader.token.length)
        ok = read_token(&reader);
    if (ok && reader.depth != 0)
        ok = reason_set(&reader, "braces do not match");
    if (ok && text->n_kernels > 0 && !strstr(source, "#include <metal_stdlib>"))
        ok = reason_set(&reader, "metal_stdlib is not included");
    if (!ok)
        msl_free(text);
    return ok;
}

void msl_free(MslText *text)
{
    free(text->kernels);
    *text = (MslText){NULL, 0};
}
