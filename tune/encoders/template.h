/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_ENCODERS_TEMPLATE_H
#define TUNE_ENCODERS_TEMPLATE_H

/* Arguments with placeholders in braces. */

#include "tune/encoders/argument_list.h"

#include <stdbool.h>

typedef enum Placeholder {
    PLACE_ENCODER,  /* name of the encoder */
    PLACE_PRESET,   /* the encoder's word for the preset */
    PLACE_Q,        /* quality */
    PLACE_VALUE,    /* its name, of encoders whose values have names */
    PLACE_KBPS,     /* bitrate of the first pass */
    PLACE_RATE,     /* frames in a second: 24000/1001 */
    PLACE_LOG,      /* begin of names of files for statistics */
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

/* Does it ask for that? */
bool template_uses(const char *text, Placeholder place);

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
