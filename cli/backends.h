/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_BACKENDS_H
#define CLI_BACKENDS_H

#include <stddef.h>

/* The backends that have names and flags of their own, in the order in which `auto` tries them. */
enum Backend {
    BACKEND_CUDA,
    BACKEND_SYCL,
    BACKEND_HIP,
    BACKEND_METAL,
    BACKEND_VULKAN,
    BACKEND_COUNT,
};

extern const char *const backend_names[BACKEND_COUNT];

/* Index of a name of `length` bytes, or -1. */
int backend_index(const char *name, size_t length);

/*
 * A feature name that ends in a backend's ("vif_cuda") is pinned to it. Returns that backend's name
 * and stores the rest ("vif"), or returns NULL.
 */
const char *backend_of_pinned_name(const char *feature, char *stem, size_t stem_size);

#endif
