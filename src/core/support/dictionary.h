/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_SUPPORT_DICTIONARY_H
#define CORE_SUPPORT_DICTIONARY_H

#include <stddef.h>

/* Ordered list of name = value; the memory behind VmafFeatureDictionary. */
typedef struct VmafFeatureDictionary Dictionary;

Dictionary *dictionary_create(void);
void dictionary_destroy(Dictionary *dict); /* NULL allowed */
/* Stores the text as it is; replaces the value of an existing name in its place. 0, -ENOMEM. */
int dictionary_set(Dictionary *dict, const char *name, const char *value);
const char *dictionary_get(const Dictionary *dict, const char *name); /* NULL if absent */
size_t dictionary_size(const Dictionary *dict);                       /* 0 for NULL */
void dictionary_entry(const Dictionary *dict, size_t i, const char **name, const char **value);
/* Entries of `from` over those of `into`. On failure `into` may hold a part of them. */
int dictionary_merge(Dictionary *into, const Dictionary *from);
Dictionary *dictionary_copy(const Dictionary *dict); /* NULL on failure, and for NULL */

/*
 * The text under which a number is stored: if `value` is one number and nothing else, its binary32
 * value printed with %g, else `value` itself. Result in `buffer` or `value`; never NULL.
 */
const char *option_value_normalise(const char *value, char buffer[32]);

#endif
