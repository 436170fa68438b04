/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_SUPPORT_SYNTH_JSON_H
#define TESTS_SUPPORT_SYNTH_JSON_H

#include <jansson.h>

#include "support/synth.h"

/*
 * Makes the clip that an object of parameters describes: {"scene": "texture", "depth": 8, ...}.
 * Returns 0 or -EINVAL.
 */
int synth_from_json(SynthClip *clip, const json_t *parameters);

#endif
