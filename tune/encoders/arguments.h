/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_ENCODERS_ARGUMENTS_H
#define TUNE_ENCODERS_ARGUMENTS_H

/* Arguments of a program, its name first. */

#include <stdbool.h>
#include <stddef.h>

/* Starts as {0}. After a failure all that follows is dropped, and `error` says why. */
typedef struct ArgumentList {
    char **items; /* n, then NULL; NULL itself while nothing was added */
    size_t n;
    size_t capacity;
    int error; /* 0, -ENOMEM */
} ArgumentList;

void arguments_add(ArgumentList *list, const char *argument);
void arguments_print(ArgumentList *list, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* An option and its value. */
void arguments_option(ArgumentList *list, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* "name=value" as an option and its value. */
void arguments_add_setting(ArgumentList *list, const char *setting);
void arguments_add_list(ArgumentList *list, const ArgumentList *more);
void arguments_free(ArgumentList *list);

/* A file for ffmpeg, whatever its name is. */
void arguments_add_path(ArgumentList *list, const char *path);

/* Seconds with six digits behind the point, in every locale. */
void arguments_seconds(ArgumentList *list, double seconds);

/* All of another list as one argument. 0; -ENOMEM. */
int arguments_add_joined(ArgumentList *list, const ArgumentList *parts, const char *separator);

/*
 * Merges all occurrences of a name that is the argument before a value, such as -x265-params, into
 * one where the first is: the values joined by colons in their order. A program would only obey the
 * last.
 */
void arguments_merge(ArgumentList *list, const char *name);

/* One line that a POSIX shell reads as exactly these arguments; free. NULL: out of memory. */
char *arguments_shell_line(const ArgumentList *list);

/* The same with quotes around every argument, whatever is in it. */
char *arguments_quoted_line(const ArgumentList *list);

/* -- templates: arguments with placeholders in braces -- */

typedef enum Placeholder {
    PLACE_ENCODER,  /* name of the encoder */
    PLACE_PRESET,   /* the encoder's word for the preset */
    PLACE_Q,        /* quality */
    PLACE_VALUE,    /* its name, of encoders whose values have names */
    PLACE_KBPS,     /* bitrate of the first pass */
    PLACE_RATE,     /* frames in a second: 24000/1001 */
    PLACE_LOG,      /* begin of names of files for statistics */
    PLACE_GRAIN,    /* strength of film grain */
    PLACE_TRANSFER, /* smpte2084, arib-std-b67 */
    PLACE_TRANSFER_NUMBER,
    PLACE_MATRIX, /* bt2020nc, bt2020c */
    PLACE_MATRIX_NUMBER,
    PLACE_RANGE,      /* tv, pc */
    PLACE_RANGE_WORD, /* limited, full */
    PLACE_RANGE_NUMBER,
    PLACE_MASTERING_INTEGERS, /* G(x,y)B(x,y)R(x,y)WP(x,y)L(highest,lowest), in 1/50000 and 1/10000
                               */
    PLACE_MASTERING_DECIMALS, /* the same as it is */
    PLACE_LIGHT,              /* MaxCLL,MaxFALL */
    N_PLACEHOLDERS
} Placeholder;

/* By Placeholder; NULL: unknown, and nothing may ask for it. */
typedef struct TemplateValues {
    const char *of[N_PLACEHOLDERS];
} TemplateValues;

/* The first thing in braces that is no placeholder, its length in *length; NULL: all are. */
const char *template_find_unknown(const char *text, size_t *length);

/*
 * Adds a text with its placeholders replaced. Values that become part of name=value:name=value are
 * escaped for FFmpeg. -EINVAL if a value is not known; 0, or the error of the list.
 */
int template_add(ArgumentList *list, const char *text, const TemplateValues *values,
                 bool is_parameters);

/* All of a list; what follows `parameters_option`, which may be NULL, is name=value:name=value. */
int template_add_all(ArgumentList *list, const ArgumentList *templates,
                     const TemplateValues *values, const char *parameters_option);

#endif
