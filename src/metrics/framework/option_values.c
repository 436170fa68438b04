/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Values of options, from texts and to the keys of scores. */

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/framework/extractor.h"
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
        return reason_set(why, -EINVAL, "option %s: \"%s\" is neither true nor false", spec->name,
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
        return reason_set(why, -EINVAL, "option %s: \"%s\" is not %s", spec->name, text,
                          is_int ? "an integer" : "a number");
    if (!(*value >= spec->min && *value <= spec->max)) /* also rejects NaN */
        return reason_set(why, -EINVAL, "option %s: %s is outside the range %.10g to %.10g",
                          spec->name, text, spec->min, spec->max);
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

/* -- keys -- */

static const struct Alias {
    const char *key, *name;
} aliases[] = {
    {"VMAF_feature_adm2_score", "adm2"},
    {"VMAF_feature_aim_score", "aim"},
    {"VMAF_feature_adm3_score", "adm3"},
    {"VMAF_feature_adm_scale0_score", "adm_scale0"},
    {"VMAF_feature_adm_scale1_score", "adm_scale1"},
    {"VMAF_feature_adm_scale2_score", "adm_scale2"},
    {"VMAF_feature_adm_scale3_score", "adm_scale3"},
    {"VMAF_feature_motion_score", "motion"},
    {"VMAF_feature_motion2_score", "motion2"},
    {"VMAF_feature_motion3_score", "motion3"},
    {"VMAF_feature_vif_scale0_score", "vif_scale0"},
    {"VMAF_feature_vif_scale1_score", "vif_scale1"},
    {"VMAF_feature_vif_scale2_score", "vif_scale2"},
    {"VMAF_feature_vif_scale3_score", "vif_scale3"},
    {"VMAF_integer_feature_adm2_score", "integer_adm2"},
    {"VMAF_integer_feature_aim_score", "integer_aim"},
    {"VMAF_integer_feature_adm3_score", "integer_adm3"},
    {"VMAF_integer_feature_motion_score", "integer_motion"},
    {"VMAF_integer_feature_motion2_score", "integer_motion2"},
    {"VMAF_integer_feature_motion3_score", "integer_motion3"},
    {"VMAF_integer_feature_vif_scale0_score", "integer_vif_scale0"},
    {"VMAF_integer_feature_vif_scale1_score", "integer_vif_scale1"},
    {"VMAF_integer_feature_vif_scale2_score", "integer_vif_scale2"},
    {"VMAF_integer_feature_vif_scale3_score", "integer_vif_scale3"},
    {"Cambi_feature_cambi_score", "cambi"},
    {"Speed_chroma_feature_speed_chroma_u_score", "speed_chroma_u"},
    {"Speed_chroma_feature_speed_chroma_v_score", "speed_chroma_v"},
    {"Speed_chroma_feature_speed_chroma_uv_score", "speed_chroma_uv"},
    {"Speed_temporal_feature_speed_temporal_score", "speed_temporal"},
};

const char *feature_alias(const char *key)
{
    for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++) {
        if (!strcmp(aliases[i].key, key))
            return aliases[i].name;
    }
    return key;
}

/* A key under construction; text beyond the buffer is dropped. */
typedef struct KeyText {
    char *text;
    size_t length;
} KeyText;

static void append(KeyText *key, const char *text)
{
    while (*text && key->length < FEATURE_KEY_SIZE - 1)
        key->text[key->length++] = *text++;
    key->text[key->length] = '\0';
}

static void format_double(char *text, size_t size, double value)
{
    VmafCLocaleScope scope;
    (void)vmaf_c_locale_enter(&scope); /* cannot fail where the C locale is static, as in glibc */
    snprintf(text, size, "%g", value);
    vmaf_c_locale_leave(&scope);
}

static void append_value(KeyText *key, const OptionSpec *spec, const void *options)
{
    char number[64];
    switch (spec->type) {
    case VMAF_OPTION_TYPE_BOOL:
        append(key, option_number(options, spec) != 0 ? "true" : "false");
        break;
    case VMAF_OPTION_TYPE_INT:
        snprintf(number, sizeof(number), "%d", (int)option_number(options, spec));
        append(key, number);
        break;
    case VMAF_OPTION_TYPE_DOUBLE:
        format_double(number, sizeof(number), option_number(options, spec));
        append(key, number);
        break;
    case VMAF_OPTION_TYPE_STRING: {
        const char *text = option_string(options, spec);
        append(key, text ? text : "");
        break;
    }
    }
}

/* The option with the next long name after `previous` in byte order; NULL past the last. */
static const OptionSpec *next_by_name(const OptionSpec *specs, const OptionSpec *previous)
{
    const OptionSpec *next = NULL;
    for (const OptionSpec *spec = specs; spec->name; spec++) {
        if (previous && strcmp(spec->name, previous->name) <= 0)
            continue;
        if (!next || strcmp(spec->name, next->name) < 0)
            next = spec;
    }
    return next;
}

static bool shows(const OptionSpec *spec, const void *options)
{
    return (spec->flags & OPTION_NAMED) && !option_is_default(options, spec);
}

static void append_named(KeyText *key, const OptionSpec *specs, const void *options)
{
    for (const OptionSpec *s = next_by_name(specs, NULL); s; s = next_by_name(specs, s)) {
        if (!shows(s, options))
            continue;
        append(key, "_");
        append(key, s->alias ? s->alias : s->name);
        if (s->type != VMAF_OPTION_TYPE_BOOL) {
            append(key, "_");
            append_value(key, s, options);
        }
    }
}

void feature_key(char key[FEATURE_KEY_SIZE], const char *base_name, const OptionSpec *specs,
                 const void *options)
{
    bool plain = true;
    for (const OptionSpec *spec = specs; spec->name; spec++)
        plain = plain && !shows(spec, options);
    KeyText text = {.text = key};
    append(&text, plain ? base_name : feature_alias(base_name));
    append_named(&text, specs, options);
}

void feature_key_distinct(char key[FEATURE_KEY_SIZE], const char *base_name,
                          const OptionSpec *specs, const void *options, const void *other_options)
{
    KeyText text = {.text = key};
    append(&text, feature_alias(base_name));
    append_named(&text, specs, options);
    for (const OptionSpec *s = next_by_name(specs, NULL); s; s = next_by_name(specs, s)) {
        if ((s->flags & OPTION_NAMED) || option_equal(options, other_options, s))
            continue;
        append(&text, "_");
        append(&text, s->name);
        append(&text, "_");
        append_value(&text, s, options);
    }
}
