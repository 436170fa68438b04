/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_ROWS_ROW_H
#define TUNE_ROWS_ROW_H

/*
 * A row of a corpus: one encode of one source, and how good it is. Members are named as the keys of
 * the file.
 *
 * A row owns all that it points to; row_free frees it. What is missing is NULL, NAN,
 * ROW_NO_INTEGER or ROW_FLAG_MISSING. Functions may be called from any thread; one row is used by
 * one thread at a time.
 */

#include "common/messages.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ROW_SCHEMA = 4 };

#define ROW_NO_INTEGER INT64_MIN

typedef enum RowFlag { ROW_FLAG_MISSING = -1, ROW_FLAG_NO, ROW_FLAG_YES } RowFlag;

/* Scores of all frames, by the name of a metric. */
typedef struct RowFeature {
    char *name;
    double min, max, mean, harmonic_mean;
    double std; /* of the population */
} RowFeature;

/* A quality as a new reference: a whole number if it is one; null if it is not finite. */
json_t *json_quality(double q);

typedef struct Row {
    int64_t schema_version; /* as it was read; ROW_SCHEMA of new ones */
    char *run_id;           /* 32 hexadecimal digits */
    char *timestamp;        /* UTC, ISO 8601, in seconds */

    /* The source. */
    char *src;
    char *src_sha256; /* of the whole file; "" if nobody looked */
    /* Identifies the video in its file, where that is ambiguous: its number among the video
     * streams, the number of the first picture, "ignore" if damaged frames count. */
    int64_t stream, start_number;
    char *errors;
    int64_t width, height;
    char *pix_fmt;
    double framerate;
    int64_t fps_num, fps_den;
    double duration_s;

    /* The encode. */
    char *encoder, *encoder_version, *preset;
    double crf; /* the quality parameter, whatever its name is */
    char **extra_params;
    size_t n_extra_params;
    char *rate_control;
    int64_t adapter_version;
    char *encode_path; /* "" if it was not kept */
    int64_t encode_size_bytes, stream_size_bytes;
    int64_t frames;
    double bitrate_kbps;
    double encode_time_ms, encode_speed_fps;
    char *ffmpeg_version;
    char *clip_mode; /* "full" or "sample_Ns" */
    char *hdr_transfer, *hdr_primaries;
    int hdr_forced; /* RowFlag */

    /* Its scores. */
    double vmaf_score;
    char *vmaf_model;
    int model_calibrated; /* RowFlag */
    char *pool;
    int64_t score_frames;
    double score_time_ms, score_speed_fps;
    char *score_backend, *score_device;
    char *vmaf_binary_version;
    RowFeature *features;
    size_t n_features;
    double adm2_mean, adm2_std, motion2_mean, motion2_std;
    double vif_scale0_mean, vif_scale0_std, vif_scale1_mean, vif_scale1_std;
    double vif_scale2_mean, vif_scale2_std, vif_scale3_mean, vif_scale3_std;

    /* The shots of the source, and what the encoder reports of its work. */
    int64_t shot_count;
    double shot_avg_duration_sec, shot_duration_std_sec;
    double enc_internal_qp_mean, enc_internal_qp_std, enc_internal_bits_mean, enc_internal_bits_std;
    double enc_internal_mv_mean, enc_internal_mv_std;
    double enc_internal_itex_mean, enc_internal_ptex_mean;
    double enc_internal_intra_ratio, enc_internal_skip_ratio;

    int64_t exit_status; /* of the encode if that failed, else of the scoring */
    char *error;         /* what failed */
    int cached;          /* RowFlag: nothing was run for this row */

    json_t *unknown; /* keys that nobody knows here: kept, and written again; NULL: none */
} Row;

/* Everything is missing but the schema. */
void row_init(Row *row);
void row_free(Row *row);

/* Sets a text of a row to a copy; NULL makes it missing. 0; -ENOMEM, and the text is as it was. */
int row_set_text(char **member, const char *text);
/* Appends copies. 0; -ENOMEM. */
int row_add_extra_param(Row *row, const char *param);
int row_add_feature(Row *row, const RowFeature *feature);

/* Gives the row a new run_id and the time as timestamp. 0; -ENOMEM. */
int row_stamp(Row *row);

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

/* A number of the row by its key, or the mean of a feature of that name, with or without the prefix
 * "integer_". False if no row has such a key; NAN if this one has not. */
bool row_number(const Row *row, const char *key, double *number);

/*
 * Converts the row to JSON, a new reference; NULL without memory. Numbers that are missing or not
 * finite are null. In rows of older schemas, keys that their schema does not have are left out if
 * they are missing. Bytes that are not UTF-8 become U+FFFD.
 */
json_t *row_to_json(const Row *row);

/*
 * Reads JSON of any schema up to ROW_SCHEMA; the row was initialised or freed. Aliases: codec for
 * encoder, q or cq for crf, vmaf for vmaf_score, actual_kbps for bitrate_kbps; a key by its own
 * name wins. 0; -EINVAL with a message if a value is none of its type, or the schema is newer;
 * -ENOMEM. After an error the row is empty.
 */
int row_from_json(Row *row, const json_t *json, Message *message);

/* -- the keys of rows that are plain values -- */

typedef enum FieldKind {
    FIELD_TEXT,
    FIELD_INTEGER,
    FIELD_NUMBER,
    FIELD_QUALITY,
    FIELD_FLAG
} FieldKind;

typedef struct RowField {
    const char *key;
    const char *aliases[2]; /* of other programs; NULL: no more */
    FieldKind kind;
    int since; /* the schema that has it first; 0: written only if it is there */
    size_t offset;
} RowField;

extern const RowField row_fields[];
extern const size_t n_row_fields;

static inline void *row_member(Row *row, const RowField *field)
{
    return (char *)row + field->offset;
}

static inline const void *row_value(const Row *row, const RowField *field)
{
    return (const char *)row + field->offset;
}

#endif
