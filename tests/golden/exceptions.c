/* SPDX-License-Identifier: BSD-2-Clause-Patent */

#include "golden/golden.h"

static int same_text(const json_t *a, const char *name, const json_t *b, const char *other_name)
{
    return json_equal(json_object_get(a, name), json_object_get(b, other_name));
}

static size_t apply_to_run(const json_t *golden, const json_t *parent, json_t *run,
                           const json_t *exceptions)
{
    size_t n = 0, i;
    json_t *exception;
    json_array_foreach(json_object_get(exceptions, "exceptions"), i, exception)
    {
        if (same_text(exception, "group", golden, "group") &&
            same_text(exception, "case", parent, "id") && same_text(exception, "run", run, "id") &&
            !json_object_update(run, json_object_get(exception, "expect")))
            ++n;
    }
    return n;
}

size_t golden_apply_exceptions(json_t *golden, const json_t *exceptions)
{
    size_t n = 0, i, j;
    json_t *parent, *run;
    json_array_foreach(json_object_get(golden, "cases"), i, parent)
    {
        json_array_foreach(json_object_get(parent, "runs"), j, run)
        {
            n += apply_to_run(golden, parent, run, exceptions);
        }
    }
    return n;
}
