/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "support/dictionary.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/c_locale.h"

typedef struct Entry {
    char *name;
    char *value;
} Entry;

struct VmafFeatureDictionary {
    Entry *entries;
    size_t size, capacity;
};

Dictionary *dictionary_create(void)
{
    return calloc(1, sizeof(Dictionary));
}

void dictionary_destroy(Dictionary *dict)
{
    if (!dict)
        return;
    for (size_t i = 0; i < dict->size; i++) {
        free(dict->entries[i].name);
        free(dict->entries[i].value);
    }
    free(dict->entries);
    free(dict);
}

/* Dictionaries hold a handful of options: a linear search is the fastest one. */
static Entry *find(const Dictionary *dict, const char *name)
{
    if (!dict)
        return NULL;
    for (size_t i = 0; i < dict->size; i++) {
        if (!strcmp(dict->entries[i].name, name))
            return &dict->entries[i];
    }
    return NULL;
}

static int reserve_one(Dictionary *dict)
{
    if (dict->size < dict->capacity)
        return 0;
    size_t capacity = dict->capacity ? 2 * dict->capacity : 4;
    if (capacity > SIZE_MAX / sizeof(Entry))
        return -ENOMEM;
    Entry *entries = realloc(dict->entries, capacity * sizeof(Entry));
    if (!entries)
        return -ENOMEM;
    dict->entries = entries;
    dict->capacity = capacity;
    return 0;
}

int dictionary_set(Dictionary *dict, const char *name, const char *value)
{
    char *new_name = NULL;
    char *new_value = strdup(value);
    if (!new_value)
        goto fail;

    Entry *entry = find(dict, name);
    if (entry) {
        free(entry->value);
        entry->value = new_value;
        return 0;
    }

    new_name = strdup(name);
    if (!new_name || reserve_one(dict) < 0)
        goto fail;
    dict->entries[dict->size++] = (Entry){.name = new_name, .value = new_value};
    return 0;

fail:
    free(new_name);
    free(new_value);
    return -ENOMEM;
}

const char *dictionary_get(const Dictionary *dict, const char *name)
{
    const Entry *entry = find(dict, name);
    return entry ? entry->value : NULL;
}

size_t dictionary_size(const Dictionary *dict)
{
    return dict ? dict->size : 0;
}

void dictionary_entry(const Dictionary *dict, size_t i, const char **name, const char **value)
{
    *name = dict->entries[i].name;
    *value = dict->entries[i].value;
}

int dictionary_merge(Dictionary *into, const Dictionary *from)
{
    for (size_t i = 0; i < dictionary_size(from); i++) {
        int err = dictionary_set(into, from->entries[i].name, from->entries[i].value);
        if (err < 0)
            return err;
    }
    return 0;
}

Dictionary *dictionary_copy(const Dictionary *dict)
{
    if (!dict)
        return NULL;
    Dictionary *copy = dictionary_create();
    if (copy && dictionary_merge(copy, dict) < 0) {
        dictionary_destroy(copy);
        return NULL;
    }
    return copy;
}

const char *option_value_normalise(const char *value, char buffer[32])
{
    CLocaleScope scope;
    float number;
    char rest;
    const char *result = value;

    if (c_locale_enter(&scope) < 0)
        return value;
    /* The second conversion succeeds if anything but white space follows the number. */
    if (sscanf(value, "%f %c", &number, &rest) == 1) {
        snprintf(buffer, 32, "%g", (double)number);
        result = buffer;
    }
    c_locale_leave(&scope);
    return result;
}
