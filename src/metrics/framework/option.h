/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef METRICS_FRAMEWORK_OPTION_H
#define METRICS_FRAMEWORK_OPTION_H

/*
 * Option tables: the only description of a metric's options. Parsing, range checks, key names,
 * lists, the documentation and the options passed to backends derive from it.
 */

#include <stdbool.h>
#include <stddef.h>

/* The values of VMAF_OPTION_TYPE_* (libvmaf_ext.h) and of VMAF_BACKEND_TYPE_* (backend.h). */
enum { OPTION_BOOL, OPTION_INT, OPTION_DOUBLE, OPTION_STRING };

enum {
    /* A value that differs from the default appears in the keys of scores. */
    OPTION_NAMED = 1 << 0,
    /* The value changes the record. */
    OPTION_ACCUMULATE = 1 << 1,
    /* It changes what the record is condensed to. Without either of the two it only changes how
     * that is finished. */
    OPTION_CONDENSE = 1 << 2,
    /* A string: it names files that finishing writes. What is written follows the record, whose
     * size is given, and is not stored with it. */
    OPTION_FILES = 1 << 3,
};

typedef struct OptionSpec {
    const char *name;
    const char *alias; /* short name in keys; NULL: the long one */
    const char *help;
    unsigned type; /* OPTION_BOOL ... */
    unsigned flags;
    size_t offset; /* of a bool, int, double or const char * in the metric's option struct */
    double default_value;
    const char *default_string;
    double min, max; /* inclusive; int and double only; defaults are not checked */
} OptionSpec;

/* The table of a metric without options. */
static const OptionSpec no_options[] = {{0}};

/* Stores the value of a bool, int or double in the option struct. */
static inline void option_set_number(void *options, const OptionSpec *spec, double value)
{
    void *target = (char *)options + spec->offset;
    if (spec->type == OPTION_BOOL)
        *(bool *)target = value != 0;
    else if (spec->type == OPTION_INT)
        *(int *)target = (int)value;
    else
        *(double *)target = value;
}

static inline void option_set_string(void *options, const OptionSpec *spec, const char *value)
{
    *(const char **)((char *)options + spec->offset) = value;
}

static inline void option_set_default(void *options, const OptionSpec *spec)
{
    if (spec->type == OPTION_STRING)
        option_set_string(options, spec, spec->default_string);
    else
        option_set_number(options, spec, spec->default_value);
}

#endif
