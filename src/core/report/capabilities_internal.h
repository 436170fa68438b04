/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_REPORT_CAPABILITIES_INTERNAL_H
#define CORE_REPORT_CAPABILITIES_INTERNAL_H

/* The parts of the capabilities document. Each returns a new reference, or NULL if memory runs out.
 * Jansson's setters fail if they are given NULL, so only the whole has to be checked. */

#include <jansson.h>

#include "report/report.h"

/* Appends to a list; if that fails, releases it and returns NULL. Either may be NULL after an
 * earlier failure. */
json_t *capabilities_append(json_t *list, json_t *item);
/* The same for a member of an object. */
json_t *capabilities_set(json_t *object, const char *name, json_t *value);

/* Adds plugin_search_path, plugin_abi, auto_order, auto_choice, backends and coverage. 0; -ENOMEM.
 */
int capabilities_add_backends(json_t *document, const CapabilitiesScope *scope);

#endif
