/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_LOADED_MODEL_H
#define CLI_LOADED_MODEL_H

#include "model_spec.h"
#include "model_store.h"

#include "libvmaf/libvmaf.h"

/* A model of the command line in memory: a single one, or a collection with its base model. */
typedef struct LoadedModel {
    const ModelSpec *spec;
    ModelSpec chosen; /* what `spec` is of one that was auto */
    VmafModel *model;
    VmafModelCollection *collection; /* NULL: a single model */
    bool is_stored;                  /* it belongs to a store */
} LoadedModel;

/*
 * Loads the model, a built-in one of that version if it is auto, with its overloads, or takes it
 * from the store, which may be NULL; and registers its features. 0; negative errno after saying on
 * stderr what went wrong.
 */
int loaded_model_load(LoadedModel *loaded, const ModelSpec *spec, const char *version,
                      ModelStore *store, VmafContext *vmaf);

void loaded_model_free(LoadedModel *loaded);

#endif
