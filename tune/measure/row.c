/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/measure/row.h"

#include "common/json.h"
#include "tune/measure/score_statistics.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- keys -- */

typedef enum FieldKind { TEXT, INTEGER, NUMBER, QUALITY, FLAG, TEXTS, POOLS } FieldKind;

/* Known before the encode is made, and what is measured depends on it; or not. */
typedef enum FieldUse { CELL, RESULT } FieldUse;

typedef struct Field {
    const char *key;
    FieldKind kind;
    int since; /* the schema that has it first; 0: there only if it says something */
    FieldUse use;
} Field;

#define MEAN_AND_STD(name)                                                                         \
    {name "_mean", NUMBER, 3, RESULT},                                                             \
    {                                                                                              \
        name "_std", NUMBER, 3, RESULT                                                             \
    }

static const Field fields[] = {
    {"schema_version", INTEGER, 1, RESULT},
    {"run_id", TEXT, 1, RESULT},    /* 32 hexadecimal digits */
    {"timestamp", TEXT, 1, RESULT}, /* UTC, ISO 8601, in seconds */
    /* The source: for cells, its path counts if there is no hash. Its number among the video
     * streams, that of its first picture, and "ignore" if damaged frames count, if a file has
     * several videos. */
    {"src", TEXT, 1, RESULT},
    {"src_sha256", TEXT, 1, CELL},
    {"stream", INTEGER, 0, CELL},
    {"start_number", INTEGER, 0, CELL},
    {"errors", TEXT, 0, CELL},
    {"width", INTEGER, 1, CELL},
    {"height", INTEGER, 1, CELL},
    {"pix_fmt", TEXT, 1, CELL},
    {"framerate", NUMBER, 1, CELL},
    {"fps_num", INTEGER, 4, RESULT},
    {"fps_den", INTEGER, 4, RESULT},
    {"duration_s", NUMBER, 1, RESULT},
    /* The encode. */
    {"encoder", TEXT, 1, CELL},
    {"encoder_version", TEXT, 1, RESULT},
    {"preset", TEXT, 1, CELL},
    {"crf", QUALITY, 1, CELL},
    {"extra_params", TEXTS, 1, CELL},
    {"rate_control", TEXT, 4, CELL},
    {"adapter_version", INTEGER, 4, CELL},
    {"encode_path", TEXT, 1, RESULT}, /* "" if it was not kept */
    {"encode_size_bytes", INTEGER, 1, RESULT},
    {"stream_size_bytes", INTEGER, 4, RESULT},
    {"frames", INTEGER, 4, RESULT},
    {"bitrate_kbps", NUMBER, 1, RESULT},
    {"encode_time_ms", NUMBER, 1, RESULT},
    {"encode_speed_fps", NUMBER, 4, RESULT},
    {"ffmpeg_version", TEXT, 1, CELL},
    {"clip_mode", TEXT, 2, CELL},
    {"hdr_transfer", TEXT, 3, CELL},
    {"hdr_primaries", TEXT, 3, RESULT},
    {"hdr_forced", FLAG, 3, RESULT},
    /* Its scores. */
    {"vmaf_score", NUMBER, 1, RESULT},
    {"vmaf_model", TEXT, 1, CELL},
    {"model_calibrated", FLAG, 4, RESULT},
    {"pool", TEXT, 4, CELL},
    {"score_frames", INTEGER, 4, RESULT},
    {"score_time_ms", NUMBER, 1, RESULT},
    {"score_speed_fps", NUMBER, 4, RESULT},
    {"score_backend", TEXT, 4, RESULT},
    {"score_device", TEXT, 4, RESULT},
    {"vmaf_binary_version", TEXT, 1, RESULT},
    {"features", POOLS, 0, RESULT},
    MEAN_AND_STD("adm2"),
    MEAN_AND_STD("motion2"),
    MEAN_AND_STD("vif_scale0"),
    MEAN_AND_STD("vif_scale1"),
    MEAN_AND_STD("vif_scale2"),
    MEAN_AND_STD("vif_scale3"),
    /* The shots of the source, and what the encoder reports of its work. */
    {"shot_count", INTEGER, 3, RESULT},
    {"shot_avg_duration_sec", NUMBER, 3, RESULT},
    {"shot_duration_std_sec", NUMBER, 3, RESULT},
    MEAN_AND_STD("enc_internal_qp"),
    MEAN_AND_STD("enc_internal_bits"),
    MEAN_AND_STD("enc_internal_mv"),
    {"enc_internal_itex_mean", NUMBER, 3, RESULT},
    {"enc_internal_ptex_mean", NUMBER, 3, RESULT},
    {"enc_internal_intra_ratio", NUMBER, 3, RESULT},
    {"enc_internal_skip_ratio", NUMBER, 3, RESULT},
    {"exit_status", INTEGER, 1, RESULT}, /* of the encode if that failed, else of the scoring */
    {"error", TEXT, 4, RESULT},
    {"cached", FLAG, 0, RESULT}, /* nothing was run for this row */
};

/* Names of other programs; of several, the first counts. */
static const struct {
    const char *alias, *key;
} aliases[] = {{"codec", "encoder"},
               {"q", "crf"},
               {"cq", "crf"},
               {"vmaf", "vmaf_score"},
               {"actual_kbps", "bitrate_kbps"}};

enum { N_FIELDS = sizeof fields / sizeof *fields };

/* NULL: there is none of that key. Aliases do not count. */
static const Field *field_of(const char *key)
{
    for (size_t i = 0; i < N_FIELDS; i++)
        if (!strcmp(fields[i].key, key))
            return &fields[i];
    return NULL;
}

/* -- from JSON -- */

json_t *json_quality(double q)
{
    return q == rint(q) && fabs(q) < 9e15 ? json_integer((json_int_t)q) : json_number_or_null(q);
}

static bool are_all(const json_t *list, json_type type)
{
    for (size_t i = 0; i < json_array_size(list); i++)
        if (json_typeof(json_array_get(list, i)) != type)
            return false;
    return json_is_array(list);
}

static bool are_pools(json_t *features)
{
    const char *name;
    json_t *pools;
    json_object_foreach(features, name, pools) if (!json_is_object(pools)) return false;
    return true;
}

/* The value as rows have it, a new reference; NULL, and what was expected. */
static json_t *usual_value(FieldKind kind, json_t *value, const char **expected)
{
    const double number = json_number_value(value);
    switch (kind) {
    case TEXT:
        *expected = "a text";
        return json_is_string(value) ? json_incref(value) : NULL;
    case INTEGER:
        *expected = "an integer";
        if (json_is_integer(value))
            return json_incref(value);
        return json_is_real(value) && rint(number) == number && fabs(number) < 9e15
                   ? json_integer((json_int_t)number)
                   : NULL;
    case NUMBER:
    case QUALITY:
        *expected = "a number";
        if (!json_is_number(value))
            return NULL;
        return kind == NUMBER ? json_real(number) : json_quality(number);
    case FLAG:
        *expected = "true or false";
        return json_is_boolean(value) ? json_incref(value) : NULL;
    case TEXTS:
        *expected = "an array of texts";
        return are_all(value, JSON_STRING) ? json_incref(value) : NULL;
    case POOLS:
        break;
    }
    *expected = json_is_object(value) ? "an object for each feature" : "an object";
    return json_is_object(value) && are_pools(value) ? json_incref(value) : NULL;
}

/* The name that a field has in this object; NULL: none. */
static const char *name_in(const json_t *json, const Field *field)
{
    if (json_object_get(json, field->key))
        return field->key;
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
        if (!strcmp(aliases[i].key, field->key) && json_object_get(json, aliases[i].alias))
            return aliases[i].alias;
    return NULL;
}

static int take_field(json_t *json, const Field *field, json_int_t schema, Message *message)
{
    const char *name = name_in(json, field), *expected;
    json_t *value = json_object_get(json, name), *usual;
    if (value && !json_is_null(value)) {
        usual = usual_value(field->kind, value, &expected);
        if (!usual)
            return message_set(message, -EINVAL, "%.60s: expected %s", field->key, expected);
    } else if (field->kind == TEXTS) {
        usual = json_array();
    } else if (field->since && field->since <= schema) {
        usual = json_null();
    } else {
        json_object_del(json, field->key);
        return 0;
    }
    if (json_put(json, field->key, usual))
        return message_set(message, -ENOMEM, "out of memory");
    if (name && strcmp(name, field->key) != 0)
        json_object_del(json, name);
    return 0;
}

int row_from_json(Row *row, json_t *json, Message *message)
{
    json_int_t schema = 0;
    *row = (Row){.json = json};
    if (!json_is_object(json))
        return message_set(message, -EINVAL, "expected an object");
    for (size_t i = 0; i < N_FIELDS; i++) {
        const int err = take_field(json, &fields[i], schema, message);
        const json_t *said = i ? NULL : json_object_get(json, fields[i].key);
        if (err)
            return err;
        if (!said)
            continue;
        schema = json_integer_value(said);
        if (schema < 1 || schema > ROW_SCHEMA)
            return message_set(message, -EINVAL, "schema_version %lld is not one of 1 to %d",
                               (long long)schema, ROW_SCHEMA);
    }
    row->src = json_text_of(json, "src");
    row->encoder = json_text_of(json, "encoder");
    row->preset = json_text_of(json, "preset");
    row->crf = json_number_of(json, "crf");
    row->vmaf_score = json_number_of(json, "vmaf_score");
    return 0;
}

void row_free(Row *row)
{
    json_decref(row->json);
    *row = (Row){0};
}

/* -- cells -- */

char *row_cell(const json_t *json)
{
    const char *hash = json_text_of(json, "src_sha256"), *path = json_text_of(json, "src");
    json_t *cell = json_object();
    int err = hash && *hash ? 0 : json_put_text(cell, "src", path);
    for (size_t i = 0; i < N_FIELDS; i++) {
        json_t *value = json_object_get(json, fields[i].key);
        /* What is missing and what is empty is the same to a cell. */
        const bool is_empty =
            !value || json_is_null(value) || (json_is_string(value) && !json_string_length(value));
        if (fields[i].use == CELL && !is_empty)
            err |= json_put(cell, fields[i].key, json_incref(value));
    }
    char *text = err ? NULL : json_dumps(cell, JSON_COMPACT | JSON_SORT_KEYS);
    json_decref(cell);
    return text;
}

/* -- what rows say -- */

bool row_is_usable(const Row *row)
{
    const double status = json_number_of(row->json, "exit_status");
    return (isnan(status) || status == 0) && isfinite(row->vmaf_score);
}

double row_kbps(const Row *row)
{
    const double kbps = json_number_of(row->json, "bitrate_kbps");
    return kbps > 0 ? kbps : NAN;
}

bool row_is_point(const Row *row)
{
    return row_is_usable(row) && !isnan(row_kbps(row));
}

/* What was encoded: all frames, or those of a sample. */
static double frames_of(const Row *row)
{
    const double frames = json_number_of(row->json, "frames");
    const char *clip_mode = json_text_of(row->json, "clip_mode"); /* "full", "sample_10s" */
    double seconds;
    if (!isnan(frames))
        return frames;
    if (!clip_mode || sscanf(clip_mode, "sample_%lfs", &seconds) != 1)
        seconds = json_number_of(row->json, "duration_s");
    return rint(seconds * json_number_of(row->json, "framerate"));
}

/* By frames and milliseconds, else what stands there. */
static double speed(const Row *row, double frames, const char *time, const char *other)
{
    const double fps = 1000 * frames / json_number_of(row->json, time);
    return isfinite(fps) && fps > 0 ? fps : json_number_of(row->json, other);
}

double row_encode_fps(const Row *row)
{
    return speed(row, frames_of(row), "encode_time_ms", "encode_speed_fps");
}

double row_score_fps(const Row *row)
{
    const double scored = json_number_of(row->json, "score_frames");
    return speed(row, isnan(scored) ? frames_of(row) : scored, "score_time_ms", "score_speed_fps");
}

const char *row_source(const Row *row)
{
    const char *hash = json_text_of(row->json, "src_sha256");
    if (hash && *hash)
        return hash;
    return row->src ? row->src : "";
}

const json_t *row_feature(const json_t *json, const char *name)
{
    const char *one;
    json_t *pools;
    json_object_foreach(
        json_object_get(json, "features"), one,
        pools) if (!strcmp(score_plain_name(one), score_plain_name(name))) return pools;
    return NULL;
}

bool row_number(const Row *row, const char *key, double *number)
{
    const Field *field = field_of(key);
    const json_t *pools = field ? NULL : row_feature(row->json, key);
    *number = json_number_of(field ? row->json : pools, field ? key : "mean");
    return field ? field->kind == NUMBER || field->kind == QUALITY || field->kind == INTEGER
                 : pools != NULL;
}
