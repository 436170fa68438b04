/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_BACKEND_DISCOVERY_PLUGIN_COPY_H
#define CORE_BACKEND_DISCOVERY_PLUGIN_COPY_H

/* For the files that copy what a descriptor says. */

#include "backend/discovery/plugin.h"

enum { PLUGIN_TEXT_LIMIT = 1024 }; /* bytes of a text of free length that are copied */

void plugin_feature_discard(PluginFeature *feature); /* and zeroes it */
/* A plugin that was not accepted. NULL allowed. */
void plugin_free(Plugin *plugin);

#endif
