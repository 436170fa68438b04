/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef LIBVMAF_MODEL_H
#define LIBVMAF_MODEL_H

/*
 * Models: a support-vector regression from feature scores to a quality score. Built-in models are
 * addressed by version ("vmaf_v0.6.1"); others are read from the JSON files that are published
 * with VMAF. A collection is a set of bootstrap models that yields a confidence interval.
 *
 * All four load functions set their outputs to NULL on failure. The caller owns what they return.
 * Models are independent of contexts: they may be loaded before a context exists and destroyed
 * before it is closed, but must exist while their scores are requested. Once a model is loaded and
 * its options are set, contexts in several threads may share it.
 */

#include <stdint.h>

#include "libvmaf/feature.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct VmafModel VmafModel;
typedef struct VmafModelCollection VmafModelCollection;

/** Flags of a model, combined with |. */
enum VmafModelFlags {
    VMAF_MODEL_FLAGS_DEFAULT = 0,
    VMAF_MODEL_FLAG_DISABLE_CLIP = (1 << 0),      /* do not clip the score to the model's range */
    VMAF_MODEL_FLAG_ENABLE_TRANSFORM = (1 << 1),  /* switch on the model's score transform */
    VMAF_MODEL_FLAG_DISABLE_TRANSFORM = (1 << 2), /* no effect at load */
};

typedef struct VmafModelConfig {
    const char *name; /* name and key of the score, unchanged in reports; copied; NULL: "vmaf" */
    uint64_t flags;   /* set of enum VmafModelFlags */
} VmafModelConfig;

enum VmafModelCollectionScoreType {
    VMAF_MODEL_COLLECTION_SCORE_UNKNOWN = 0,
    VMAF_MODEL_COLLECTION_SCORE_BOOTSTRAP = 1, /* the member `bootstrap` is filled in */
};

/** Score of a collection, in units of its models' scores. */
typedef struct VmafModelCollectionScore {
    enum VmafModelCollectionScoreType type;
    struct {
        double bagging_score; /* score of the mean of the members' predictions */
        double stddev;        /* standard deviation of the members' predictions */
        struct {
            struct {
                double lo, hi;
            } p95; /* 95 % confidence interval */
        } ci;
    } bootstrap;
} VmafModelCollectionScore;

/**
 * Load a built-in model by its exact version name.
 *
 * @param model    receives the model, to be released with vmaf_model_destroy
 * @param cfg      name and flags
 * @param version  for example "vmaf_v0.6.1"; docs/models.md lists all
 *
 * @return 0; -EINVAL for NULL arguments or an unknown name; -ENOMEM.
 */
int vmaf_model_load(VmafModel **model, VmafModelConfig *cfg, const char *version);

/**
 * Load a model from a file (JSON); otherwise as vmaf_model_load.
 *
 * @return 0; -EINVAL if the file cannot be read, is not a single model, or is malformed;
 *         -ENOMEM, also for support-vector text that does not parse.
 */
int vmaf_model_load_from_path(VmafModel **model, VmafModelConfig *cfg, const char *path);

/**
 * Change options of the features that a model uses, before the features are registered.
 *
 * @param feature_name  extractor whose options change ("adm"); no effect if the model does not use
 *                      it
 * @param opts_dict     options. The function takes ownership, also on failure; only after -EINVAL
 *                      for a NULL argument the caller still has to free it
 *
 * @return 0, also for an unknown extractor; -EINVAL for NULL arguments; -ENOMEM.
 */
int vmaf_model_feature_overload(VmafModel *model, const char *feature_name,
                                VmafFeatureDictionary *opts_dict);

/** Free a model; NULL is allowed. */
void vmaf_model_destroy(VmafModel *model);

/**
 * Load a built-in collection. Both results belong to the caller: `model` is the base model, named
 * cfg->name, to be released with vmaf_model_destroy; `model_collection` has the members, named
 * <name>_0001 and so on, to be released with vmaf_model_collection_destroy.
 *
 * @return as vmaf_model_load.
 */
int vmaf_model_collection_load(VmafModel **model, VmafModelCollection **model_collection,
                               VmafModelConfig *cfg, const char *version);

/** Load a collection from a file; as vmaf_model_collection_load and vmaf_model_load_from_path. */
int vmaf_model_collection_load_from_path(VmafModel **model, VmafModelCollection **model_collection,
                                         VmafModelConfig *cfg, const char *path);

/**
 * As vmaf_model_feature_overload, for all members of a collection and for its base model.
 *
 * @param model             base model of the collection
 * @param model_collection  pointer to the collection
 *
 * @return as vmaf_model_feature_overload.
 */
int vmaf_model_collection_feature_overload(VmafModel *model, VmafModelCollection **model_collection,
                                           const char *feature_name,
                                           VmafFeatureDictionary *opts_dict);

/** Free a collection, but not its base model; NULL is allowed. */
void vmaf_model_collection_destroy(VmafModelCollection *model_collection);

#ifdef __cplusplus
}
#endif

#endif
