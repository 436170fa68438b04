/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_MODEL_MODEL_DATA_H
#define CORE_MODEL_MODEL_DATA_H

/* The content of a model; for the files of this folder, the table generator and tests. */

#include <stdbool.h>

#include "model/model.h"
#include "model/score_transform.h"
#include "model/svr.h"

typedef enum ModelType {
    MODEL_TYPE_UNSET,
    MODEL_TYPE_SINGLE,           /* LIBSVMNUSVR */
    MODEL_TYPE_BOOTSTRAP,        /* BOOTSTRAP_LIBSVMNUSVR */
    MODEL_TYPE_RESIDUEBOOTSTRAP, /* RESIDUEBOOTSTRAP_LIBSVMNUSVR */
} ModelType;

typedef enum Normalisation {
    NORMALISATION_UNSET, /* the model loads, but cannot predict */
    NORMALISATION_NONE,
    NORMALISATION_LINEAR_RESCALE,
} Normalisation;

/* x -> slope * x + intercept */
typedef struct LinearMap {
    double slope, intercept;
} LinearMap;

/* Everything in a model file but the features and the support vectors. */
typedef struct ModelParameters {
    ModelType type;
    Normalisation normalisation;
    LinearMap score_map;
    bool has_clip;
    double clip_min, clip_max;
    double chroma_correction; /* 0: none */
    ScoreTransform transform;
} ModelParameters;

/* Roles of features in the chroma-from-luma correction. */
enum { ROLE_CHROMA = 1 << 0, ROLE_LUMA = 1 << 1 };

typedef struct ModelFeature {
    char *name; /* base name */
    LinearMap map;
    unsigned roles;      /* ROLE_* */
    Dictionary *options; /* NULL if there are none */
    char *key;           /* NULL: no key, see why_no_key */
    Reason why_no_key;
} ModelFeature;

struct VmafModel {
    char *name;
    ModelParameters parameters;
    unsigned n_features;
    ModelFeature *features;
    const SvrTable *svr;
    SvrTable *own_svr; /* equals svr if the model has to free it, else NULL */
};

struct VmafModelCollection {
    char *name;
    unsigned n_members, capacity;
    VmafModel **members;
};

/* Creates a model without data, with the name of the configuration, or <name>_<number> with four
 * digits if number is not 0. NULL if memory runs out. */
VmafModel *model_create(const VmafModelConfig *cfg, unsigned number);
/* Room for the features. 0, -ENOMEM. */
int model_set_feature_count(VmafModel *model, unsigned count);
/* 0, -ENOMEM. */
int model_set_feature_name(VmafModel *model, unsigned i, const char *name);
int model_set_feature_option(VmafModel *model, unsigned i, const char *name, const char *value);
/* Call when everything is set: applies the load flags, makes the keys. 0, -ENOMEM. */
int model_complete(VmafModel *model, const VmafModelConfig *cfg);

/* An empty collection; NULL if memory runs out. */
VmafModelCollection *model_collection_create(const VmafModelConfig *cfg);
/* Appends a model, which then belongs to the collection. -EINVAL if its type is not that of the
 * other members; -ENOMEM. */
int model_collection_add(VmafModelCollection *collection, VmafModel *model, Reason *why);

/* Applies the model's transform and clip to a regression value. */
double model_finish_score(const VmafModel *model, double raw);

#endif
