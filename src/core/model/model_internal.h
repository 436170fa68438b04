/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_MODEL_MODEL_INTERNAL_H
#define CORE_MODEL_MODEL_INTERNAL_H

/* The content of a model; for the files of this folder, the table generator and tests. */

#include <stdbool.h>

#include "model/model.h"
#include "model/svr.h"

enum { TRANSFORM_MAX_KNOTS = 10 };

typedef struct TransformKnot {
    double x, y;
} TransformKnot;

/* Maps a regression value to the perceptual scale: a polynomial of degree 2, then a piecewise
 * linear function, then a bound by the untransformed value. Each part is optional. */
typedef struct ScoreTransform {
    bool enabled;
    bool has_p0, has_p1, has_p2;
    double p0, p1, p2;
    unsigned n_knots;
    TransformKnot knots[TRANSFORM_MAX_KNOTS];
    bool out_lte_in, out_gte_in; /* result at most, at least the untransformed value */
} ScoreTransform;

/* Returns the score unchanged if the transform is not enabled. */
double score_transform_apply(const ScoreTransform *transform, double score);

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
    SvrTable *svr;
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

#endif
