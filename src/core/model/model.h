/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_MODEL_MODEL_H
#define CORE_MODEL_MODEL_H

/*
 * A model: feature scores of one frame -> quality score. Immutable once it is loaded and options
 * are overloaded, so contexts in several threads can share one. The struct is defined in
 * model_internal.h for the files of this folder; everyone else uses these functions.
 */

#include <stddef.h>

#include "libvmaf/model.h"
#include "support/dictionary.h"
#include "support/log.h"

enum { MODEL_MAX_FEATURES = 64 };

const char *model_name(const VmafModel *model);
unsigned model_feature_count(const VmafModel *model);
/* Base name of a feature, its option dictionary (NULL if it has no options), and the key of its
 * score in the collector: NULL, with the reason, if no extractor provides it or an option is
 * invalid. Keys are made when the model is loaded and when options are overloaded. */
const char *model_feature_name(const VmafModel *model, unsigned i);
const Dictionary *model_feature_options(const VmafModel *model, unsigned i);
const char *model_feature_key(const VmafModel *model, unsigned i, Reason *why);

/*
 * Prediction from the scores of all features, in model order. `raw` (optional) is the de-normalised
 * regression value without transform and clip, `score` the final score. -EINVAL if the model cannot
 * predict.
 */
int model_predict(const VmafModel *model, const double features[], double *raw, double *score);

const char *model_collection_name(const VmafModelCollection *collection);
unsigned model_collection_size(const VmafModelCollection *collection);
VmafModel *model_collection_member(const VmafModelCollection *collection, unsigned i);
/* Bagging score and confidence interval from the raw predictions of all members, in order. -EINVAL
 * if the collection is not a bootstrap one. */
int model_collection_combine(const VmafModelCollection *collection, const double raw[],
                             VmafModelCollectionScore *score);

/* Names of the built-in models and collections; NULL past the last. `is_collection` is optional. */
const char *builtin_model_name(unsigned index, int *is_collection);

/* SHA-256 of the published file of a built-in model, in hexadecimal. */
const char *builtin_model_sha256(unsigned index);

/*
 * Load a built-in model by name, or a file. With `collection` NULL this loads a single model,
 * otherwise a collection and its base model. All outputs are NULL on failure. Errors as in
 * libvmaf/model.h, and MODEL_IS_COLLECTION if a single model was asked for and a collection found.
 */
enum { MODEL_IS_COLLECTION = 1 };
int model_load_builtin(VmafModel **model, VmafModelCollection **collection,
                       const VmafModelConfig *cfg, const char *version, Reason *why);
int model_load_file(VmafModel **model, VmafModelCollection **collection, const VmafModelConfig *cfg,
                    const char *path, Reason *why);
/* The text of such a file, whatever it is: *collection receives NULL for a single model. */
int model_load_text(VmafModel **model, VmafModelCollection **collection, const VmafModelConfig *cfg,
                    const char *text, size_t size, Reason *why);
void model_destroy(VmafModel *model);                           /* NULL allowed */
void model_collection_destroy(VmafModelCollection *collection); /* NULL allowed */

/* Overrides options of all features that the extractor of this name provides. 0, -ENOMEM. */
int model_overload(VmafModel *model, const char *extractor, const Dictionary *options);

#endif
