/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_MODEL_FILE_KIND_H
#define CLI_MODEL_FILE_KIND_H

#include <stdbool.h>

/*
 * Does this model file look like a collection? A single model has "model_dict" at the top, a
 * collection has numbered models there. Pipes count as single models, and so do files that
 * cannot be read; the library then says what is wrong with them.
 */
bool model_file_is_collection(const char *path);

#endif
