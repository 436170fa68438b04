/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/json_limits.h"
#include "model/model_json.h"

enum { FIRST_READ = 64 << 10 };

static int file_too_large(Reason *why)
{
    return refuse(why, -EINVAL, "the file is too large: more than %d MiB",
                  JSON_MAX_FILE_SIZE >> 20);
}

/* Reads the whole file as text; NULL with a reason on failure. */
static char *read_text(const char *path, size_t *size, int *err, Reason *why)
{
    size_t capacity = FIRST_READ, used = 0;
    char *text = NULL;
    FILE *file = fopen(path, "rb");
    if (!file) {
        *err = refuse(why, -EINVAL, "%s", strerror(errno));
        return NULL;
    }
    do {
        capacity *= 2;
        bool too_large = capacity > 2 * JSON_MAX_FILE_SIZE;
        char *larger = too_large ? NULL : realloc(text, capacity + 1);
        if (!larger) {
            *err = too_large ? file_too_large(why) : refuse(why, -ENOMEM, "out of memory");
            goto fail;
        }
        text = larger;
        used += fread(text + used, 1, capacity - used, file);
    } while (used == capacity);
    if (ferror(file)) {
        *err = refuse(why, -EINVAL, "%s", strerror(errno));
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
        return refuse(why, -EINVAL, "arrays and objects are nested more than %d deep",
                      JSON_MAX_DEPTH);
    json_error_t error;
    *root = json_loadb(text, size, JSON_DISABLE_EOF_CHECK | JSON_DECODE_INT_AS_REAL, &error);
    if (!*root)
        return refuse(why, -EINVAL, "line %d: %s", error.line, error.text);
    if (error.position < 0 || (size_t)error.position > size)
        return 0;
    text[error.position] = '\0';
    /* Jansson accepts a zero byte after a number. */
    if (strlen(text) != (size_t)error.position)
        return refuse(why, -EINVAL, "a zero byte in the text");
    return json_text_check_options(text, why);
}

/* Reads one JSON value; the rest of the file is ignored. */
static int read_json(json_t **root, const char *path, Reason *why)
{
    size_t size = 0;
    int err = 0;
    char *text = read_text(path, &size, &err, why);
    if (!text)
        return err;

    err = parse(root, text, size, why);
    if (err) {
        json_decref(*root);
        *root = NULL;
    }
    free(text);
    return err;
}

/* `object` is the content of a file with a single model. */
static int load_one(VmafModel **model, const json_t *object, const VmafModelConfig *cfg,
                    unsigned number, Reason *why)
{
    const json_t *model_dict = json_object_get(object, "model_dict");
    if (!json_is_object(model_dict))
        return refuse(why, -EINVAL, "there is no object \"model_dict\"");

    VmafModel *loaded = model_create(cfg, number);
    if (!loaded)
        return refuse(why, -ENOMEM, "out of memory");
    int err = model_from_json(loaded, model_dict, cfg, why);
    if (!err && model_complete(loaded, cfg))
        err = refuse(why, -ENOMEM, "out of memory");
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
            return refuse(why, -EINVAL, "the collection has more than %d models", JSON_MAX_MODELS);
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
        return refuse(why, -EINVAL, "it is not a collection of at least two models");
    return 0;
}

static int load_collection(VmafModel **model, VmafModelCollection **collection, json_t *root,
                           const VmafModelConfig *cfg, Reason *why)
{
    VmafModel *base = NULL;
    VmafModelCollection *members = model_collection_create(cfg);
    if (!members)
        return refuse(why, -ENOMEM, "out of memory");
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
        return refuse(why, -ENOMEM, "out of memory");
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
    int err = read_json(&root, path, why);
    if (err)
        return err;
    if (collection)
        err = load_collection(model, collection, root, cfg, why);
    else if (is_collection(root))
        err = MODEL_IS_COLLECTION;
    else
        err = load_one(model, root, cfg, 0, why);
    json_decref(root);
    return err;
}
