/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "backends.h"

#include "libvmaf/libvmaf_ext.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

unsigned backend_known_place(const char *name)
{
    unsigned place = 0;
    for (const char *known; (known = vmaf_backend_known(place, NULL)) && strcmp(known, name);)
        place++;
    return place;
}

const char *backend_list_known(char *buffer, size_t size)
{
    size_t used = 0;
    const char *name;
    for (unsigned i = 0; (name = vmaf_backend_known(i, NULL)) && used < size; i++)
        used += (size_t)snprintf(buffer + used, size - used, "%s%s", i ? "|" : "", name);
    return buffer;
}

static bool next_backend(unsigned *index, VmafBackendInfo *info)
{
    *info = (VmafBackendInfo){.struct_size = sizeof(*info)};
    return vmaf_backend_info((*index)++, 0, info) == 0;
}

bool backend_exists(const char *name)
{
    if (vmaf_backend_known(backend_known_place(name), NULL))
        return true;
    for (unsigned i = 1;; i++) {
        VmafBackendInfo info = {.struct_size = sizeof(info)};
        int err = vmaf_backend_info(i, 0, &info);
        if (err) /* without a list it may exist; selecting it will tell */
            return err == -ENOMEM;
        if (info.path && !strcmp(info.name, name))
            return true;
    }
}

const char *backend_list_installed(char *buffer, size_t size)
{
    size_t used = (size_t)snprintf(buffer, size, "cpu");
    VmafBackendInfo info;
    for (unsigned i = 1; next_backend(&i, &info);) {
        if (info.path && used < size)
            used += (size_t)snprintf(buffer + used, size - used, ", %s", info.name);
    }
    return buffer;
}

const char *backend_next_installed(unsigned *index)
{
    VmafBackendInfo info;
    while (next_backend(index, &info)) {
        if (info.path)
            return info.name;
    }
    return NULL;
}

const char *backend_of_pinned_name(const char *feature, char *stem, size_t stem_size)
{
    const char *underscore = strrchr(feature, '_');
    if (!underscore || underscore == feature || !backend_exists(underscore + 1))
        return NULL;
    size_t length = (size_t)(underscore - feature);
    if (length >= stem_size)
        return NULL;
    memcpy(stem, feature, length);
    stem[length] = '\0';
    return underscore + 1;
}

const char *backend_of_own_feature(const char *feature, char *name, size_t size)
{
    const char *underscore = strchr(feature, '_');
    const size_t length = underscore ? (size_t)(underscore - feature) : 0;
    if (!length || length >= size)
        return NULL;
    memcpy(name, feature, length);
    name[length] = '\0';
    return backend_exists(name) ? name : NULL;
}

bool backend_word_names_device(const BackendWord *word)
{
    return word->device_given && word->device >= 0;
}

const BackendWord *backend_words_find(const BackendWords *words, const char *name)
{
    for (unsigned i = 0; i < words->count; i++) {
        if (!strcmp(words->words[i].name, name))
            return &words->words[i];
    }
    return NULL;
}

BackendWord *backend_words_get(BackendWords *words, const char *name, size_t length)
{
    char whole[BACKEND_NAME_SIZE];
    if (length >= sizeof(whole))
        return NULL;
    memcpy(whole, name, length);
    whole[length] = '\0';
    BackendWord *found = (BackendWord *)backend_words_find(words, whole);
    if (found)
        return found;
    if (words->count == MAX_BACKEND_WORDS)
        return NULL;
    found = &words->words[words->count++];
    *found = (BackendWord){.device = -1};
    strcpy(found->name, whole);
    return found;
}
