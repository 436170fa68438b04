/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_BACKENDS_H
#define CLI_BACKENDS_H

#include <stdbool.h>
#include <stddef.h>

enum { BACKEND_NAME_SIZE = 17 };

/* Is it a known backend, or is a plugin of that name installed? */
bool backend_exists(const char *name);
/* Place of a known backend in the library's list, from 0 on, or the number of known ones. */
unsigned backend_known_place(const char *name);
/* "cuda|sycl|...": those that are known, whether or not they are installed. Returns buffer. */
const char *backend_list_known(char *buffer, size_t size);
/* "cpu, example": what is installed here. Returns buffer. */
const char *backend_list_installed(char *buffer, size_t size);
/* The backend of the next plugin behind number *index, from 0 on; NULL: there is no other. */
const char *backend_next_installed(unsigned *index);

/*
 * A feature name that ends in a backend's ("vif_cuda") is pinned to it. Returns that backend's name
 * and stores the rest ("vif"), or returns NULL.
 */
const char *backend_of_pinned_name(const char *feature, char *stem, size_t stem_size);

/* The same of a backend's own feature, which its name stands before ("cuda_grain"). Returns `name`,
 * in which it is stored, or NULL. */
const char *backend_of_own_feature(const char *feature, char *name, size_t size);

/* What the command line says of one backend. */
typedef struct BackendWord {
    char name[BACKEND_NAME_SIZE];
    bool excluded;
    bool distrusted; /* it has computed wrongly */
    bool device_given;
    int device; /* -1: the backend's choice; ALL_DEVICES */
} BackendWord;

enum { ALL_DEVICES = -2 };        /* as in vmaf_backend_select */
enum { DEVICES_LABEL_SIZE = 32 }; /* how to call the devices that take part */

enum { MAX_BACKEND_WORDS = 32 };

typedef struct BackendWords {
    unsigned count;
    BackendWord words[MAX_BACKEND_WORDS];
} BackendWords;

/* Does it ask for one device, rather than for any? */
bool backend_word_names_device(const BackendWord *word);

/* The entry of a backend; without one NULL. */
const BackendWord *backend_words_find(const BackendWords *words, const char *name);
/* The same, made if need be; NULL if there is no room. `name` has `length` bytes. */
BackendWord *backend_words_get(BackendWords *words, const char *name, size_t length);

#endif
