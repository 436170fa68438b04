/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Model files: JSON becomes models and collections. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/json_text.h"
#include "model/model_internal.h"

static int reject(Reason *why, const char *key, const char *expected)
{
    return reason_set(why, -EINVAL, "%s: expected %s", key, expected);
}

/* Position of the string in a NULL-terminated list, or -1. */
static int index_of(const json_t *string, const char *const words[])
{
    const char *text = json_string_value(string);
    for (int i = 0; text && words[i]; i++)
        if (!strcmp(text, words[i]))
            return i;
    return -1;
}

static int read_type(VmafModel *model, const json_t *value, Reason *why)
{
    static const char *const names[] = {"LIBSVMNUSVR", "BOOTSTRAP_LIBSVMNUSVR",
                                        "RESIDUEBOOTSTRAP_LIBSVMNUSVR", NULL};
    static const ModelType types[] = {MODEL_TYPE_SINGLE, MODEL_TYPE_BOOTSTRAP,
                                      MODEL_TYPE_RESIDUEBOOTSTRAP};
    int i = index_of(value, names);
    if (i < 0)
        return reject(why, "model_type", "the name of a known type");
    model->parameters.type = types[i];
    return 0;
}

static int read_normalisation(VmafModel *model, const json_t *value, Reason *why)
{
    static const char *const names[] = {"linear_rescale", "none", NULL};
    int i = index_of(value, names);
    if (i < 0)
        return reject(why, "norm_type", "\"linear_rescale\" or \"none\"");
    model->parameters.normalisation = i == 0 ? NORMALISATION_LINEAR_RESCALE : NORMALISATION_NONE;
    return 0;
}

static int read_clip(VmafModel *model, const json_t *value, const VmafModelConfig *cfg, Reason *why)
{
    if (!json_is_array(value))
        return reject(why, "score_clip", "an array");
    if (cfg->flags & VMAF_MODEL_FLAG_DISABLE_CLIP)
        return 0;
    const json_t *min = json_array_get(value, 0), *max = json_array_get(value, 1);
    if (!json_is_number(min) || !json_is_number(max))
        return reject(why, "score_clip", "two numbers");
    model->parameters.has_clip = true;
    model->parameters.clip_min = json_number_value(min);
    model->parameters.clip_max = json_number_value(max);
    return 0;
}

/* Slopes or intercepts: the first one belongs to the score, the others to the features. */
static int read_coefficients(const json_t *value, const char *key,
                             double coefficients[1 + MODEL_MAX_FEATURES], Reason *why)
{
    size_t count = json_array_size(value); /* 0 also for what is not an array */
    if (count == 0 || count > 1 + MODEL_MAX_FEATURES)
        return reject(why, key, "an array of 1 to 65 numbers");
    for (size_t i = 0; i < count; i++) {
        const json_t *number = json_array_get(value, i);
        if (!json_is_number(number))
            return reject(why, key, "numbers");
        coefficients[i] = json_number_value(number);
    }
    return 0;
}

static int read_maps(VmafModel *model, const json_t *slopes, const json_t *intercepts, Reason *why)
{
    double slope[1 + MODEL_MAX_FEATURES] = {0}, intercept[1 + MODEL_MAX_FEATURES] = {0};
    int err = slopes ? read_coefficients(slopes, "slopes", slope, why) : 0;
    if (!err && intercepts)
        err = read_coefficients(intercepts, "intercepts", intercept, why);
    if (err)
        return err;
    model->parameters.score_map = (LinearMap){slope[0], intercept[0]};
    for (unsigned i = 0; i < model->n_features; i++)
        model->features[i].map = (LinearMap){slope[1 + i], intercept[1 + i]};
    return 0;
}

static int read_feature_names(VmafModel *model, const json_t *value, Reason *why)
{
    size_t count = json_array_size(value);
    if (!json_is_array(value) || count > MODEL_MAX_FEATURES)
        return reject(why, "feature_names", "an array of at most 64 strings");
    for (size_t i = 0; i < count; i++)
        if (!json_is_string(json_array_get(value, i)))
            return reject(why, "feature_names", "strings");

    int err = model_set_feature_count(model, (unsigned)count);
    for (unsigned i = 0; !err && i < count; i++)
        err = model_set_feature_name(model, i, json_string_value(json_array_get(value, i)));
    return err ? reason_set(why, err, "out of memory") : 0;
}

/* Options beyond the last feature are checked too, and then ignored. */
static int read_options(VmafModel *model, const json_t *value, Reason *why)
{
    if (!json_is_array(value) || json_array_size(value) > MODEL_MAX_FEATURES)
        return reject(why, "feature_opts_dicts", "an array of at most 64 objects");
    for (unsigned i = 0; i < json_array_size(value); i++) {
        json_t *options = json_array_get(value, i);
        if (!json_is_object(options))
            return reject(why, "feature_opts_dicts", "objects");
        if (json_object_size(options) > JSON_MAX_OPTIONS)
            return reject(why, "feature_opts_dicts", "at most 65536 options for a feature");
        const char *name, *text;
        json_t *option;
        json_object_foreach(options, name, option)
        {
            char buffer[32];
            if (!option_text_from_json(option, buffer, &text))
                return reject(why, name, "a number, a string, true or false");
            if (i < model->n_features && model_set_feature_option(model, i, name, text))
                return reason_set(why, -ENOMEM, "out of memory");
        }
    }
    return 0;
}

/* Coefficient of the polynomial; null means none. */
static int read_polynomial(const json_t *object, const char *key, bool *present, double *value,
                           Reason *why)
{
    const json_t *number = json_object_get(object, key);
    if (!number || json_is_null(number))
        return 0;
    if (!json_is_number(number))
        return reject(why, key, "a number");
    *present = true;
    *value = json_number_value(number);
    return 0;
}

static int read_knots(ScoreTransform *transform, const json_t *value, Reason *why)
{
    if (!value || json_is_null(value))
        return 0;
    if (!json_is_array(value) || json_array_size(value) > TRANSFORM_MAX_KNOTS)
        return reject(why, "knots", "an array of at most 10 pairs");
    for (unsigned i = 0; i < json_array_size(value); i++) {
        const json_t *pair = json_array_get(value, i);
        const json_t *x = json_array_get(pair, 0), *y = json_array_get(pair, 1);
        if (!json_is_array(pair) || json_array_size(pair) > 2 || (x && !json_is_number(x)) ||
            (y && !json_is_number(y)))
            return reject(why, "knots", "pairs of numbers");
        transform->knots[i] = (TransformKnot){json_number_value(x), json_number_value(y)};
        transform->n_knots = i + 1;
    }
    return 0;
}

/* Files use the string "true" for these two; a boolean is accepted as well. */
static int read_bound(const json_t *object, const char *key, bool *bound, Reason *why)
{
    const json_t *value = json_object_get(object, key);
    if (!value)
        return 0;
    if (!json_is_string(value) && !json_is_boolean(value))
        return reject(why, key, "\"true\" or \"false\"");
    *bound =
        json_is_true(value) || (json_is_string(value) && !strcmp(json_string_value(value), "true"));
    return 0;
}

static int read_transform(VmafModel *model, const json_t *value, Reason *why)
{
    ScoreTransform *transform = &model->parameters.transform;
    if (!json_is_object(value))
        return reject(why, "score_transform", "an object");
    const json_t *enabled = json_object_get(value, "enabled");
    if (enabled && !json_is_boolean(enabled))
        return reject(why, "enabled", "true or false");
    transform->enabled = json_is_true(enabled);

    int err = read_polynomial(value, "p0", &transform->has_p0, &transform->p0, why);
    if (!err)
        err = read_polynomial(value, "p1", &transform->has_p1, &transform->p1, why);
    if (!err)
        err = read_polynomial(value, "p2", &transform->has_p2, &transform->p2, why);
    if (!err)
        err = read_knots(transform, json_object_get(value, "knots"), why);
    if (!err)
        err = read_bound(value, "out_lte_in", &transform->out_lte_in, why);
    if (!err)
        err = read_bound(value, "out_gte_in", &transform->out_gte_in, why);
    return err;
}

static int read_chroma_correction(VmafModel *model, const json_t *value, Reason *why)
{
    if (!json_is_number(value))
        return reject(why, "chroma_correction_parameter", "a number");
    model->parameters.chroma_correction = json_number_value(value);
    return 0;
}

static int read_svr(VmafModel *model, const json_t *value, Reason *why)
{
    if (json_string_length(value) == 0)
        return reject(why, "model", "support-vector text");
    return libsvm_parse(&model->svr, json_string_value(value), why);
}

/*
 * Fills a model from the object "model_dict" of a model file; docs/models.md describes its members.
 * 0; -EINVAL with a reason for malformed content; -ENOMEM, also for support-vector text that does
 * not parse. After a failure the caller destroys the model.
 */
static int model_from_json(VmafModel *model, const json_t *model_dict, const VmafModelConfig *cfg,
                           Reason *why)
{
    const json_t *value;
    int err = 0;

    if ((value = json_object_get(model_dict, "model_type")))
        err = read_type(model, value, why);
    if (!err && (value = json_object_get(model_dict, "norm_type")))
        err = read_normalisation(model, value, why);
    if (!err && (value = json_object_get(model_dict, "score_clip")))
        err = read_clip(model, value, cfg, why);
    if (!err && (value = json_object_get(model_dict, "feature_names")))
        err = read_feature_names(model, value, why);
    if (!err)
        err = read_maps(model, json_object_get(model_dict, "slopes"),
                        json_object_get(model_dict, "intercepts"), why);
    if (!err && (value = json_object_get(model_dict, "feature_opts_dicts")))
        err = read_options(model, value, why);
    if (!err && (value = json_object_get(model_dict, "score_transform")))
        err = read_transform(model, value, why);
    if (!err && (value = json_object_get(model_dict, "chroma_correction_parameter")))
        err = read_chroma_correction(model, value, why);
    if (!err)
        err = read_svr(model, json_object_get(model_dict, "model"), why);
    return err;
}

enum { FIRST_READ = 64 << 10 };

static int file_too_large(Reason *why)
{
    return reason_set(why, -EINVAL, "the file is too large: more than %d MiB",
                      JSON_MAX_FILE_SIZE >> 20);
}

/* Reads the whole file as text; NULL with a reason on failure. */
static char *read_text(const char *path, size_t *size, int *err, Reason *why)
{
    size_t capacity = FIRST_READ, used = 0;
    char *text = NULL;
    FILE *file = fopen(path, "rb");
    if (!file) {
        *err = reason_set(why, -EINVAL, "%s", strerror(errno));
        return NULL;
    }
    do {
        capacity *= 2;
        bool too_large = capacity > 2 * JSON_MAX_FILE_SIZE;
        char *larger = too_large ? NULL : realloc(text, capacity + 1);
        if (!larger) {
            *err = too_large ? file_too_large(why) : reason_set(why, -ENOMEM, "out of memory");
            goto fail;
        }
        text = larger;
        used += fread(text + used, 1, capacity - used, file);
    } while (used == capacity);
    if (ferror(file)) {
        *err = reason_set(why, -EINVAL, "%s", strerror(errno));
        goto fail;
    }
    if (used > JSON_MAX_FILE_SIZE) {
        *err = file_too_large(why);
        goto fail;
    }
    fclose(file);
    text[used] = '\0';
    *size = used;
    return text;

fail:
    fclose(file);
    free(text);
    return NULL;
}

/* Parses the first value in the text, and ends the text after it. */
static int parse(json_t **root, char *text, size_t size, Reason *why)
{
    if (json_text_is_nested_too_deeply(text, size))
        return reason_set(why, -EINVAL, "arrays and objects are nested more than %d deep",
                          JSON_MAX_DEPTH);
    json_error_t error;
    *root = json_loadb(text, size, JSON_DISABLE_EOF_CHECK | JSON_DECODE_INT_AS_REAL, &error);
    if (!*root)
        return reason_set(why, -EINVAL, "line %d: %s", error.line, error.text);
    if (error.position < 0 || (size_t)error.position > size)
        return 0;
    text[error.position] = '\0';
    /* Jansson accepts a zero byte after a number. */
    if (strlen(text) != (size_t)error.position)
        return reason_set(why, -EINVAL, "a zero byte in the text");
    return json_text_check_options(text, why);
}

/* `object` is the content of a file with a single model. */
static int load_one(VmafModel **model, const json_t *object, const VmafModelConfig *cfg,
                    unsigned number, Reason *why)
{
    const json_t *model_dict = json_object_get(object, "model_dict");
    if (!json_is_object(model_dict))
        return reason_set(why, -EINVAL, "there is no object \"model_dict\"");

    VmafModel *loaded = model_create(cfg, number);
    if (!loaded)
        return reason_set(why, -ENOMEM, "out of memory");
    int err = model_from_json(loaded, model_dict, cfg, why);
    if (!err && model_complete(loaded, cfg))
        err = reason_set(why, -ENOMEM, "out of memory");
    if (err) {
        model_destroy(loaded);
        return err;
    }
    *model = loaded;
    return 0;
}

/* Entries count in ascending order only: after "1", everything up to "2" is skipped. */
static int load_entries(VmafModel **base, VmafModelCollection *collection, json_t *root,
                        const VmafModelConfig *cfg, Reason *why)
{
    unsigned number = 0;
    char expected[16] = "0";
    const char *key;
    json_t *entry;
    json_object_foreach(root, key, entry)
    {
        if (strcmp(key, expected) != 0)
            continue;
        if (number == JSON_MAX_MODELS)
            return reason_set(why, -EINVAL, "the collection has more than %d models",
                              JSON_MAX_MODELS);
        VmafModel *model = NULL;
        int err = load_one(&model, entry, cfg, number, why);
        if (err)
            return err;
        if (number == 0) {
            *base = model;
        } else if ((err = model_collection_add(collection, model, why))) {
            model_destroy(model);
            return err;
        }
        snprintf(expected, sizeof(expected), "%u", ++number);
    }
    if (number < 2)
        return reason_set(why, -EINVAL, "it is not a collection of at least two models");
    return 0;
}

static int load_collection(VmafModel **model, VmafModelCollection **collection, json_t *root,
                           const VmafModelConfig *cfg, Reason *why)
{
    VmafModel *base = NULL;
    VmafModelCollection *members = model_collection_create(cfg);
    if (!members)
        return reason_set(why, -ENOMEM, "out of memory");
    int err = load_entries(&base, members, root, cfg, why);
    if (err) {
        model_destroy(base);
        model_collection_destroy(members);
        return err;
    }
    *model = base;
    *collection = members;
    return 0;
}

static bool is_collection(const json_t *root)
{
    return !json_object_get(root, "model_dict") && json_object_get(root, "0");
}

int model_load_text(VmafModel **model, VmafModelCollection **collection, const VmafModelConfig *cfg,
                    const char *text, size_t size, Reason *why)
{
    json_t *root = NULL;

    *model = NULL;
    *collection = NULL;
    if (size > JSON_MAX_FILE_SIZE)
        return file_too_large(why);
    char *copy = malloc(size + 1);
    if (!copy)
        return reason_set(why, -ENOMEM, "out of memory");
    memcpy(copy, text, size);
    copy[size] = '\0';
    int err = parse(&root, copy, size, why);
    if (!err)
        err = is_collection(root) ? load_collection(model, collection, root, cfg, why)
                                  : load_one(model, root, cfg, 0, why);
    json_decref(root);
    free(copy);
    return err;
}

int model_load_file(VmafModel **model, VmafModelCollection **collection, const VmafModelConfig *cfg,
                    const char *path, Reason *why)
{
    json_t *root = NULL;

    *model = NULL;
    if (collection)
        *collection = NULL;
    size_t size = 0;
    int err = 0;
    char *text = read_text(path, &size, &err, why);
    if (!text)
        return err;
    err = parse(&root, text, size, why); /* one value; the rest of the file is ignored */
    free(text);
    if (!err && collection)
        err = load_collection(model, collection, root, cfg, why);
    else if (!err)
        err = is_collection(root) ? MODEL_IS_COLLECTION : load_one(model, root, cfg, 0, why);
    json_decref(root);
    return err;
}
