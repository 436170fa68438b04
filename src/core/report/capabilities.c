/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The document of capabilities: what the library is, runs on and can do itself. */

#include <errno.h>
#include <float.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "libvmaf/libvmaf.h"
#include "metrics/framework/extractor.h"
#include "model/model.h"
#include "platform/machine.h"
#include "report/capabilities_internal.h"
#include "support/cpu.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#if defined(__linux__)
#define OS_NAME "linux"
#elif defined(__APPLE__)
#define OS_NAME "macos"
#elif defined(_WIN32)
#define OS_NAME "windows"
#else
#define OS_NAME "unix"
#endif

#if defined(__x86_64__)
#define ARCH_NAME "x86_64"
#elif defined(__aarch64__)
#define ARCH_NAME "aarch64"
#elif defined(__i386__)
#define ARCH_NAME "i386"
#else
#define ARCH_NAME "other"
#endif

#if defined(__clang__)
#define COMPILER_NAME __VERSION__ /* names the compiler itself */
#elif defined(__GNUC__)
#define COMPILER_NAME "GCC " __VERSION__
#else
#define COMPILER_NAME "unknown"
#endif

#define DEFAULT_MODEL "vmaf_v0.6.1"

json_t *capabilities_append(json_t *list, json_t *item)
{
    if (list && json_array_append_new(list, item)) {
        json_decref(list);
        return NULL;
    }
    if (!list)
        json_decref(item);
    return list;
}

json_t *capabilities_set(json_t *object, const char *name, json_t *value)
{
    if (json_object_set_new(object, name, value)) { /* which releases the value in any case */
        json_decref(object);
        return NULL;
    }
    return object;
}

static json_t *library_part(void)
{
    return json_pack("{s:s, s:s, s:s, s:i, s:s}", "name", "libvmaf", "version", vmaf_version(),
                     "build_id", vmaf_version(), "abi", VMAF_API_VERSION_MAJOR, "compat",
                     "libvmaf 3.2");
}

static json_t *build_part(void)
{
    return json_pack("{s:s, s:s, s:s, s:b, s:b, s:b}", "compiler", COMPILER_NAME, "os", OS_NAME,
                     "arch", ARCH_NAME, "float_features", true, "built_in_models", true, "threads",
                     true);
}

typedef struct IsaName {
    unsigned flag;
    const char *name;
} IsaName;

#if defined(__aarch64__)
static const IsaName isa_names[] = {{CPU_NEON, "neon"}};
enum { ISAS_WITH_KERNELS = CPU_NEON };
#else
static const IsaName isa_names[] = {
    {CPU_SSE2, "sse2"},        {CPU_SSSE3, "ssse3"},   {CPU_SSE41, "sse41"},
    {CPU_AVX2, "avx2"},        {CPU_AVX512, "avx512"}, {CPU_AVX512_ICL, "avx512icl"},
    {CPU_AVX_VNNI, "avxvnni"},
};
enum { ISAS_WITH_KERNELS = CPU_AVX2 | CPU_AVX_VNNI | CPU_AVX512 | CPU_AVX512_ICL };
#endif
enum { N_ISAS = sizeof(isa_names) / sizeof(isa_names[0]) };

static json_t *isa_list(unsigned flags)
{
    json_t *list = json_array();
    for (int i = 0; list && i < N_ISAS; i++) {
        if (flags & isa_names[i].flag)
            list = capabilities_append(list, json_string(isa_names[i].name));
    }
    return list;
}

static json_t *isa_bits(void)
{
    json_t *bits = json_object();
    for (int i = 0; i < N_ISAS; i++)
        bits = capabilities_set(bits, isa_names[i].name, json_integer(isa_names[i].flag));
    return bits;
}

/* The twelve letters that CPUID returns, such as GenuineIntel. */
static const char *cpu_vendor(char vendor[13])
{
#if defined(__x86_64__) || defined(__i386__)
    unsigned eax, ebx, ecx, edx;
    if (__get_cpuid(0, &eax, &ebx, &ecx, &edx)) {
        memcpy(vendor, &ebx, 4);
        memcpy(vendor + 4, &edx, 4);
        memcpy(vendor + 8, &ecx, 4);
        vendor[12] = '\0';
        return vendor;
    }
#endif
    (void)vendor;
    return "unknown";
}

static json_t *cpu_part(void)
{
    char vendor[13];
    unsigned detected = cpu_flags(0);
    return json_pack("{s:s, s:o, s:o, s:o, s:o, s:i}", "vendor", cpu_vendor(vendor), "isa_compiled",
                     isa_list(ISAS_WITH_KERNELS), "isa_detected", isa_list(detected), "isa_active",
                     isa_list(detected & ISAS_WITH_KERNELS), "cpumask_bits", isa_bits(),
                     "logical_cores", (int)vmaf_processors_online());
}

/* The extractors that a model needs, each once. */
static json_t *model_extractors(const VmafModel *model)
{
    json_t *names = json_array();
    for (unsigned i = 0; names && i < model_feature_count(model); i++) {
        const FeatureExtractor *extractor = registry_find_provider(model_feature_name(model, i));
        bool listed = !extractor;
        size_t place;
        json_t *name;
        json_array_foreach(names, place, name)
        {
            listed |= extractor && !strcmp(json_string_value(name), extractor->name);
        }
        if (!listed)
            names = capabilities_append(names, json_string(extractor->name));
    }
    return names;
}

static json_t *describe_model(unsigned index, const char *name, bool is_collection)
{
    const VmafModelConfig config = {0};
    VmafModel *model;
    VmafModelCollection *collection = NULL;
    if (model_load_builtin(&model, is_collection ? &collection : NULL, &config, name, NULL))
        return NULL;
    json_t *description =
        json_pack("{s:s, s:b, s:s, s:o, s:s}", "version", name, "default",
                  !strcmp(name, DEFAULT_MODEL), "kind", is_collection ? "bootstrap" : "svm",
                  "features", model_extractors(model), "sha256", builtin_model_sha256(index));
    model_destroy(model);
    model_collection_destroy(collection);
    return description;
}

static json_t *model_list(void)
{
    json_t *models = json_array();
    int is_collection;
    const char *name;
    for (unsigned i = 0; models && (name = builtin_model_name(i, &is_collection)); i++)
        models = capabilities_append(models, describe_model(i, name, is_collection));
    return models;
}

/*
 * What the extractors can do. Formats, depths and minimum sizes are not stated a second time, but
 * found by calling the extractor's own check.
 */

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
    if (ranged)
        option = capabilities_set(option, "min", json_real(spec->min));
    if (ranged && spec->max < DBL_MAX)
        option = capabilities_set(option, "max", json_real(spec->max));
    return capabilities_set(option, "in_name", json_boolean(named));
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
        if (alias != output->name)
            map = capabilities_set(map, output->name, json_string(alias));
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

static json_t *feature_list(void)
{
    json_t *list = json_array();
    const FeatureExtractor *extractor;
    for (unsigned i = 0; (extractor = registry_get(i)) != NULL; i++)
        list = capabilities_append(list, describe(extractor));
    return list;
}

enum { SCHEMA_MAJOR = 1, SCHEMA_MINOR = 2 };

static json_t *schema(void)
{
    return json_pack("{s:s, s:i, s:i}", "name", "vmaf-capabilities", "major", SCHEMA_MAJOR, "minor",
                     SCHEMA_MINOR);
}

static int fill(json_t *document, const CapabilitiesScope *scope)
{
    if (json_object_set_new(document, "schema", schema()) ||
        json_object_set_new(document, "library", library_part()) ||
        json_object_set_new(document, "build", build_part()) ||
        json_object_set_new(document, "cpu", cpu_part()) ||
        json_object_set_new(document, "models", model_list()) ||
        json_object_set_new(document, "features", feature_list()))
        return -ENOMEM;
    return capabilities_add_backends(document, scope);
}

int capabilities_write(char **text, const CapabilitiesScope *scope)
{
    json_t *document = json_object();
    int err = document ? fill(document, scope) : -ENOMEM;
    if (!err) {
        char *body = json_dumps(document, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
        err = body && asprintf(text, "%s\n", body) >= 0 ? 0 : -ENOMEM;
        free(body);
    }
    json_decref(document);
    return err;
}
