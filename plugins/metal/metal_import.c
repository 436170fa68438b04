/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * What the backend links with where there is no Metal, to be tested on an emulated one. It is never
 * installed: what was linked with it loads a library of the same name, or does not load.
 */
#include "metal_api.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

#define METAL_DEFINE(result, name, parameters, nothing)                                            \
    result name parameters                                                                         \
    {                                                                                              \
        return nothing;                                                                            \
    }
METAL_FUNCTIONS(METAL_DEFINE)

void objc_autoreleasePoolPop(void *pool)
{
}

/* All messages are calls of this one. */
void metal_import_send(void) METAL_SEND;
void metal_import_send(void)
{
}
