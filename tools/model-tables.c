/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * Turns published model files into the C tables of the built-in models. See README.md.
 *
 *   model-tables DIRECTORY FILE.json...
 *
 * A version is named after its file. Support vectors and feature lists that several models have in
 * common are written once.
 */

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/builtin/builtin.h"
#include "support/sha256.h"

enum { MAX_VERSIONS = 64, MAX_MODELS = 1024, NAME_SIZE = 128 };

typedef struct Version {
    char name[NAME_SIZE];       /* vmaf_v0.6.1 */
    char identifier[NAME_SIZE]; /* vmaf_v0_6_1 */
    char sha256[SHA256_HEX_SIZE];
    bool is_collection;
    unsigned first_model, n_models;
    unsigned n_tables; /* support-vector tables that earlier versions lack */
} Version;

typedef struct Entry {
    VmafModel *model;
    unsigned svr_version, svr_index; /* where its support vectors are */
    unsigned features;               /* the model whose feature list it uses: itself or earlier */
} Entry;

static Version versions[MAX_VERSIONS];
static Entry entries[MAX_MODELS];
static unsigned n_versions, n_entries;

static void die(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("model-tables: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(1);
}

/* -- comparing -- */

static bool same_doubles(const double *a, const double *b, size_t count)
{
    return memcmp(a, b, count * sizeof(*a)) == 0;
}

static bool same_svr(const SvrTable *a, const SvrTable *b)
{
    return a->n_vectors == b->n_vectors && a->dimensions == b->dimensions &&
           same_doubles(&a->gamma, &b->gamma, 1) && same_doubles(&a->rho, &b->rho, 1) &&
           same_doubles(a->coefficients, b->coefficients, a->stride) &&
           same_doubles(a->vectors, b->vectors, (size_t)a->dimensions * a->stride);
}

static bool same_options(const Dictionary *a, const Dictionary *b)
{
    const char *name_a, *name_b, *value_a, *value_b;
    if (dictionary_size(a) != dictionary_size(b))
        return false;
    for (size_t i = 0; i < dictionary_size(a); i++) {
        dictionary_entry(a, i, &name_a, &value_a);
        dictionary_entry(b, i, &name_b, &value_b);
        if (strcmp(name_a, name_b) != 0 || strcmp(value_a, value_b) != 0)
            return false;
    }
    return true;
}

static bool same_features(const VmafModel *a, const VmafModel *b)
{
    if (a->n_features != b->n_features)
        return false;
    for (unsigned i = 0; i < a->n_features; i++) {
        const ModelFeature *x = &a->features[i], *y = &b->features[i];
        if (strcmp(x->name, y->name) != 0 || !same_doubles(&x->map.slope, &y->map.slope, 1) ||
            !same_doubles(&x->map.intercept, &y->map.intercept, 1) ||
            !same_options(x->options, y->options))
            return false;
    }
    return true;
}

/* -- loading -- */

static void add_model(VmafModel *model)
{
    if (n_entries == MAX_MODELS)
        die("too many models");
    Version *version = &versions[n_versions];
    Entry *entry = &entries[n_entries];
    *entry = (Entry){.model = model, .features = n_entries, .svr_version = n_versions};

    for (unsigned i = n_entries; i-- > 0;)
        if (same_features(model, entries[i].model))
            entry->features = i;
    unsigned i = 0;
    while (i < n_entries && !same_svr(model->svr, entries[i].model->svr))
        i++;
    if (i < n_entries) {
        entry->svr_version = entries[i].svr_version;
        entry->svr_index = entries[i].svr_index;
    } else {
        entry->svr_index = version->n_tables++;
    }
    n_entries++;
    version->n_models++;
}

static void name_version(Version *version, const char *path)
{
    const char *base = strrchr(path, '/');
    base = base ? base + 1 : path;
    const char *suffix = strstr(base, ".json");
    if (!suffix || suffix[5] || (size_t)(suffix - base) >= NAME_SIZE)
        die("\"%s\" is not the name of a model file", path);
    memcpy(version->name, base, (size_t)(suffix - base));
    strcpy(version->identifier, version->name);
    for (char *c = version->identifier; *c; c++)
        if (strchr(".-", *c))
            *c = '_';
}

static void hash_file(const char *path, char sha256[SHA256_HEX_SIZE])
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END))
        die("cannot read \"%s\"", path);
    long size = ftell(file);
    rewind(file);
    char *content = size > 0 ? malloc((size_t)size) : NULL;
    if (!content || fread(content, 1, (size_t)size, file) != (size_t)size)
        die("cannot read \"%s\"", path);
    fclose(file);
    sha256_hex(content, (size_t)size, sha256);
    free(content);
}

static void load_version(const char *path)
{
    if (n_versions == MAX_VERSIONS)
        die("too many versions");
    Version *version = &versions[n_versions];
    VmafModelConfig cfg = {0};
    VmafModel *model;
    VmafModelCollection *collection;
    Reason why;

    name_version(version, path);
    hash_file(path, version->sha256);
    version->first_model = n_entries;
    if (model_load_file(&model, NULL, &cfg, path, &why) == 0) {
        add_model(model);
    } else if (model_load_file(&model, &collection, &cfg, path, &why) == 0) {
        version->is_collection = true;
        add_model(model);
        for (unsigned i = 0; i < model_collection_size(collection); i++)
            add_model(model_collection_member(collection, i));
    } else {
        die("%s: %s", path, why.text);
    }
    n_versions++;
}

/* -- writing -- */

static FILE *create(const char *directory, const char *name)
{
    char path[4096];
    if (snprintf(path, sizeof(path), "%s/%s", directory, name) >= (int)sizeof(path))
        die("path is too long");
    FILE *file = fopen(path, "w");
    if (!file)
        die("%s: %s", path, strerror(errno));
    fputs("/* SPDX-License-Identifier: BSD-2-Clause-Patent */\n"
          "/* clang-format off */\n\n"
          "/*\n"
          " * Made by tools/model-tables from the model files that are published at\n"
          " * https://github.com/Netflix/vmaf under the licence BSD-2-Clause-Patent.\n"
          " * Copyright Netflix, Inc. Do not edit.\n"
          " */\n\n",
          file);
    return file;
}

static void finish(FILE *file)
{
    if (ferror(file) | fclose(file))
        die("cannot write: %s", strerror(errno));
}

/* The shortest decimal that reads back as the same number. */
static void print_double(FILE *file, double value)
{
    char text[40];
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, sizeof(text), "%.*g", digits, value);
        double back = strtod(text, NULL);
        if (same_doubles(&value, &back, 1))
            break;
    }
    fprintf(file, "%s%s", text, strpbrk(text, ".e") ? "" : ".0");
}

static void print_array(FILE *file, const double *values, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        fputs(i % 8 == 0 ? "\n    " : " ", file);
        print_double(file, values[i]);
        fputc(',', file);
    }
    fputc('\n', file);
}

static void write_svr(FILE *file, const SvrTable *svr, unsigned index)
{
    fprintf(file, "static const _Alignas(64) double coefficients_%u[%u] = {", index, svr->stride);
    print_array(file, svr->coefficients, svr->stride);
    fprintf(file, "};\n\nstatic const _Alignas(64) double vectors_%u[%u * %u] = {", index,
            svr->dimensions, svr->stride);
    for (unsigned i = 0; i < svr->dimensions; i++) {
        fprintf(file, "\n    /* component %u */", i + 1);
        print_array(file, svr->vectors + (size_t)i * svr->stride, svr->stride);
    }
    fputs("};\n\n", file);
}

static void write_svr_file(const char *directory, unsigned v)
{
    const Version *version = &versions[v];
    char name[NAME_SIZE + 16];
    snprintf(name, sizeof(name), "svr_%s.c", version->identifier);
    FILE *file = create(directory, name);
    fputs("#include \"model/builtin/svr_tables.h\"\n\n", file);

    for (unsigned pass = 0; pass < 2; pass++) {
        if (pass == 1)
            fprintf(file, "const SvrTable svr_%s[%u] = {\n", version->identifier,
                    version->n_tables);
        unsigned next = 0;
        for (unsigned i = 0; i < version->n_models; i++) {
            const Entry *entry = &entries[version->first_model + i];
            const SvrTable *svr = entry->model->svr;
            if (entry->svr_version != v || entry->svr_index != next)
                continue;
            if (pass == 0) {
                write_svr(file, svr, next);
            } else {
                fputs("    {.gamma = ", file);
                print_double(file, svr->gamma);
                fputs(", .rho = ", file);
                print_double(file, svr->rho);
                fprintf(file,
                        ", .n_vectors = %u, .dimensions = %u, .stride = %u,\n"
                        "     .coefficients = coefficients_%u, .vectors = vectors_%u},\n",
                        svr->n_vectors, svr->dimensions, svr->stride, next, next);
            }
            next++;
        }
    }
    fputs("};\n", file);
    finish(file);
}

static void write_svr_header(const char *directory)
{
    FILE *file = create(directory, "svr_tables.h");
    fputs("#ifndef CORE_MODEL_BUILTIN_SVR_TABLES_H\n#define CORE_MODEL_BUILTIN_SVR_TABLES_H\n\n"
          "#include \"model/svr.h\"\n\n",
          file);
    for (unsigned v = 0; v < n_versions; v++)
        if (versions[v].n_tables)
            fprintf(file, "extern const SvrTable svr_%s[%u];\n", versions[v].identifier,
                    versions[v].n_tables);
    fputs("\n#endif\n", file);
    finish(file);
}

/* Feature lists are numbered after the model that has them first. */
static void write_features(FILE *file, unsigned number)
{
    const VmafModel *model = entries[number].model;
    const char *name, *value;
    for (unsigned i = 0; i < model->n_features; i++) {
        const Dictionary *options = model->features[i].options;
        if (!dictionary_size(options))
            continue;
        fprintf(file, "static const BuiltinOption options_%u_%u[] = {\n", number, i);
        for (size_t j = 0; j < dictionary_size(options); j++) {
            dictionary_entry(options, j, &name, &value);
            fprintf(file, "    {\"%s\", \"%s\"},\n", name, value);
        }
        fputs("    {NULL, NULL},\n};\n\n", file);
    }
    fprintf(file, "static const BuiltinFeature features_%u[] = {\n", number);
    for (unsigned i = 0; i < model->n_features; i++) {
        const ModelFeature *feature = &model->features[i];
        fprintf(file, "    {\"%s\", {", feature->name);
        print_double(file, feature->map.slope);
        fputs(", ", file);
        print_double(file, feature->map.intercept);
        if (dictionary_size(feature->options))
            fprintf(file, "}, options_%u_%u},\n", number, i);
        else
            fputs("}, NULL},\n", file);
    }
    fputs("};\n\n", file);
}

static void write_coefficient(FILE *file, const char *name, bool present, double value)
{
    if (!present)
        return;
    fprintf(file, ".has_%s = true, .%s = ", name, name);
    print_double(file, value);
    fputs(", ", file);
}

static void write_transform(FILE *file, const ScoreTransform *transform)
{
    static const ScoreTransform none;
    if (memcmp(transform, &none, sizeof(none)) == 0)
        return;
    fprintf(file, "      .transform = {.enabled = %s, ", transform->enabled ? "true" : "false");
    write_coefficient(file, "p0", transform->has_p0, transform->p0);
    write_coefficient(file, "p1", transform->has_p1, transform->p1);
    write_coefficient(file, "p2", transform->has_p2, transform->p2);
    if (transform->n_knots) {
        fprintf(file, "\n        .n_knots = %u, .knots = {", transform->n_knots);
        for (unsigned i = 0; i < transform->n_knots; i++) {
            fputs("{", file);
            print_double(file, transform->knots[i].x);
            fputs(", ", file);
            print_double(file, transform->knots[i].y);
            fputs("}, ", file);
        }
        fputs("}, ", file);
    }
    fprintf(file, "\n        .out_lte_in = %s, .out_gte_in = %s},\n",
            transform->out_lte_in ? "true" : "false", transform->out_gte_in ? "true" : "false");
}

static void write_model(FILE *file, const Entry *entry)
{
    static const char *const types[] = {"MODEL_TYPE_UNSET", "MODEL_TYPE_SINGLE",
                                        "MODEL_TYPE_BOOTSTRAP", "MODEL_TYPE_RESIDUEBOOTSTRAP"};
    static const char *const normalisations[] = {"NORMALISATION_UNSET", "NORMALISATION_NONE",
                                                 "NORMALISATION_LINEAR_RESCALE"};
    const ModelParameters *p = &entry->model->parameters;

    fprintf(file, "    {.parameters = {.type = %s, .normalisation = %s,\n      .score_map = {",
            types[p->type], normalisations[p->normalisation]);
    print_double(file, p->score_map.slope);
    fputs(", ", file);
    print_double(file, p->score_map.intercept);
    fputs("},\n", file);
    if (p->has_clip) {
        fputs("      .has_clip = true, .clip_min = ", file);
        print_double(file, p->clip_min);
        fputs(", .clip_max = ", file);
        print_double(file, p->clip_max);
        fputs(",\n", file);
    }
    if (p->chroma_correction != 0.0) {
        fputs("      .chroma_correction = ", file);
        print_double(file, p->chroma_correction);
        fputs(",\n", file);
    }
    write_transform(file, &p->transform);
    fprintf(file, "     }, .features = features_%u, .n_features = %u, .svr = &svr_%s[%u]},\n",
            entry->features, entry->model->n_features, versions[entry->svr_version].identifier,
            entry->svr_index);
}

static void write_versions(const char *directory)
{
    FILE *file = create(directory, "versions.c");
    fputs("#include \"model/builtin/builtin.h\"\n#include \"model/builtin/svr_tables.h\"\n\n",
          file);
    for (unsigned i = 0; i < n_entries; i++)
        if (entries[i].features == i)
            write_features(file, i);
    for (unsigned v = 0; v < n_versions; v++) {
        fprintf(file, "static const BuiltinModel %s[%u] = {\n", versions[v].identifier,
                versions[v].n_models);
        for (unsigned i = 0; i < versions[v].n_models; i++)
            write_model(file, &entries[versions[v].first_model + i]);
        fputs("};\n\n", file);
    }
    fputs("const BuiltinVersion builtin_versions[] = {\n", file);
    for (unsigned v = 0; v < n_versions; v++)
        fprintf(file, "    {\"%s\", %s, %u, %s,\n     \"%s\"},\n", versions[v].name,
                versions[v].is_collection ? "true" : "false", versions[v].n_models,
                versions[v].identifier, versions[v].sha256);
    fputs("    {NULL, false, 0, NULL, NULL},\n};\n", file);
    finish(file);
}

int main(int argc, char **argv)
{
    if (argc < 3)
        die("usage: model-tables DIRECTORY FILE.json...");
    for (int i = 2; i < argc; i++)
        load_version(argv[i]);
    write_svr_header(argv[1]);
    for (unsigned v = 0; v < n_versions; v++)
        if (versions[v].n_tables)
            write_svr_file(argv[1], v);
    write_versions(argv[1]);
    return 0;
}
