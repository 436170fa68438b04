/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "backends.h"

#include <string.h>

const char *const backend_names[BACKEND_COUNT] = {"cuda", "sycl", "hip", "metal", "vulkan"};

int backend_index(const char *name, size_t length)
{
    for (int i = 0; i < BACKEND_COUNT; i++) {
        if (strlen(backend_names[i]) == length && !memcmp(backend_names[i], name, length))
            return i;
    }
    return -1;
}

const char *backend_of_pinned_name(const char *feature, char *stem, size_t stem_size)
{
    const char *underscore = strrchr(feature, '_');
    if (!underscore || underscore == feature)
        return NULL;
    int backend = backend_index(underscore + 1, strlen(underscore + 1));
    size_t length = (size_t)(underscore - feature);
    if (backend < 0 || length >= stem_size)
        return NULL;
    memcpy(stem, feature, length);
    stem[length] = '\0';
    return backend_names[backend];
}
