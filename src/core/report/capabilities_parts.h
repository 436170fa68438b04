/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_REPORT_CAPABILITIES_PARTS_H
#define CORE_REPORT_CAPABILITIES_PARTS_H

/* The parts of the capabilities document. Each returns a new reference, or NULL for lack of memory.
 * Jansson's setters take NULL for such a failure, so only the whole has to be checked. */

#include <jansson.h>

#include "report/capabilities.h"

/* Appends to a list, which is given up if that fails. Both may be NULL for such a failure. */
json_t *capabilities_append(json_t *list, json_t *item);

json_t *capabilities_library(void);
json_t *capabilities_build(void);
json_t *capabilities_cpu(void);
json_t *capabilities_models(void);
json_t *capabilities_features(void);

/* Adds plugin_search_path, plugin_abi, auto_order, auto_choice and backends. 0; -ENOMEM. */
int capabilities_add_backends(json_t *document, const CapabilitiesScope *scope);

#endif
