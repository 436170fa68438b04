/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What the core itself is and runs on. */
#include <stdbool.h>
#include <string.h>

#include "libvmaf/libvmaf.h"
#include "metrics/framework/registry.h"
#include "model/model.h"
#include "report/capabilities_parts.h"
#include "support/cpu.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "platform/machine.h"

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

json_t *capabilities_library(void)
{
    return json_pack("{s:s, s:s, s:s, s:i, s:s}", "name", "libvmaf", "version", vmaf_version(),
                     "build_id", vmaf_version(), "abi", VMAF_API_VERSION_MAJOR, "compat",
                     "libvmaf 3.2");
}

json_t *capabilities_build(void)
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
    for (int i = 0; bits && i < N_ISAS; i++) {
        if (json_object_set_new(bits, isa_names[i].name, json_integer(isa_names[i].flag))) {
            json_decref(bits);
            bits = NULL;
        }
    }
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

json_t *capabilities_cpu(void)
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

json_t *capabilities_models(void)
{
    json_t *models = json_array();
    int is_collection;
    const char *name;
    for (unsigned i = 0; models && (name = builtin_model_name(i, &is_collection)); i++)
        models = capabilities_append(models, describe_model(i, name, is_collection));
    return models;
}
