/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * Turns published model files into the C tables of the built-in models. See README.md.
 *
 *   model-tables DIRECTORY FILE.json...
 *
 * A version is named after its file. What several models have in common is written once.
 */

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/builtin/builtin.h"
#include "support/sha256.h"

enum {
    MAX_VERSIONS = 64,
    MAX_MODELS = 1024,
    MAX_VECTORS = 1 << 16,
    NAME_SIZE = 128,
    COLUMNS = 100
};

typedef struct Version {
    char name[NAME_SIZE];       /* vmaf_v0.6.1 */
    char identifier[NAME_SIZE]; /* vmaf_v0_6_1 */
    char sha256[SHA256_HEX_SIZE];
    bool is_collection;
    unsigned first_model, n_models;
} Version;

/* A model, and the first models that have the same parameters, features and regression. */
typedef struct Entry {
    VmafModel *model;
    unsigned parameters, features, svr;
    unsigned svr_number; /* of its regression among those that are written */
} Entry;

static Version versions[MAX_VERSIONS];
static Entry entries[MAX_MODELS];
static double vectors[MAX_VECTORS][BUILTIN_COMPONENTS];
static const Dictionary *option_lists[MAX_MODELS];
static unsigned n_versions, n_entries, n_vectors, n_svrs, n_option_lists;

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
    Entry *entry = &entries[n_entries];
    *entry = (Entry){model, n_entries, n_entries, n_entries, 0};
    for (unsigned i = n_entries; i-- > 0;) {
        const VmafModel *other = entries[i].model;
        if (memcmp(&model->parameters, &other->parameters, sizeof(model->parameters)) == 0)
            entry->parameters = i;
        if (same_features(model, other))
            entry->features = i;
        if (same_svr(model->svr, other->svr))
            entry->svr = i;
    }
    entry->svr_number = entry->svr == n_entries ? n_svrs++ : entries[entry->svr].svr_number;
    n_entries++;
    versions[n_versions].n_models++;
}

/* The row of a support vector among those of all models, which it joins if it is new. */
static unsigned row_of_vector(const SvrTable *svr, unsigned k)
{
    double vector[BUILTIN_COMPONENTS] = {0};
    if (svr->dimensions > BUILTIN_COMPONENTS)
        die("support vectors have more than %d components", BUILTIN_COMPONENTS);
    for (unsigned i = 0; i < svr->dimensions; i++)
        vector[i] = svr->vectors[(size_t)i * svr->stride + k];
    unsigned row = 0;
    while (row < n_vectors && !same_doubles(vectors[row], vector, BUILTIN_COMPONENTS))
        row++;
    if (row == MAX_VECTORS)
        die("too many support vectors");
    if (row == n_vectors)
        memcpy(vectors[n_vectors++], vector, sizeof(vector));
    return row;
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
static void format_double(char text[40], double value)
{
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, 32, "%.*g", digits, value);
        double back = strtod(text, NULL);
        if (same_doubles(&value, &back, 1))
            break;
    }
    strcat(text, strpbrk(text, ".e") ? "" : ".0");
}

static void print_double(FILE *file, double value)
{
    char text[40];
    format_double(text, value);
    fputs(text, file);
}

/* The next element of an array whose last line has so many characters; returns how many it has. */
static unsigned print_element(FILE *file, unsigned used, const char *text)
{
    const unsigned length = (unsigned)strlen(text) + 2;
    const bool fits = used && used + length <= COLUMNS;
    fprintf(file, "%s%s,", fits ? " " : "\n    ", text);
    return fits ? used + length : length + 3;
}

static void write_svr(FILE *file, const SvrTable *svr, unsigned number)
{
    char text[40];
    fprintf(file, "static const double coefficients_%u[%u] = {", number, svr->n_vectors);
    for (unsigned k = 0, used = 0; k < svr->n_vectors; k++) {
        format_double(text, svr->coefficients[k]);
        used = print_element(file, used, text);
    }
    fprintf(file, "\n};\n\nstatic const uint16_t vectors_%u[%u] = {", number, svr->n_vectors);
    for (unsigned k = 0, used = 0; k < svr->n_vectors; k++) {
        snprintf(text, sizeof(text), "%u", row_of_vector(svr, k));
        used = print_element(file, used, text);
    }
    fputs("\n};\n\n", file);
}

static void write_svrs(const char *directory)
{
    FILE *file = create(directory, "svr.c");
    fputs("#include \"model/builtin/builtin.h\"\n\n", file);
    for (unsigned i = 0; i < n_entries; i++)
        if (entries[i].svr == i)
            write_svr(file, entries[i].model->svr, entries[i].svr_number);
    fprintf(file, "const BuiltinSvr builtin_svrs[%u] = {\n", n_svrs);
    for (unsigned i = 0; i < n_entries; i++) {
        const SvrTable *svr = entries[i].model->svr;
        if (entries[i].svr != i)
            continue;
        fputs("    {", file);
        print_double(file, svr->gamma);
        fputs(", ", file);
        print_double(file, svr->rho);
        fprintf(file, ", %u, %u, coefficients_%u, vectors_%u},\n", svr->n_vectors, svr->dimensions,
                entries[i].svr_number, entries[i].svr_number);
    }
    fputs("};\n", file);
    finish(file);
}

/* After all regressions, which number them. */
static void write_vectors(const char *directory)
{
    FILE *file = create(directory, "vectors.c");
    fprintf(file,
            "#include \"model/builtin/builtin.h\"\n\n"
            "const double builtin_vectors[%u][BUILTIN_COMPONENTS] = {\n",
            n_vectors);
    for (unsigned row = 0; row < n_vectors; row++) {
        for (unsigned i = 0; i < BUILTIN_COMPONENTS; i++) {
            fputs(i ? ", " : "    {", file);
            print_double(file, vectors[row][i]);
        }
        fputs("},\n", file);
    }
    fputs("};\n", file);
    finish(file);
}

/* The number of a list of options, which is written if it is new. */
static unsigned write_options(FILE *file, const Dictionary *options)
{
    const char *name, *value;
    unsigned number = 0;
    while (number < n_option_lists && !same_options(option_lists[number], options))
        number++;
    if (number < n_option_lists)
        return number;
    if (number == MAX_MODELS)
        die("too many lists of options");
    option_lists[n_option_lists++] = options;
    fprintf(file, "static const BuiltinOption options_%u[] = {\n", number);
    for (size_t j = 0; j < dictionary_size(options); j++) {
        dictionary_entry(options, j, &name, &value);
        fprintf(file, "    {\"%s\", \"%s\"},\n", name, value);
    }
    fputs("    {NULL, NULL},\n};\n\n", file);
    return number;
}

/* Lists of features are numbered after the model that has them first. */
static void write_features(FILE *file, unsigned number)
{
    const VmafModel *model = entries[number].model;
    unsigned lists[MODEL_MAX_FEATURES] = {0};
    for (unsigned i = 0; i < model->n_features; i++)
        if (dictionary_size(model->features[i].options))
            lists[i] = write_options(file, model->features[i].options);
    fprintf(file, "static const BuiltinFeature features_%u[] = {\n", number);
    for (unsigned i = 0; i < model->n_features; i++) {
        const ModelFeature *feature = &model->features[i];
        fprintf(file, "    {\"%s\", {", feature->name);
        print_double(file, feature->map.slope);
        fputs(", ", file);
        print_double(file, feature->map.intercept);
        if (dictionary_size(feature->options))
            fprintf(file, "}, options_%u},\n", lists[i]);
        else
            fputs("}, NULL},\n", file);
    }
    fputs("};\n\n", file);
}

static void write_coefficient(FILE *file, const char *name, bool present, double value)
{
    if (!present)
        return;
    fprintf(file, "\n        .has_%s = true, .%s = ", name, name);
    print_double(file, value);
    fputc(',', file);
}

static void write_transform(FILE *file, const ScoreTransform *transform)
{
    static const ScoreTransform none;
    if (memcmp(transform, &none, sizeof(none)) == 0)
        return;
    fprintf(file, "    .transform = {.enabled = %s,", transform->enabled ? "true" : "false");
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
        fputs("},", file);
    }
    fprintf(file, "\n        .out_lte_in = %s, .out_gte_in = %s},\n",
            transform->out_lte_in ? "true" : "false", transform->out_gte_in ? "true" : "false");
}

/* Parameters are numbered after the model that has them first, too. */
static void write_parameters(FILE *file, unsigned number)
{
    static const char *const types[] = {"MODEL_TYPE_UNSET", "MODEL_TYPE_SINGLE",
                                        "MODEL_TYPE_BOOTSTRAP", "MODEL_TYPE_RESIDUEBOOTSTRAP"};
    static const char *const normalisations[] = {"NORMALISATION_UNSET", "NORMALISATION_NONE",
                                                 "NORMALISATION_LINEAR_RESCALE"};
    const ModelParameters *p = &entries[number].model->parameters;

    fprintf(file,
            "static const ModelParameters parameters_%u = {\n"
            "    .type = %s, .normalisation = %s,\n    .score_map = {",
            number, types[p->type], normalisations[p->normalisation]);
    print_double(file, p->score_map.slope);
    fputs(", ", file);
    print_double(file, p->score_map.intercept);
    fputs("},\n", file);
    if (p->has_clip) {
        fputs("    .has_clip = true, .clip_min = ", file);
        print_double(file, p->clip_min);
        fputs(", .clip_max = ", file);
        print_double(file, p->clip_max);
        fputs(",\n", file);
    }
    if (p->chroma_correction != 0.0) {
        fputs("    .chroma_correction = ", file);
        print_double(file, p->chroma_correction);
        fputs(",\n", file);
    }
    write_transform(file, &p->transform);
    fputs("};\n\n", file);
}

static void write_version(FILE *file, const Version *version)
{
    fprintf(file, "static const BuiltinModel %s[%u] = {\n", version->identifier, version->n_models);
    for (unsigned i = 0; i < version->n_models; i++) {
        const Entry *entry = &entries[version->first_model + i];
        fprintf(file, "    {&parameters_%u, features_%u, %u, &builtin_svrs[%u]},\n",
                entry->parameters, entry->features, entry->model->n_features, entry->svr_number);
    }
    fputs("};\n\n", file);
}

static void write_versions(const char *directory)
{
    FILE *file = create(directory, "versions.c");
    fputs("#include \"model/builtin/builtin.h\"\n\n", file);
    for (unsigned i = 0; i < n_entries; i++) {
        if (entries[i].features == i)
            write_features(file, i);
        if (entries[i].parameters == i)
            write_parameters(file, i);
    }
    for (unsigned v = 0; v < n_versions; v++)
        write_version(file, &versions[v]);
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
    write_svrs(argv[1]);
    write_vectors(argv[1]);
    write_versions(argv[1]);
    return 0;
}
