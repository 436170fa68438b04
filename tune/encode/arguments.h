/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_ENCODE_ARGUMENTS_H
#define TUNE_ENCODE_ARGUMENTS_H

/* Arguments of a program, its name first. */

#include <stdbool.h>
#include <stddef.h>

/* Starts as {0}. After a failure all that follows is dropped, and `error` says why. */
typedef struct ArgumentList {
    char **items; /* n, then NULL; NULL itself while nothing was added */
    size_t n;
    size_t capacity;
    int error; /* 0; -ENOMEM; -EINVAL: a template asks for what is not known */
} ArgumentList;

void arguments_add(ArgumentList *list, const char *argument);
/* Several, the last one followed by NULL. */
void arguments_add_all(ArgumentList *list, const char *const *arguments);
void arguments_print(ArgumentList *list, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* An option and its value. */
void arguments_option(ArgumentList *list, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* "name=value" as an option and its value. */
void arguments_add_setting(ArgumentList *list, const char *setting);
void arguments_free(ArgumentList *list);

/* A file for ffmpeg, whatever its name is. */
void arguments_add_path(ArgumentList *list, const char *path);

/*
 * Merges all occurrences of a name that is the argument before a value, such as -x265-params, into
 * one where the first is: the values joined by colons in their order. A program would only obey the
 * last.
 */
void arguments_merge(ArgumentList *list, const char *name);

/* Around arguments, for a shell. */
typedef enum Quotes { QUOTES_NEVER, QUOTES_WHERE_NEEDED, QUOTES_ALWAYS } Quotes;

/* All in one text, to be freed. With quotes and spaces it is a line that a POSIX shell reads as
 * exactly these arguments. NULL: out of memory. */
char *arguments_line(const ArgumentList *list, const char *separator, Quotes quotes);
/* Another list as one argument, with texts around it; that list is freed. */
void arguments_take_list(ArgumentList *list, const char *before, ArgumentList *parts,
                         const char *separator, const char *behind);

/* Is it one of the words between spaces? */
bool word_is_among(const char *words, const char *word, size_t length);

/* -- templates: arguments with placeholders in braces -- */

/* The first thing in braces that is no placeholder, its length in *length; NULL: all are. */
const char *template_find_unknown(const char *text, size_t *length);

/* Adds a text with its placeholders replaced by `values`, each "name=text". Values that become part
 * of name=value:name=value are escaped for FFmpeg. */
void template_add(ArgumentList *list, const char *text, const ArgumentList *values,
                  bool is_parameters);

#endif
