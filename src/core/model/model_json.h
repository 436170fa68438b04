/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_MODEL_MODEL_JSON_H
#define CORE_MODEL_MODEL_JSON_H

#include <jansson.h>
#include <stdbool.h>

#include "model/model_data.h"

/*
 * Fills a model from the object "model_dict" of a model file; docs/models.md describes its members.
 * 0; -EINVAL with a reason for anything that is malformed; -ENOMEM, also for support-vector text
 * that does not parse. The model is then to be destroyed.
 */
int model_from_json(VmafModel *model, const json_t *model_dict, const VmafModelConfig *cfg,
                    Reason *why);

/* Text under which an option value is stored. False for null, arrays and objects. The result lives
 * in the value or in the buffer. */
bool option_text_from_json(const json_t *value, char buffer[32], const char **text);

/*
 * Looks for an option dictionary in this valid JSON text that gives one name two different values:
 * -EINVAL with a reason. Jansson keeps the last value of a repeated name, so that only the text can
 * tell. 0, -ENOMEM. The time is that of sorting the names.
 */
int json_text_check_options(const char *text, Reason *why);

#endif
