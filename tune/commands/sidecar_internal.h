/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_COMMANDS_SIDECAR_INTERNAL_H
#define TUNE_COMMANDS_SIDECAR_INTERNAL_H

/* vmaf-tune sidecar: what was learned of one encoder, in a file of the cache. */

#include "tune/encoders/encoder.h"
#include "tune/engine/prediction.h"
#include "tune/measure/cache.h"

enum { SIDECAR_SCHEMA_VERSION = 1, SIDECAR_HISTORY = 500 };

typedef struct SidecarState {
    char *path;
    char *encoder;
    char *scores; /* model and pooling of the scores: "vmaf_v0.6.1 mean"; NULL: none yet */
    ResidualModel model;
    json_t *history; /* the last measurements, objects with an "id" */
} SidecarState;

/* A file that is not there is a state that has learned nothing. 0; -EINVAL: it is damaged, or of
 * another version; another negative errno; and why. Free in either case. */
int sidecar_load(SidecarState *state, const TuneCache *cache, const char *encoder, Message *why);
/* The file appears complete or not at all. 0; negative errno and why. */
int sidecar_save(const SidecarState *state, Message *why);
void sidecar_free(SidecarState *state);

/* Is a measurement of that name among the last ones? */
bool sidecar_knows(const SidecarState *state, const char *id);
/* Adds a new reference to what was measured, and forgets the oldest one if there are too many. */
int sidecar_note(SidecarState *state, json_t *measurement);

/* Means of the sizes of what was missed, over the history: without the correction, and with that
 * which was known before each measurement. NAN of none. */
void sidecar_errors(const SidecarState *state, double *without, double *with);

#endif
