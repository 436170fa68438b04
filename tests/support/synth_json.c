/* SPDX-License-Identifier: BSD-2-Clause-Patent */

#include "support/synth_json.h"

#include <errno.h>

int synth_from_json(SynthClip *clip, const json_t *parameters)
{
    *clip = synth_default();
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)parameters, name, value)
    {
        char number[32];
        snprintf(number, sizeof number, "%lld", (long long)json_integer_value(value));
        if (synth_set(clip, name, json_is_string(value) ? json_string_value(value) : number))
            return -EINVAL;
    }
    return json_is_object(parameters) ? 0 : -EINVAL;
}
