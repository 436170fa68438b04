/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "support/dictionary.h"

#include <errno.h>
#include <search.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/text.h"

typedef struct Entry {
    char *name;
    char *value;
} Entry;

struct VmafFeatureDictionary {
    Entry **entries;
    size_t size, capacity;
    /* Search tree (tsearch) of the entries by name. A hostile model file or program may use any
     * number of names, and a balanced tree has no worst case for it to exploit. */
    void *by_name;
};

Dictionary *dictionary_create(void)
{
    return calloc(1, sizeof(Dictionary));
}

static void entry_destroy(Entry *entry)
{
    if (!entry)
        return;
    free(entry->name);
    free(entry->value);
    free(entry);
}

static int compare_names(const void *a, const void *b)
{
    const Entry *x = a, *y = b;
    return strcmp(x->name, y->name);
}

void dictionary_destroy(Dictionary *dict)
{
    if (!dict)
        return;
    while (dict->by_name) /* tdestroy is GNU's alone */
        tdelete(*(Entry **)dict->by_name, &dict->by_name, compare_names);
    for (size_t i = 0; i < dict->size; i++)
        entry_destroy(dict->entries[i]);
    free(dict->entries);
    free(dict);
}

static Entry *find(const Dictionary *dict, const char *name)
{
    if (!dict)
        return NULL;
    const Entry wanted = {.name = (char *)(uintptr_t)name};
    void *node = tfind(&wanted, &dict->by_name, compare_names);
    return node ? *(Entry **)node : NULL;
}

static int reserve_one(Dictionary *dict)
{
    if (dict->size < dict->capacity)
        return 0;
    size_t capacity = dict->capacity ? 2 * dict->capacity : 4;
    Entry **entries = reallocarray(dict->entries, capacity, sizeof(*entries));
    if (!entries)
        return -ENOMEM;
    dict->entries = entries;
    dict->capacity = capacity;
    return 0;
}

static Entry *entry_create(const char *name, const char *value)
{
    Entry *entry = calloc(1, sizeof(*entry));
    if (!entry)
        return NULL;
    entry->name = strdup(name);
    entry->value = strdup(value);
    if (!entry->name || !entry->value) {
        entry_destroy(entry);
        return NULL;
    }
    return entry;
}

static int replace_value(Entry *entry, const char *value)
{
    char *copy = strdup(value);
    if (!copy)
        return -ENOMEM;
    free(entry->value);
    entry->value = copy;
    return 0;
}

int dictionary_set(Dictionary *dict, const char *name, const char *value)
{
    Entry *entry = find(dict, name);
    if (entry)
        return replace_value(entry, value);
    entry = entry_create(name, value);
    if (!entry || reserve_one(dict) < 0 || !tsearch(entry, &dict->by_name, compare_names)) {
        entry_destroy(entry);
        return -ENOMEM;
    }
    dict->entries[dict->size++] = entry;
    return 0;
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
    *name = dict->entries[i]->name;
    *value = dict->entries[i]->value;
}

int dictionary_merge(Dictionary *into, const Dictionary *from)
{
    for (size_t i = 0; i < dictionary_size(from); i++) {
        int err = dictionary_set(into, from->entries[i]->name, from->entries[i]->value);
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
    VmafCLocaleScope scope;
    float number;
    char rest;
    const char *result = value;

    if (vmaf_c_locale_enter(&scope) < 0)
        return value;
    /* The second conversion succeeds if anything but white space follows the number. */
    if (sscanf(value, "%f %c", &number, &rest) == 1) {
        snprintf(buffer, 32, "%g", (double)number);
        result = buffer;
    }
    vmaf_c_locale_leave(&scope);
    return result;
}
