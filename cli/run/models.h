/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_RUN_MODELS_H
#define CLI_RUN_MODELS_H

/* Models of the command line in memory. */

#include "media/match.h"
#include "media/video_format.h"
#include "options/options.h"

/* Models in memory, which several runs use, one after another or at a time. */
typedef struct ModelStore ModelStore;

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

/* 0; -ENOMEM. */
int model_store_create(ModelStore **store);
/* After all runs. NULL is allowed. */
void model_store_destroy(ModelStore *store);

/*
 * Does this model file look like a collection? A single model has "model_dict" at the top, a
 * collection has numbered models there. Pipes count as single models, and so do files that
 * cannot be read; the library then says what is wrong with them.
 */
bool model_file_is_collection(const char *path);

/* --model auto: is a video of that size more than fits into 2560x1440, upright or not? */
bool auto_model_is_4k(const VideoFormat *format);
/* The built-in model for videos of that size, as a constant. */
const char *auto_model_version(const VideoFormat *format);
/* Says which it is and why; and, if there are many frames a second, which was made for them. */
void auto_model_note(const VideoFormat *format, Notes *notes);

#endif
