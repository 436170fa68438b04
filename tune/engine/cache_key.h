/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_ENGINE_CACHE_KEY_H
#define TUNE_ENGINE_CACHE_KEY_H

/*
 * Names of results that can be used again: hashes of everything that they depend on, contents and
 * versions, but neither paths nor times.
 */

#include "common/hash.h"

#include <stddef.h>

typedef enum KeyFieldKind { KEY_TEXT, KEY_INTEGER, KEY_LIST } KeyFieldKind;

typedef struct KeyField {
    const char *name;
    KeyFieldKind kind;
    const char *text;        /* KEY_TEXT */
    long long integer;       /* KEY_INTEGER */
    const char *const *list; /* KEY_LIST: texts */
    size_t n;
} KeyField;

static inline KeyField key_text(const char *name, const char *text)
{
    return (KeyField){.name = name, .kind = KEY_TEXT, .text = text};
}

static inline KeyField key_integer(const char *name, long long integer)
{
    return (KeyField){.name = name, .kind = KEY_INTEGER, .integer = integer};
}

static inline KeyField key_list(const char *name, const char *const *list, size_t n)
{
    return (KeyField){.name = name, .kind = KEY_LIST, .list = list, .n = n};
}

/*
 * SHA-256 of the fields, in their order, as one JSON object: no spaces, texts escaped only where
 * they must be. 0; -EINVAL: a text is missing.
 */
int key_of_fields(const KeyField *fields, size_t n, char key[SHA256_TEXT_SIZE]);

#endif
