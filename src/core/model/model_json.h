/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_MODEL_MODEL_JSON_H
#define CORE_MODEL_MODEL_JSON_H

#include <jansson.h>
#include <stdbool.h>

#include "model/model_data.h"

/*
 * Fills a model from the object "model_dict" of a model file; docs/models.md describes its members.
 * 0; -EINVAL with a reason for malformed content; -ENOMEM, also for support-vector text that does
 * not parse. After a failure the caller destroys the model.
 */
int model_from_json(VmafModel *model, const json_t *model_dict, const VmafModelConfig *cfg,
                    Reason *why);

/* The text of an option value. False for null, arrays and objects. The result lives in the value or
 * in the buffer. */
bool option_text_from_json(const json_t *value, char buffer[32], const char **text);

/*
 * Checks that no option dictionary in this valid JSON text gives a name two different values:
 * -EINVAL with a reason. Jansson keeps only the last value of a repeated name, so the text has to
 * be searched. 0, -ENOMEM. Takes the time of sorting the names.
 */
int json_text_check_options(const char *text, Reason *why);

#endif
