/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_COMMANDS_SIDECAR_ACTIONS_H
#define TUNE_COMMANDS_SIDECAR_ACTIONS_H

/* What a sidecar is asked: what it knows, what it expects, and to learn. */

#include "tune/commands/sidecar/sidecar_state.h"
#include "tune/encoders/encoder.h"

/* A document of predict. */
typedef struct PredictDocument {
    const char *path;
    json_t *json;
    const Encoder *encoder; /* of the table */
} PredictDocument;

/* 0; -EINVAL: it is no such document, or of an encoder that there is no model of; another negative
 * errno; and why. Free in either case. */
int predict_document_load(PredictDocument *document, const EncoderTable *encoders, const char *path,
                          Message *why);
void predict_document_free(PredictDocument *document);

/* One encode of a shot, measured. */
typedef struct ShotMeasurement {
    size_t shot;
    int q;
    double score;
} ShotMeasurement;

/* New references; NULL without memory. */
json_t *sidecar_status(const SidecarState *state);

/*
 * Each shot with the quality that the corrected prediction picks for the target (NAN: the
 * document's), or, if q is not negative, what it expects there. NULL and why, with *err.
 */
json_t *sidecar_predict(const SidecarState *state, const PredictDocument *document, double target,
                        int q, int *err, Message *why);

/* Learns from one measurement, unless it is known. 0 and a new reference to what was learned; a
 * negative errno and why. */
int sidecar_record(SidecarState *state, const PredictDocument *document,
                   const ShotMeasurement *measurement, json_t **record, Message *why);
/* The same of all measurements that a document has. */
int sidecar_record_all(SidecarState *state, const PredictDocument *document, json_t **record,
                       Message *why);

#endif
