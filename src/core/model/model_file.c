/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/model_json.h"

/* Published files have up to 0.5 MB. */
enum { MAX_FILE_SIZE = 64 << 20, FIRST_READ = 64 << 10 };

/* The whole file as text; NULL with a reason. */
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
        char *larger = capacity <= MAX_FILE_SIZE ? realloc(text, capacity + 1) : NULL;
        if (!larger) {
            *err = capacity <= MAX_FILE_SIZE ? refuse(why, -ENOMEM, "out of memory")
                                             : refuse(why, -EINVAL, "file is too large");
            goto fail;
        }
        text = larger;
        used += fread(text + used, 1, capacity - used, file);
    } while (used == capacity);
    if (ferror(file)) {
        *err = refuse(why, -EINVAL, "%s", strerror(errno));
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

/* Reads one JSON value; what follows it in the file does not matter. */
static int read_json(json_t **root, const char *path, Reason *why)
{
    size_t size = 0;
    int err = 0;
    char *text = read_text(path, &size, &err, why);
    if (!text)
        return err;

    json_error_t error;
    *root = json_loadb(text, size, JSON_DISABLE_EOF_CHECK | JSON_DECODE_INT_AS_REAL, &error);
    if (!*root) {
        err = refuse(why, -EINVAL, "line %d: %s", error.line, error.text);
    } else if (error.position >= 0 && (size_t)error.position <= size) {
        text[error.position] = '\0'; /* end of what was read */
        /* Jansson passes over a zero byte after a number. */
        if (strlen(text) != (size_t)error.position)
            err = refuse(why, -EINVAL, "a zero byte in the text");
        else if (json_text_has_option_conflict(text))
            err = refuse(why, -EINVAL, "feature_opts_dicts: an option has two values");
    }
    if (err) {
        json_decref(*root);
        *root = NULL;
    }
    free(text);
    return err;
}

/* `object` is what a file with a single model holds. */
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

/* Entries count only in ascending order: after "1", everything up to "2" is passed over. */
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
    else if (!json_object_get(root, "model_dict") && json_object_get(root, "0"))
        err = MODEL_IS_COLLECTION;
    else
        err = load_one(model, root, cfg, 0, why);
    json_decref(root);
    return err;
}
