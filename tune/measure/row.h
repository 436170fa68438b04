/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_MEASURE_ROW_H
#define TUNE_MEASURE_ROW_H

/*
 * A row of a corpus: one encode of one source, and how good it is. It is a JSON object, whose keys
 * row.c lists, and does not change once it is one. Functions may be called from any thread; one row
 * is used by one thread at a time.
 */

#include "common/messages.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum { ROW_SCHEMA = 4 };

typedef struct Row {
    json_t *json; /* all of it, with keys that nobody knows here */
    /* What is asked for most; texts are those of the JSON. What is missing is NULL or NAN. */
    const char *src, *encoder, *preset;
    double crf; /* the quality parameter, whatever its name is */
    double vmaf_score;
} Row;

/*
 * Makes a row of JSON of any schema up to ROW_SCHEMA, whose reference it takes. Aliases: codec for
 * encoder, q or cq for crf, vmaf for vmaf_score, actual_kbps for bitrate_kbps; a key by its own
 * name wins. Keys that its schema has are null if they are missing. 0; -EINVAL with a message if a
 * value is none of its type, or the schema is newer; -ENOMEM. Free it with row_free, also after
 * errors.
 */
int row_from_json(Row *row, json_t *json, Message *message);
void row_free(Row *row);

/*
 * The name of a row's cell, which is known before anything was run: the source (its content, or its
 * path if nobody looked), its geometry, the encoder, preset and quality, all further arguments,
 * rate control, part of the video, model, pooling, and versions of adapter and FFmpeg. Times,
 * sizes, scores and paths of encodes are no part of it. Free it; NULL without memory.
 */
char *row_cell(const json_t *json);

/* A quality as a new reference: a whole number if it is one; null if it is not finite. */
json_t *json_quality(double q);

/* The encode and its score succeeded, and the score is a number. */
bool row_is_usable(const Row *row);

/* The bitrate, NAN if there is none: older programs wrote 0 where they did not know. */
double row_kbps(const Row *row);

/* It is usable, and its bitrate is known. */
bool row_is_point(const Row *row);

/* Frames per second of the encode, and of its scoring; NAN if the row does not have it. */
double row_encode_fps(const Row *row);
double row_score_fps(const Row *row);

/* What distinguishes sources: the hash of the file if there is one, else the path; "". */
const char *row_source(const Row *row);

/* Pooled scores of a metric of that name, with or without the prefix "integer_"; NULL: none. */
const json_t *row_feature(const json_t *json, const char *name);

/* A number of the row by its key, or the mean of a feature of that name. False if no row has such a
 * key; NAN if this one has not. */
bool row_number(const Row *row, const char *key, double *number);

#endif
