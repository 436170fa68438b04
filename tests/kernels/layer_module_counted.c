/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * The module is linked with --wrap for functions that allocate. In programs that count them its
 * calls reach their functions, which stand before these; in all others they come here.
 */
#include <stddef.h>

#define PASSED_ON(TYPE, NAME, PARAMETERS, ARGUMENTS)                                               \
    TYPE __real_##NAME PARAMETERS;                                                                 \
    __attribute__((visibility("default"))) TYPE __wrap_##NAME PARAMETERS;                          \
    TYPE __wrap_##NAME PARAMETERS                                                                  \
    {                                                                                              \
        return __real_##NAME ARGUMENTS;                                                            \
    }

PASSED_ON(void *, malloc, (size_t size), (size))
PASSED_ON(void *, calloc, (size_t n, size_t size), (n, size))
PASSED_ON(void *, realloc, (void *memory, size_t size), (memory, size))
