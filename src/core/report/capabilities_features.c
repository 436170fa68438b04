/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * What the extractors can do. Formats, depths and minimum sizes are not stated a second time, but
 * found by calling the extractor's own check.
 */
#include <float.h>
#include <stdlib.h>

#include "metrics/framework/naming.h"
#include "metrics/framework/registry.h"
#include "report/capabilities_parts.h"

enum { AMPLE = 1024, DEPTH_MIN = 8, DEPTH_MAX = 16 };

typedef struct Candidate {
    const FeatureExtractor *extractor;
    const void *options; /* all at their defaults */
} Candidate;

static bool takes(const Candidate *candidate, enum VmafPixelFormat pix_fmt, unsigned depth,
                  unsigned w, unsigned h)
{
    PictureFormat format;
    if (picture_format_init(&format, pix_fmt, depth, w, h))
        return false;
    return !extractor_check_format(candidate->extractor, candidate->options, &format, NULL);
}

static enum VmafPixelFormat first_format(const Candidate *candidate)
{
    return takes(candidate, VMAF_PIX_FMT_YUV420P, DEPTH_MIN, AMPLE, AMPLE) ? VMAF_PIX_FMT_YUV420P
                                                                           : VMAF_PIX_FMT_YUV444P;
}

static json_t *pixel_formats(const Candidate *candidate)
{
    static const struct {
        enum VmafPixelFormat format;
        const char *name;
    } formats[] = {{VMAF_PIX_FMT_YUV420P, "420"},
                   {VMAF_PIX_FMT_YUV422P, "422"},
                   {VMAF_PIX_FMT_YUV444P, "444"},
                   {VMAF_PIX_FMT_YUV400P, "400"}};
    json_t *list = json_array();
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
        if (takes(candidate, formats[i].format, DEPTH_MIN, AMPLE, AMPLE))
            list = capabilities_append(list, json_string(formats[i].name));
    }
    return list;
}

static json_t *bit_depths(const Candidate *candidate)
{
    json_t *list = json_array();
    for (unsigned depth = DEPTH_MIN; depth <= DEPTH_MAX; depth++) {
        if (takes(candidate, first_format(candidate), depth, AMPLE, AMPLE))
            list = capabilities_append(list, json_integer(depth));
    }
    return list;
}

static json_t *minimum_size(const Candidate *candidate)
{
    enum VmafPixelFormat format = first_format(candidate);
    unsigned w = 1, h = 1;
    while (w < AMPLE && !takes(candidate, format, DEPTH_MIN, w, AMPLE))
        w++;
    while (h < AMPLE && !takes(candidate, format, DEPTH_MIN, AMPLE, h))
        h++;
    return json_pack("[i, i]", (int)w, (int)h);
}

static json_t *option_default(const OptionSpec *spec)
{
    switch (spec->type) {
    case VMAF_OPTION_TYPE_BOOL:
        return json_boolean(spec->default_value != 0);
    case VMAF_OPTION_TYPE_INT:
        return json_integer((json_int_t)spec->default_value);
    case VMAF_OPTION_TYPE_DOUBLE:
        return json_real(spec->default_value);
    case VMAF_OPTION_TYPE_STRING:
        break;
    }
    return spec->default_string ? json_string(spec->default_string) : json_null();
}

static json_t *describe_option(const OptionSpec *spec)
{
    static const char *const types[] = {"bool", "int", "double", "string"};
    bool named = spec->flags & OPTION_NAMED;
    json_t *option = json_pack("{s:s, s:s?, s:s, s:o}", "name", spec->name, "alias",
                               named ? (spec->alias ? spec->alias : spec->name) : NULL, "type",
                               types[spec->type], "default", option_default(spec));
    bool ranged = spec->type == VMAF_OPTION_TYPE_INT || spec->type == VMAF_OPTION_TYPE_DOUBLE;
    if (ranged &&
        (json_object_set_new(option, "min", json_real(spec->min)) ||
         (spec->max < DBL_MAX && json_object_set_new(option, "max", json_real(spec->max))))) {
        json_decref(option);
        return NULL;
    }
    if (json_object_set_new(option, "in_name", json_boolean(named))) {
        json_decref(option);
        return NULL;
    }
    return option;
}

static json_t *option_list(const FeatureExtractor *extractor)
{
    json_t *list = json_array();
    for (const OptionSpec *spec = extractor->options; spec->name; spec++)
        list = capabilities_append(list, describe_option(spec));
    return list;
}

static json_t *keys(const FeatureExtractor *extractor)
{
    json_t *list = json_array();
    for (const FeatureOutput *output = extractor->outputs; output->name; output++)
        list = capabilities_append(list, json_string(output->name));
    return list;
}

/* Names in reports, where they differ from the keys. */
static json_t *aliases(const FeatureExtractor *extractor)
{
    json_t *map = json_object();
    for (const FeatureOutput *output = extractor->outputs; output->name; output++) {
        const char *alias = feature_alias(output->name);
        if (alias != output->name && json_object_set_new(map, output->name, json_string(alias))) {
            json_decref(map);
            return NULL;
        }
    }
    return map;
}

static json_t *describe(const FeatureExtractor *extractor)
{
    void *options = calloc(1, extractor->options_size + 1);
    if (!options || options_parse(options, extractor->options, NULL, NULL, NULL, NULL)) {
        free(options);
        return NULL;
    }
    const Candidate candidate = {extractor, options};
    FeatureNeeds needs = extractor_needs(extractor, options, first_format(&candidate));
    json_t *feature =
        json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:b, s:o}", "name", extractor->name,
                  "summary", extractor->summary, "keys", keys(extractor), "aliases",
                  aliases(extractor), "pixel_formats", pixel_formats(&candidate), "bit_depths",
                  bit_depths(&candidate), "min_size", minimum_size(&candidate), "temporal",
                  needs.ref_history || needs.dist_history, "options", option_list(extractor));
    free(options);
    return feature;
}

json_t *capabilities_features(void)
{
    json_t *list = json_array();
    const FeatureExtractor *extractor;
    for (unsigned i = 0; (extractor = registry_get(i)) != NULL; i++)
        list = capabilities_append(list, describe(extractor));
    return list;
}
