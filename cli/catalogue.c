/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "catalogue.h"

#include "common/messages.h"

#include <float.h>
#include <string.h>

bool catalogue_next_extractor(unsigned *index, VmafExtractorInfo *info)
{
    *info = (VmafExtractorInfo){.struct_size = sizeof(*info)};
    return vmaf_extractor_info((*index)++, info) == 0;
}

bool catalogue_next_option(const char *extractor, unsigned *index, VmafOptionInfo *info)
{
    *info = (VmafOptionInfo){.struct_size = sizeof(*info)};
    return vmaf_extractor_option_info(extractor, (*index)++, info) == 0;
}

bool catalogue_next_model(unsigned *index, VmafBuiltinModelInfo *info)
{
    *info = (VmafBuiltinModelInfo){.struct_size = sizeof(*info)};
    return vmaf_builtin_model_info((*index)++, info) == 0;
}

bool catalogue_has_extractor(const char *name)
{
    VmafExtractorInfo info;
    for (unsigned i = 0; catalogue_next_extractor(&i, &info);) {
        if (!strcmp(info.name, name))
            return true;
    }
    return false;
}

static bool find_option(const char *extractor, const char *option, VmafOptionInfo *info)
{
    for (unsigned i = 0; catalogue_next_option(extractor, &i, info);) {
        if (!strcmp(info->name, option))
            return true;
    }
    return false;
}

bool catalogue_has_option(const char *extractor, const char *option)
{
    VmafOptionInfo info;
    return find_option(extractor, option, &info);
}

bool catalogue_option_shows(const char *extractor, const char *option)
{
    VmafOptionInfo info;
    return find_option(extractor, option, &info) && info.alias;
}

bool catalogue_option_names_files(const char *extractor, const char *option)
{
    VmafOptionInfo info;
    return find_option(extractor, option, &info) && info.names_files;
}

const char *catalogue_suggest_extractor(const char *name)
{
    Suggestion suggestion = {.wanted = name};
    VmafExtractorInfo info;
    for (unsigned i = 0; catalogue_next_extractor(&i, &info);)
        suggestion_offer(&suggestion, info.name);
    /* Some are at home in floating point, which their name says and papers do not. */
    for (unsigned i = 0; catalogue_next_extractor(&i, &info);) {
        if (!strncmp(info.name, "float_", strlen("float_")))
            suggestion_offer_as(&suggestion, info.name + strlen("float_"), info.name);
    }
    return suggestion_result(&suggestion);
}

const char *catalogue_suggest_option(const char *extractor, const char *option)
{
    Suggestion suggestion = {.wanted = option};
    VmafOptionInfo info;
    for (unsigned i = 0; catalogue_next_option(extractor, &i, &info);) {
        if (info.alias && !strcmp(info.alias, option))
            return info.name;
        suggestion_offer(&suggestion, info.name);
    }
    return suggestion_result(&suggestion);
}

const char *catalogue_suggest_model(const char *version)
{
    Suggestion suggestion = {.wanted = version};
    VmafBuiltinModelInfo info;
    for (unsigned i = 0; catalogue_next_model(&i, &info);)
        suggestion_offer(&suggestion, info.name);
    return suggestion_result(&suggestion);
}

bool catalogue_is_collection(const char *version)
{
    VmafBuiltinModelInfo info;
    for (unsigned i = 0; catalogue_next_model(&i, &info);) {
        if (!strcmp(info.name, version))
            return info.is_collection != 0;
    }
    return false;
}

static void print_range(FILE *out, const VmafOptionInfo *option)
{
    if (option->max >= DBL_MAX)
        fprintf(out, " (at least %.10g)", option->min);
    else
        fprintf(out, " (%.10g to %.10g)", option->min, option->max);
}

static void print_option(FILE *out, const VmafOptionInfo *option)
{
    fprintf(out, "    %-28s", option->name);
    switch (option->type) {
    case VMAF_OPTION_TYPE_BOOL:
        fprintf(out, " %-7s %-9s", "bool", option->default_value != 0.0 ? "true" : "false");
        break;
    case VMAF_OPTION_TYPE_INT:
    case VMAF_OPTION_TYPE_DOUBLE:
        fprintf(out, " %-7s %-9.10g", option->type == VMAF_OPTION_TYPE_INT ? "int" : "number",
                option->default_value);
        break;
    case VMAF_OPTION_TYPE_STRING:
        fprintf(out, " %-7s %-9s", "text",
                option->default_string && option->default_string[0] ? option->default_string : "-");
        break;
    }
    fprintf(out, " %s", option->help ? option->help : "");
    if (option->type == VMAF_OPTION_TYPE_INT || option->type == VMAF_OPTION_TYPE_DOUBLE)
        print_range(out, option);
    fputc('\n', out);
}

void catalogue_print_features(FILE *out)
{
    fputs("Features for --feature NAME[=OPTION=VALUE:...].\n"
          "Under each: its options with type, default and range.\n",
          out);
    VmafExtractorInfo extractor;
    for (unsigned i = 0; catalogue_next_extractor(&i, &extractor);) {
        fprintf(out, "\n%s: %s\n", extractor.name, extractor.summary ? extractor.summary : "");
        VmafOptionInfo option;
        for (unsigned j = 0; catalogue_next_option(extractor.name, &j, &option);)
            print_option(out, &option);
    }
}

/* What one plugin adds: own features, and others that can be pinned to it. */
static void print_backend_features(FILE *out, const char *backend)
{
    VmafBackendFeatureInfo feature;
    for (unsigned i = 0;; i++) {
        feature = (VmafBackendFeatureInfo){.struct_size = sizeof(feature)};
        if (vmaf_backend_feature_info(backend, i, &feature))
            return;
        if (feature.is_own)
            print_line(out, "%s_%s: %s", backend, feature.name, feature.help ? feature.help : "");
        else
            print_line(out, "%s_%s: %s, by backend %s only", feature.name, backend, feature.name,
                       backend);
    }
}

void catalogue_print_plugin_features(FILE *out)
{
    VmafBackendInfo info;
    for (unsigned i = 1;; i++) {
        info = (VmafBackendInfo){.struct_size = sizeof(info)};
        if (vmaf_backend_info(i, 0, &info))
            return;
        if (!info.path)
            continue;
        info.struct_size = sizeof(info);
        if (vmaf_backend_info(i, 1, &info))
            return;
        const bool usable = info.availability == VMAF_AVAILABILITY_USABLE;
        const bool has_reason = !usable && info.reason;
        fputc('\n', out);
        print_line(out, "Backend %s%s%s:", info.name, has_reason ? ", which cannot be used: " : "",
                   has_reason ? info.reason : "");
        if (info.availability != VMAF_AVAILABILITY_PLUGIN_LOAD_ERROR &&
            info.availability != VMAF_AVAILABILITY_ABI_MISMATCH)
            print_backend_features(out, info.name);
    }
}

void catalogue_print_models(FILE *out)
{
    fputs("Built-in models for --model version=NAME.\n\n", out);
    VmafBuiltinModelInfo model;
    for (unsigned i = 0; catalogue_next_model(&i, &model);) {
        fprintf(out, "%-32s%s\n", model.name,
                model.is_collection                  ? "collection, gives a confidence interval"
                : !strcmp(model.name, "vmaf_v0.6.1") ? "single model, the default"
                                                     : "single model");
    }
}
