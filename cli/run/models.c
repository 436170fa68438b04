/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Models of the command line in memory: loaded, kept for other runs, chosen by size. */
#include "models.h"

#include "common/messages.h"
#include "input/input.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/file.h"
#include "platform/thread.h"

/* -- files -- */

enum { KEY_MAX = 31 };

static const int64_t largest_file = 16 << 20; /* the library does not read larger ones either */

/* Reads the rest of a JSON string; what is too long for a key of interest is cut off. */
static bool read_string(FILE *stream, char text[KEY_MAX + 1])
{
    size_t length = 0;
    int c;
    while ((c = getc(stream)) != '"') {
        if (c == '\\')
            c = getc(stream);
        if (c == EOF)
            return false;
        if (length < KEY_MAX)
            text[length++] = (char)c;
    }
    text[length] = '\0';
    return true;
}

static bool is_number(const char *text)
{
    return text[0] && !text[strspn(text, "0123456789")];
}

/* Finds the first top-level key that decides. The rest of the file is not validated. */
static bool has_numbered_key(FILE *stream)
{
    char text[KEY_MAX + 1] = "";
    int depth = 0, c;
    while ((c = getc(stream)) != EOF) {
        if (c == '{' || c == '[') {
            depth++;
        } else if (c == '}' || c == ']') {
            depth--;
        } else if (c == '"') {
            if (!read_string(stream, text))
                return false;
        } else if (c == ':' && depth == 1) {
            if (!strcmp(text, "model_dict"))
                return false;
            if (is_number(text))
                return true;
        }
    }
    return false;
}

/* Bytes that are read from a pipe here would be missing when the library reads it, and devices
 * may have no end. */
static bool can_be_looked_at(const char *path)
{
    VmafFileStatus status;
    return !vmaf_file_status_at(path, &status) && status.kind == VMAF_FILE_REGULAR &&
           status.size <= largest_file;
}

bool model_file_is_collection(const char *path)
{
    FILE *stream = can_be_looked_at(path) ? fopen(path, "re") : NULL;
    if (!stream)
        return false;
    bool numbered = has_numbered_key(stream);
    fclose(stream);
    return numbered;
}

/* -- loading -- */

/* A model, or a collection with its base model. */
typedef struct StoredModel {
    VmafModel *model;
    VmafModelCollection *collection; /* NULL: a single model */
} StoredModel;

static int load(const ModelSpec *spec, StoredModel *made)
{
    VmafModelConfig config = {.name = spec->name, .flags = spec->flags};
    if (spec->version) {
        if (catalogue_is_collection(spec->version)) {
            return vmaf_model_collection_load(&made->model, &made->collection, &config,
                                              spec->version);
        }
        return vmaf_model_load(&made->model, &config, spec->version);
    }
    if (spec->content)
        return vmaf_model_load_text(&made->model, &made->collection, &config, spec->content,
                                    spec->content_size);
    if (model_file_is_collection(spec->path)) {
        return vmaf_model_collection_load_from_path(&made->model, &made->collection, &config,
                                                    spec->path);
    }
    return vmaf_model_load_from_path(&made->model, &config, spec->path);
}

static int overload(StoredModel *made, const ModelOverload *change)
{
    VmafFeatureDictionary *options = NULL;
    int err = vmaf_feature_dictionary_set(&options, change->option, change->value);
    if (err)
        return err;
    /* Both calls take the dictionary over. */
    if (made->collection) {
        return vmaf_model_collection_feature_overload(made->model, &made->collection,
                                                      change->extractor, options);
    }
    return vmaf_model_feature_overload(made->model, change->extractor, options);
}

static int load_and_overload(const ModelSpec *spec, StoredModel *made)
{
    int err = load(spec, made);
    if (err) {
        print_error("problem loading model: %s%s", model_spec_label(spec), if_out_of_memory(err));
        const char *nearest =
            spec->version && err != -ENOMEM ? catalogue_suggest_model(spec->version) : NULL;
        if (nearest)
            print_error("did you mean \"%s\"?", nearest);
        return err;
    }
    for (unsigned i = 0; i < spec->n_overloads && !err; i++) {
        err = overload(made, &spec->overloads[i]);
        if (err) {
            print_error("problem overloading feature extractor \"%s\" of model: %s%s",
                        spec->overloads[i].extractor, model_spec_label(spec),
                        if_out_of_memory(err));
        }
    }
    return err;
}

/* -- models that runs share -- */

typedef struct Entry {
    char *key;
    StoredModel model;
    struct Entry *next;
} Entry;

struct ModelStore {
    VmafMutex lock;
    Entry *entries;
};

int model_store_create(ModelStore **store)
{
    *store = calloc(1, sizeof(**store));
    return *store ? vmaf_mutex_init(&(*store)->lock) : -ENOMEM;
}

static int out_of_memory(void)
{
    print_error("out of memory");
    return -ENOMEM;
}

static void entry_free(Entry *entry)
{
    vmaf_model_collection_destroy(entry->model.collection);
    vmaf_model_destroy(entry->model.model);
    free(entry->key);
    free(entry);
}

void model_store_destroy(ModelStore *store)
{
    if (!store)
        return;
    for (Entry *entry = store->entries, *next; entry; entry = next) {
        next = entry->next;
        entry_free(entry);
    }
    vmaf_mutex_destroy(&store->lock);
    free(store);
}

/* With its length, since it can hold any letters. */
static void put(FILE *out, const char *text)
{
    fprintf(out, "%zu:%s", strlen(text), text);
}

/* All that makes a model what it is. NULL without memory. */
static char *key_of(const ModelSpec *spec)
{
    TextBuffer buffer;
    FILE *out = text_begin(&buffer);
    if (!out)
        return NULL;
    fprintf(out, "%" PRIx64 " %c", spec->flags, spec->version ? 'v' : 'p');
    put(out, spec->version ? spec->version : spec->path);
    put(out, spec->name);
    for (unsigned i = 0; i < spec->n_overloads; i++) {
        put(out, spec->overloads[i].extractor);
        put(out, spec->overloads[i].option);
        put(out, spec->overloads[i].value);
    }
    return text_end(&buffer, 0);
}

static Entry *find(const ModelStore *store, const char *key)
{
    Entry *entry = store->entries;
    while (entry && strcmp(entry->key, key) != 0)
        entry = entry->next;
    return entry;
}

/* Takes the key over. */
static int add(ModelStore *store, const ModelSpec *spec, char *key)
{
    Entry *entry = calloc(1, sizeof(*entry));
    if (!entry) {
        free(key);
        return out_of_memory();
    }
    entry->key = key;
    const int err = load_and_overload(spec, &entry->model);
    if (err) {
        entry_free(entry);
        return err;
    }
    entry->next = store->entries;
    store->entries = entry;
    return 0;
}

/*
 * The model of such a specification, which belongs to the store; one that is not there is loaded,
 * on the calling thread, and kept if that succeeds. A file of a model is read once. 0; negative
 * errno after saying what went wrong.
 */
static int take_stored(ModelStore *store, const ModelSpec *spec, StoredModel *found)
{
    char *key = key_of(spec);
    if (!key)
        return out_of_memory();
    vmaf_mutex_lock(&store->lock);
    const Entry *known = find(store, key);
    int err = 0;
    if (known)
        free(key);
    else
        err = add(store, spec, key);
    if (!err)
        *found = known ? known->model : store->entries->model;
    vmaf_mutex_unlock(&store->lock);
    return err;
}

/* -- models of a run -- */

static int register_features(const LoadedModel *loaded, VmafContext *vmaf)
{
    int err = vmaf_use_features_from_model(vmaf, loaded->model);
    if (!err && loaded->collection)
        err = vmaf_use_features_from_model_collection(vmaf, loaded->collection);
    return err;
}

int loaded_model_load(LoadedModel *loaded, const ModelSpec *spec, const char *version,
                      ModelStore *store, VmafContext *vmaf)
{
    StoredModel made = {0};
    *loaded = (LoadedModel){.spec = spec, .is_stored = store != NULL};
    if (spec->is_auto) {
        loaded->chosen = *spec;
        loaded->chosen.version = version;
        loaded->spec = spec = &loaded->chosen;
    }
    int err = store ? take_stored(store, spec, &made) : load_and_overload(spec, &made);
    loaded->model = made.model;
    loaded->collection = made.collection;
    if (!err) {
        err = register_features(loaded, vmaf);
        if (err) {
            print_error("problem loading feature extractors from model: %s%s",
                        model_spec_label(spec), if_out_of_memory(err));
        }
    }
    if (err)
        loaded_model_free(loaded);
    return err;
}

void loaded_model_free(LoadedModel *loaded)
{
    if (!loaded->is_stored) {
        vmaf_model_collection_destroy(loaded->collection);
        vmaf_model_destroy(loaded->model);
    }
    *loaded = (LoadedModel){0};
}

/* -- --model auto -- */

enum { MOST_LONG = 2560, MOST_SHORT = 1440, USUAL_RATE = 50 };

bool auto_model_is_4k(const VideoFormat *format)
{
    const bool upright = format->height > format->width;
    const unsigned longer = upright ? format->height : format->width;
    const unsigned shorter = upright ? format->width : format->height;
    return longer > MOST_LONG || shorter > MOST_SHORT;
}

const char *auto_model_version(const VideoFormat *format)
{
    return auto_model_is_4k(format) ? "vmaf_4k_v0.6.1" : "vmaf_v0.6.1";
}

void auto_model_note(const VideoFormat *format, Notes *notes)
{
    const bool is_4k = auto_model_is_4k(format);
    const double rate = input_frame_rate(format);
    notes_add(notes, "--model auto: %s, since %ux%u samples are %s %dx%d",
              auto_model_version(format), format->width, format->height,
              is_4k ? "more than" : "not more than", MOST_LONG, MOST_SHORT);
    if (rate > USUAL_RATE)
        notes_add(notes,
                  "--model auto: %.6g frames a second: version=%s was made for high frame rates",
                  rate, is_4k ? "vmaf_v1.0.16_hfr_1d5h_2160" : "vmaf_v1.0.16_hfr_3d0h");
}
