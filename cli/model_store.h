/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_MODEL_STORE_H
#define CLI_MODEL_STORE_H

/* Models in memory, which several runs use, one after another or at a time. */

#include "model_spec.h"

#include "libvmaf/model.h"

typedef struct ModelStore ModelStore;

/* A model, or a collection with its base model. */
typedef struct StoredModel {
    VmafModel *model;
    VmafModelCollection *collection; /* NULL: a single model */
} StoredModel;

/* 0; -ENOMEM. */
int model_store_create(ModelStore **store);
/* After all runs. NULL is allowed. */
void model_store_destroy(ModelStore *store);

/*
 * The model of such a specification, which belongs to the store; what is not there is made by
 * `make`, on the calling thread, and kept if that succeeds. A file of a model is read once. 0;
 * -ENOMEM, and the error of `make`, both after saying what went wrong.
 */
int model_store_get(ModelStore *store, const ModelSpec *spec,
                    int (*make)(const ModelSpec *spec, StoredModel *made), StoredModel *found);

#endif
