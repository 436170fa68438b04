/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_MODEL_BUILTIN_BUILTIN_H
#define CORE_MODEL_BUILTIN_BUILTIN_H

/* Form of the built-in models. tools/model-tables generates the tables from the published files;
 * numbers are written so that they read back exactly. */

#include <stdint.h>

#include "model/model_internal.h"

typedef struct BuiltinOption {
    const char *name, *value;
} BuiltinOption;

typedef struct BuiltinFeature {
    const char *name;
    LinearMap map;
    const BuiltinOption *options; /* ends with a NULL name; NULL if there are none */
} BuiltinFeature;

enum { BUILTIN_COMPONENTS = 6 };

/* The support vectors of all models: those of a collection are drawn from one set. */
extern const double builtin_vectors[][BUILTIN_COMPONENTS];

typedef struct BuiltinSvr {
    double gamma, rho;
    unsigned n_vectors, dimensions;
    const double *coefficients;
    const uint16_t *vectors; /* rows of builtin_vectors, in the order of the sum */
} BuiltinSvr;

extern const BuiltinSvr builtin_svrs[];

typedef struct BuiltinModel {
    const ModelParameters *parameters;
    const BuiltinFeature *features;
    unsigned n_features;
    const BuiltinSvr *svr;
} BuiltinModel;

typedef struct BuiltinVersion {
    const char *name;
    bool is_collection;
    unsigned n_models; /* 1, or all entries of a collection with the base model first */
    const BuiltinModel *models;
    const char *sha256; /* of the published file, to identify the model */
} BuiltinVersion;

extern const BuiltinVersion builtin_versions[]; /* ends with a NULL name */

#endif
