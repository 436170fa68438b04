/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What this installation has, found by name and listed. */
#include "options/catalogue.h"

#include "common/messages.h"
#include "options/options.h"

#include <errno.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>

/* -- features and models -- */

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

static bool next_backend(unsigned *index, VmafBackendInfo *info)
{
    *info = (VmafBackendInfo){.struct_size = sizeof(*info)};
    return vmaf_backend_info((*index)++, 0, info) == 0;
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

bool catalogue_find_option(const char *extractor, const char *option, VmafOptionInfo *info)
{
    for (unsigned i = 0; catalogue_next_option(extractor, &i, info);) {
        if (!strcmp(info->name, option))
            return true;
    }
    return false;
}

bool catalogue_option_names_files(const char *extractor, const char *option)
{
    VmafOptionInfo info;
    return catalogue_find_option(extractor, option, &info) && info.names_files;
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

static void print_range(const VmafOptionInfo *option)
{
    if (option->max >= DBL_MAX)
        printf(" (at least %.10g)", option->min);
    else
        printf(" (%.10g to %.10g)", option->min, option->max);
}

static void print_option(const VmafOptionInfo *option)
{
    printf("    %-28s", option->name);
    switch (option->type) {
    case VMAF_OPTION_TYPE_BOOL:
        printf(" %-7s %-9s", "bool", option->default_value != 0.0 ? "true" : "false");
        break;
    case VMAF_OPTION_TYPE_INT:
    case VMAF_OPTION_TYPE_DOUBLE:
        printf(" %-7s %-9.10g", option->type == VMAF_OPTION_TYPE_INT ? "int" : "number",
               option->default_value);
        break;
    case VMAF_OPTION_TYPE_STRING:
        printf(" %-7s %-9s", "text",
               option->default_string && option->default_string[0] ? option->default_string : "-");
        break;
    }
    printf(" %s", option->help ? option->help : "");
    if (option->type == VMAF_OPTION_TYPE_INT || option->type == VMAF_OPTION_TYPE_DOUBLE)
        print_range(option);
    putchar('\n');
}

void catalogue_print_features(void)
{
    fputs("Features for --feature NAME[=OPTION=VALUE:...].\n"
          "Under each: its options with type, default and range.\n",
          stdout);
    VmafExtractorInfo extractor;
    for (unsigned i = 0; catalogue_next_extractor(&i, &extractor);) {
        printf("\n%s: %s\n", extractor.name, extractor.summary ? extractor.summary : "");
        VmafOptionInfo option;
        for (unsigned j = 0; catalogue_next_option(extractor.name, &j, &option);)
            print_option(&option);
    }
}

/* What one plugin adds: own features, and others that can be pinned to it. */
static void print_backend_features(const char *backend)
{
    VmafBackendFeatureInfo feature;
    for (unsigned i = 0;; i++) {
        feature = (VmafBackendFeatureInfo){.struct_size = sizeof(feature)};
        if (vmaf_backend_feature_info(backend, i, &feature))
            return;
        if (feature.is_own)
            print_line(stdout, "%s_%s: %s", backend, feature.name,
                       feature.help ? feature.help : "");
        else
            print_line(stdout, "%s_%s: %s, by backend %s only", feature.name, backend, feature.name,
                       backend);
    }
}

void catalogue_print_plugin_features(void)
{
    VmafBackendInfo info;
    for (unsigned i = 1; next_backend(&i, &info);) {
        if (!info.path)
            continue;
        info.struct_size = sizeof(info);
        if (vmaf_backend_info(i - 1, 1, &info))
            return;
        const bool usable = info.availability == VMAF_AVAILABILITY_USABLE;
        const bool has_reason = !usable && info.reason;
        putchar('\n');
        print_line(stdout, "Backend %s%s%s:", info.name,
                   has_reason ? ", which cannot be used: " : "", has_reason ? info.reason : "");
        if (info.availability != VMAF_AVAILABILITY_PLUGIN_LOAD_ERROR &&
            info.availability != VMAF_AVAILABILITY_ABI_MISMATCH)
            print_backend_features(info.name);
    }
}

void catalogue_print_models(void)
{
    fputs("Built-in models for --model version=NAME.\n\n", stdout);
    VmafBuiltinModelInfo model;
    for (unsigned i = 0; catalogue_next_model(&i, &model);) {
        printf("%-32s%s\n", model.name,
               model.is_collection                  ? "collection, gives a confidence interval"
               : !strcmp(model.name, "vmaf_v0.6.1") ? "single model, the default"
                                                    : "single model");
    }
}

/* -- backends -- */

/* Place of a known backend in the list of the library, from 0 on, or the number of known ones. */
static unsigned known_place(const char *name)
{
    unsigned place = 0;
    for (const char *known; (known = vmaf_backend_known(place, NULL)) && strcmp(known, name);)
        place++;
    return place;
}

const char *backend_list_known(char *buffer, size_t size)
{
    size_t used = 0;
    const char *name;
    for (unsigned i = 0; (name = vmaf_backend_known(i, NULL)) && used < size; i++)
        used += (size_t)snprintf(buffer + used, size - used, "%s%s", i ? "|" : "", name);
    return buffer;
}

bool backend_exists(const char *name)
{
    if (vmaf_backend_known(known_place(name), NULL))
        return true;
    for (unsigned i = 1;; i++) {
        VmafBackendInfo info = {.struct_size = sizeof(info)};
        int err = vmaf_backend_info(i, 0, &info);
        if (err) /* without a list it may exist; selecting it will tell */
            return err == -ENOMEM;
        if (info.path && !strcmp(info.name, name))
            return true;
    }
}

const char *backend_list_installed(char *buffer, size_t size)
{
    size_t used = (size_t)snprintf(buffer, size, "cpu");
    VmafBackendInfo info;
    for (unsigned i = 1; next_backend(&i, &info);) {
        if (info.path && used < size)
            used += (size_t)snprintf(buffer + used, size - used, ", %s", info.name);
    }
    return buffer;
}

const char *backend_next_installed(unsigned *index)
{
    VmafBackendInfo info;
    while (next_backend(index, &info)) {
        if (info.path)
            return info.name;
    }
    return NULL;
}

const char *backend_of_pinned_name(const char *feature, char *stem, size_t stem_size)
{
    const char *underscore = strrchr(feature, '_');
    if (!underscore || underscore == feature || !backend_exists(underscore + 1))
        return NULL;
    size_t length = (size_t)(underscore - feature);
    if (length >= stem_size)
        return NULL;
    memcpy(stem, feature, length);
    stem[length] = '\0';
    return underscore + 1;
}

const char *backend_of_own_feature(const char *feature, char *name, size_t size)
{
    const char *underscore = strchr(feature, '_');
    const size_t length = underscore ? (size_t)(underscore - feature) : 0;
    if (!length || length >= size)
        return NULL;
    memcpy(name, feature, length);
    name[length] = '\0';
    return backend_exists(name) ? name : NULL;
}

/* -- lists of backends -- */

/* May this backend's plugin be loaded? */
static bool may_probe(const Options *options, const char *name)
{
    const BackendWord *word = backend_words_find(&options->backends, name);
    if (word && word->excluded)
        return false;
    return !options->backend || !strcmp(options->backend, "auto") ||
           !strcmp(options->backend, name) || !strcmp(name, "cpu");
}

/* Backend number `index`, probed if the options allow it. False past the last one. */
static bool get_backend(const Options *options, unsigned index, VmafBackendInfo *info)
{
    *info = (VmafBackendInfo){.struct_size = sizeof(*info)};
    if (vmaf_backend_info(index, 0, info))
        return false;
    if (may_probe(options, info->name))
        return vmaf_backend_info(index, 1, info) == 0;
    info->availability = VMAF_AVAILABILITY_DISABLED;
    info->reason = "not asked, because the command line rules it out";
    return true;
}

static const char *device_kind_name(enum VmafComputeDeviceKind kind)
{
    static const char *const names[] = {"unknown", "discrete", "integrated", "virtual", "software"};
    return kind < sizeof(names) / sizeof(names[0]) ? names[kind] : names[0];
}

static void print_device(const VmafComputeDevice *device, unsigned index)
{
    char memory[32] = "", same[64] = "";
    if (device->memory_bytes)
        snprintf(memory, sizeof(memory), ", %llu MiB",
                 (unsigned long long)(device->memory_bytes >> 20));
    if (device->same_as)
        snprintf(same, sizeof(same), ", same device as %.32s:%d", device->same_as,
                 device->same_as_index);
    print_line(stdout, "           %u: %s (%s%s%s)%s%s", index, device->name,
               device_kind_name(device->kind), memory, same, device->unusable ? ", unusable: " : "",
               device->unusable ? device->unusable : "");
}

static void print_devices(const VmafBackendInfo *backend)
{
    const bool usable = backend->availability == VMAF_AVAILABILITY_USABLE;
    const unsigned n = backend->n_devices + backend->n_unusable_devices;
    for (unsigned i = usable ? 0 : backend->n_devices; i < n; i++) {
        VmafComputeDevice device = {.struct_size = sizeof(device)};
        if (vmaf_backend_device_info(backend->name, i, &device))
            return;
        print_device(&device, i);
    }
}

static void print_table(const Options *options)
{
    VmafBackendInfo info;
    /* Probes all backends first: only then is it known which of their devices are the same. */
    for (unsigned i = 0; get_backend(options, i, &info); i++)
        continue;
    for (unsigned i = 0; get_backend(options, i, &info); i++) {
        const bool usable = info.availability == VMAF_AVAILABILITY_USABLE;
        const bool has_reason = !usable && info.reason;
        print_line(stdout, "%-10s %s%s%s%s%s", info.name, usable ? "usable" : "unavailable",
                   info.version ? ", version " : "", info.version ? info.version : "",
                   has_reason ? ": " : "", has_reason ? info.reason : "");
        if (info.path)
            print_line(stdout, "           %s", info.path);
        print_devices(&info);
    }
}

/* Order and keys are those that readers of the short document expect: the CPU, then the known
 * ones. */
static unsigned backend_place(const char *name)
{
    return strcmp(name, "cpu") ? 1 + known_place(name) : 0;
}

/* Names of the capabilities document. */
static const char *reason_name(enum VmafAvailability availability)
{
    static const char *const names[] = {
        [VMAF_AVAILABILITY_PLUGIN_NOT_FOUND] = "plugin_not_found",
        [VMAF_AVAILABILITY_PLUGIN_LOAD_ERROR] = "plugin_load_error",
        [VMAF_AVAILABILITY_ABI_MISMATCH] = "abi_mismatch",
        [VMAF_AVAILABILITY_DRIVER_MISSING] = "driver_missing",
        [VMAF_AVAILABILITY_NO_DEVICE] = "no_device",
        [VMAF_AVAILABILITY_INIT_FAILED] = "init_failed",
        [VMAF_AVAILABILITY_DISABLED] = "disabled_by_flag",
        [VMAF_AVAILABILITY_UNSUPPORTED_OS] = "unsupported_os",
    };
    bool named = (size_t)availability < sizeof(names) / sizeof(names[0]) && names[availability];
    return named ? names[availability] : "init_failed";
}

/* Prints why a backend cannot be used. A status is only given if it was started. */
static void print_unavailable(const VmafBackendInfo *info, bool compiled)
{
    if (compiled && info->error)
        printf(", \"init_status\": %d", info->error);
    else if (compiled)
        fputs(", \"init_status\": null", stdout);
    printf(", \"reason\": \"%s\", \"reason_text\": ", reason_name(info->availability));
    json_string_print(stdout, info->reason);
}

static void print_short_document(const Options *options)
{
    const char *separator = "";
    fputs("{\"backends\": [", stdout);
    for (unsigned place = 0; place <= backend_place(""); place++) {
        VmafBackendInfo info;
        for (unsigned i = 0; get_backend(options, i, &info); i++) {
            if (backend_place(info.name) != place)
                continue;
            bool usable = info.availability == VMAF_AVAILABILITY_USABLE;
            bool compiled = info.availability != VMAF_AVAILABILITY_UNSUPPORTED_OS;
            printf("%s{\"name\": ", separator);
            json_string_print(stdout, info.name); /* of a rejected file it can be anything */
            printf(", \"compiled\": %s, \"usable\": %s", compiled ? "true" : "false",
                   usable ? "true" : "false");
            if (!usable)
                print_unavailable(&info, compiled);
            putchar('}');
            separator = ", ";
        }
    }
    fputs("]}\n", stdout);
}

int backend_report_list(const Options *options)
{
    VmafBackendInfo first = {.struct_size = sizeof(first)};
    if (vmaf_backend_info(1, 0, &first) == -ENOMEM) {
        fputs("problem listing backends: out of memory\n", stderr);
        return STATUS_FAILURE;
    }
    if (options->format == VMAF_OUTPUT_FORMAT_JSON)
        print_short_document(options);
    else
        print_table(options);
    return standard_output_finish();
}

static int write_file(const char *path, const char *text)
{
    int err = text_write(path, text);
    if (err)
        print_error("could not write file: %s (%s)", path, strerror(-err));
    return err ? STATUS_FAILURE : STATUS_OK;
}

int backend_report_capabilities(const Options *options)
{
    const char *excluded[MAX_BACKEND_WORDS + 1];
    unsigned n = 0;
    for (unsigned i = 0; i < options->backends.count; i++) {
        if (options->backends.words[i].excluded)
            excluded[n++] = options->backends.words[i].name;
    }
    excluded[n] = NULL;
    const char *only =
        options->backend && strcmp(options->backend, "auto") ? options->backend : NULL;
    char *document;
    int err = vmaf_capabilities_json_of(&document, 0, only, excluded);
    if (err) {
        print_error("problem describing this installation: %s", strerror(-err));
        return STATUS_FAILURE;
    }
    int status;
    if (options->capabilities) {
        status = write_file(options->capabilities, document);
    } else {
        fputs(document, stdout);
        status = standard_output_finish();
    }
    free(document);
    return status;
}
