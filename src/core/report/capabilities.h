/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_REPORT_CAPABILITIES_H
#define CORE_REPORT_CAPABILITIES_H

#include <stdbool.h>

/* The plugins that may be loaded to find out what they can do. */
typedef struct CapabilitiesScope {
    bool probe;                  /* any at all */
    const char *only;            /* NULL: all */
    const char *const *excluded; /* ends with NULL; NULL: none */
} CapabilitiesScope;

/*
 * Everything that the library and its plugins can do, as a JSON document
 * (docs/capabilities.schema.json) to be released with free(). 0; -ENOMEM.
 */
int capabilities_write(char **document, const CapabilitiesScope *scope);

#endif
