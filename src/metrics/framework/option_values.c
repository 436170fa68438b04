/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/framework/option_values.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "platform/text.h"

_Static_assert((int)OPTION_BOOL == VMAF_OPTION_TYPE_BOOL &&
                   (int)OPTION_INT == VMAF_OPTION_TYPE_INT &&
                   (int)OPTION_DOUBLE == VMAF_OPTION_TYPE_DOUBLE &&
                   (int)OPTION_STRING == VMAF_OPTION_TYPE_STRING,
               "tables of metrics and the interface use the same numbers");

static const void *field(const void *options, const OptionSpec *spec)
{
    return (const char *)options + spec->offset;
}

double option_number(const void *options, const OptionSpec *spec)
{
    switch (spec->type) {
    case VMAF_OPTION_TYPE_BOOL:
        return *(const bool *)field(options, spec);
    case VMAF_OPTION_TYPE_INT:
        return *(const int *)field(options, spec);
    default:
        return *(const double *)field(options, spec);
    }
}

const char *option_string(const void *options, const OptionSpec *spec)
{
    return *(const char *const *)field(options, spec);
}

static int parse_bool(const OptionSpec *spec, const char *text, double *value, Reason *why)
{
    if (!strcmp(text, "true"))
        *value = 1;
    else if (!strcmp(text, "false"))
        *value = 0;
    else
        return refuse(why, -EINVAL, "option %s: \"%s\" is neither true nor false", spec->name,
                      text);
    return 0;
}

/*
 * As in libvmaf, a number is the longest prefix that atoi or atof reads, and zero only if the text
 * starts with the digit 0.
 */
static int parse_number(const OptionSpec *spec, const char *text, double *value, Reason *why)
{
    bool is_int = spec->type == VMAF_OPTION_TYPE_INT;
    if (is_int) {
        long number = strtol(text, NULL, 10);
        *value = (double)(number > INT_MAX ? INT_MAX : number < INT_MIN ? INT_MIN : number);
    } else {
        *value = vmaf_c_strtod(text, NULL);
    }
    if (*value == 0 && text[0] != '0')
        return refuse(why, -EINVAL, "option %s: \"%s\" is not %s", spec->name, text,
                      is_int ? "an integer" : "a number");
    if (!(*value >= spec->min && *value <= spec->max)) /* also refuses NaN */
        return refuse(why, -EINVAL, "option %s: %s is outside the range %.10g to %.10g", spec->name,
                      text, spec->min, spec->max);
    return 0;
}

static int parse_one(void *options, const OptionSpec *spec, const char *text, Reason *why)
{
    double value = 0;
    int err = 0;
    switch (spec->type) {
    case VMAF_OPTION_TYPE_STRING:
        option_set_string(options, spec, text);
        return 0;
    case VMAF_OPTION_TYPE_BOOL:
        err = parse_bool(spec, text, &value, why);
        break;
    case VMAF_OPTION_TYPE_INT:
    case VMAF_OPTION_TYPE_DOUBLE:
        err = parse_number(spec, text, &value, why);
        break;
    }
    if (!err)
        option_set_number(options, spec, value);
    return err;
}

int options_parse(void *options, const OptionSpec *specs, const Dictionary *dict,
                  void (*unknown)(void *cookie, const char *name), void *cookie, Reason *why)
{
    for (const OptionSpec *spec = specs; spec->name; spec++) {
        option_set_default(options, spec);
        const char *text = dictionary_get(dict, spec->name);
        int err = text ? parse_one(options, spec, text, why) : 0;
        if (err)
            return err;
    }
    for (size_t i = 0; unknown && i < dictionary_size(dict); i++) {
        const char *name, *value;
        dictionary_entry(dict, i, &name, &value);
        if (!option_find(specs, name))
            unknown(cookie, name);
    }
    return 0;
}

static bool string_equal(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

bool option_equal(const void *a, const void *b, const OptionSpec *spec)
{
    if (spec->type == VMAF_OPTION_TYPE_STRING)
        return string_equal(option_string(a, spec), option_string(b, spec));
    return option_number(a, spec) == option_number(b, spec);
}

bool options_equal(const void *a, const void *b, const OptionSpec *specs, unsigned flags)
{
    for (const OptionSpec *spec = specs; spec->name; spec++) {
        if ((!flags || (spec->flags & flags)) && !option_equal(a, b, spec))
            return false;
    }
    return true;
}

bool option_is_default(const void *options, const OptionSpec *spec)
{
    if (spec->type == VMAF_OPTION_TYPE_STRING)
        return string_equal(option_string(options, spec), spec->default_string);
    return option_number(options, spec) == spec->default_value;
}

const OptionSpec *option_that_names_files(const void *options, const OptionSpec *specs)
{
    for (const OptionSpec *spec = specs; spec->name; spec++) {
        if ((spec->flags & OPTION_FILES) && !option_is_default(options, spec))
            return spec;
    }
    return NULL;
}

const OptionSpec *option_find(const OptionSpec *specs, const char *name)
{
    for (const OptionSpec *spec = specs; spec->name; spec++) {
        if (!strcmp(spec->name, name))
            return spec;
    }
    return NULL;
}
