/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "backend/names.h"

#include <string.h>

#include "libvmaf/backend.h"

#define NAME(name, title, trait, ...) name,
const char *const backend_known_names[BACKENDS_KNOWN] = {BACKENDS_KNOWN_LIST(NAME)};
#define TITLE(name, title, trait, ...) title,
const char *const backend_known_titles[BACKENDS_KNOWN] = {BACKENDS_KNOWN_LIST(TITLE)};

#define TRAIT(name, title, trait, ...) trait,
static const BackendTrait known_traits[BACKENDS_KNOWN] = {BACKENDS_KNOWN_LIST(TRAIT)};

#define VARIABLES(name, title, trait, ...) __VA_ARGS__,
const char *const backend_driver_variables[] = {BACKENDS_KNOWN_LIST(VARIABLES) "LD_LIBRARY_PATH",
                                                "LD_PRELOAD", NULL};

#define IMPORT_NAME(kind, name, text) [kind] = name,
const char *const backend_import_names[IMPORT_KINDS] = {BACKEND_IMPORTS_LIST(IMPORT_NAME)};

const char *backend_import_kind_name(uint32_t kind)
{
#define IMPORT_TEXT(kind, name, text) [kind] = text,
    static const char *const texts[IMPORT_KINDS] = {BACKEND_IMPORTS_LIST(IMPORT_TEXT)};
    return kind < IMPORT_KINDS ? texts[kind] : "a picture of an unknown kind";
}

static bool is_name_character(char c, bool first)
{
    return (c >= 'a' && c <= 'z') || (!first && c >= '0' && c <= '9');
}

bool backend_name_is_valid(const char *name, size_t length)
{
    if (length < 2 || length >= BACKEND_NAME_SIZE)
        return false;
    for (size_t i = 0; i < length; i++)
        if (!is_name_character(name[i], i == 0))
            return false;
    return !(length == 3 && memcmp(name, "cpu", 3) == 0) &&
           !(length == 4 && memcmp(name, "auto", 4) == 0);
}

static int known_index(const char *name)
{
    for (int i = 0; i < BACKENDS_KNOWN; i++)
        if (strcmp(name, backend_known_names[i]) == 0)
            return i;
    return -1;
}

bool backend_name_is_known(const char *name)
{
    return known_index(name) >= 0;
}

bool backend_name_is_for_this_system(const char *name)
{
#ifdef __APPLE__
    (void)name;
    return true;
#else
    const int known = known_index(name);
    return known < 0 || known_traits[known] != BACKEND_OF_APPLE;
#endif
}

const char *backend_name_of_suffix(const char *feature, char *stem, size_t stem_size)
{
    const char *underscore = strrchr(feature, '_');
    if (!underscore || underscore == feature)
        return NULL;
    const char *suffix = underscore + 1;
    size_t stem_length = (size_t)(underscore - feature);
    if (stem_length >= stem_size || !backend_name_is_valid(suffix, strlen(suffix)))
        return NULL;
    memcpy(stem, feature, stem_length);
    stem[stem_length] = '\0';
    int known = known_index(suffix);
    return known >= 0 ? backend_known_names[known] : suffix;
}

/* Known native ones first; then other native ones; then the known portable one; then all others. */
static int rank(const char *name, uint32_t class)
{
    int known = known_index(name);
    if (known >= 0)
        return known_traits[known] == BACKEND_PORTABLE ? BACKENDS_KNOWN + 1 : known;
    return class == VMAF_BACKEND_CLASS_NATIVE ? BACKENDS_KNOWN : BACKENDS_KNOWN + 2;
}

bool backend_name_is_native(const char *name, uint32_t class)
{
    return rank(name, class) <= BACKENDS_KNOWN;
}

int backend_name_compare(const char *a, uint32_t class_a, const char *b, uint32_t class_b)
{
    int difference = rank(a, class_a) - rank(b, class_b);
    return difference ? difference : strcmp(a, b);
}
