/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "model_store.h"

#include "common/messages.h"
#include "platform/thread.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    say("out of memory");
    return -ENOMEM;
}

static void stored_model_free(StoredModel *model)
{
    vmaf_model_collection_destroy(model->collection);
    vmaf_model_destroy(model->model);
}

static void entry_free(Entry *entry)
{
    stored_model_free(&entry->model);
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
    char *key = NULL;
    size_t size;
    FILE *out = open_memstream(&key, &size);
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
    if (!fclose(out))
        return key;
    free(key);
    return NULL;
}

static Entry *find(const ModelStore *store, const char *key)
{
    Entry *entry = store->entries;
    while (entry && strcmp(entry->key, key) != 0)
        entry = entry->next;
    return entry;
}

/* Takes the key over. */
static int add(ModelStore *store, const ModelSpec *spec, char *key,
               int (*make)(const ModelSpec *spec, StoredModel *made))
{
    Entry *entry = calloc(1, sizeof(*entry));
    if (!entry) {
        free(key);
        return out_of_memory();
    }
    entry->key = key;
    const int err = make(spec, &entry->model);
    if (err) {
        entry_free(entry);
        return err;
    }
    entry->next = store->entries;
    store->entries = entry;
    return 0;
}

int model_store_get(ModelStore *store, const ModelSpec *spec,
                    int (*make)(const ModelSpec *spec, StoredModel *made), StoredModel *found)
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
        err = add(store, spec, key, make);
    if (!err)
        *found = known ? known->model : store->entries->model;
    vmaf_mutex_unlock(&store->lock);
    return err;
}
