/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "report/capabilities.h"

#include <errno.h>

#include "report/capabilities_parts.h"

enum { SCHEMA_MAJOR = 1, SCHEMA_MINOR = 2 };

json_t *capabilities_append(json_t *list, json_t *item)
{
    if (list && json_array_append_new(list, item)) {
        json_decref(list);
        return NULL;
    }
    if (!list)
        json_decref(item);
    return list;
}

static json_t *schema(void)
{
    return json_pack("{s:s, s:i, s:i}", "name", "vmaf-capabilities", "major", SCHEMA_MAJOR, "minor",
                     SCHEMA_MINOR);
}

static int fill(json_t *document, const CapabilitiesScope *scope)
{
    if (json_object_set_new(document, "schema", schema()) ||
        json_object_set_new(document, "library", capabilities_library()) ||
        json_object_set_new(document, "build", capabilities_build()) ||
        json_object_set_new(document, "cpu", capabilities_cpu()) ||
        json_object_set_new(document, "models", capabilities_models()) ||
        json_object_set_new(document, "features", capabilities_features()))
        return -ENOMEM;
    return capabilities_add_backends(document, scope);
}

int capabilities_write(char **text, const CapabilitiesScope *scope)
{
    json_t *document = json_object();
    int err = document ? fill(document, scope) : -ENOMEM;
    if (!err) {
        char *body = json_dumps(document, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
        err = body && asprintf(text, "%s\n", body) >= 0 ? 0 : -ENOMEM;
        free(body);
    }
    json_decref(document);
    return err;
}
