/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/rows/row.h"

#include "common/json.h"
#include "platform/machine.h"
#include "platform/time.h"
#include "tune/engine/score_statistics.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FIELD(schema, type, member)                                                                \
    {                                                                                              \
        .key = #member, .kind = (type), .since = (schema), .offset = offsetof(Row, member)         \
    }
#define ALIASED(schema, type, member, ...)                                                         \
    {                                                                                              \
        .key = #member, .aliases = {__VA_ARGS__}, .kind = (type), .since = (schema),               \
        .offset = offsetof(Row, member)                                                            \
    }
#define MEAN_AND_STD(schema, name)                                                                 \
    FIELD(schema, FIELD_NUMBER, name##_mean), FIELD(schema, FIELD_NUMBER, name##_std)

const RowField row_fields[] = {
    FIELD(1, FIELD_INTEGER, schema_version),
    FIELD(1, FIELD_TEXT, run_id),
    FIELD(1, FIELD_TEXT, timestamp),
    FIELD(1, FIELD_TEXT, src),
    FIELD(1, FIELD_TEXT, src_sha256),
    FIELD(1, FIELD_INTEGER, width),
    FIELD(1, FIELD_INTEGER, height),
    FIELD(1, FIELD_TEXT, pix_fmt),
    FIELD(1, FIELD_NUMBER, framerate),
    FIELD(1, FIELD_NUMBER, duration_s),
    ALIASED(1, FIELD_TEXT, encoder, "codec"),
    FIELD(1, FIELD_TEXT, encoder_version),
    FIELD(1, FIELD_TEXT, preset),
    ALIASED(1, FIELD_QUALITY, crf, "q", "cq"),
    FIELD(1, FIELD_TEXT, encode_path),
    FIELD(1, FIELD_INTEGER, encode_size_bytes),
    ALIASED(1, FIELD_NUMBER, bitrate_kbps, "actual_kbps"),
    FIELD(1, FIELD_NUMBER, encode_time_ms),
    ALIASED(1, FIELD_NUMBER, vmaf_score, "vmaf"),
    FIELD(1, FIELD_TEXT, vmaf_model),
    FIELD(1, FIELD_NUMBER, score_time_ms),
    FIELD(1, FIELD_TEXT, ffmpeg_version),
    FIELD(1, FIELD_TEXT, vmaf_binary_version),
    FIELD(1, FIELD_INTEGER, exit_status),
    FIELD(2, FIELD_TEXT, clip_mode),
    FIELD(3, FIELD_TEXT, hdr_transfer),
    FIELD(3, FIELD_TEXT, hdr_primaries),
    FIELD(3, FIELD_FLAG, hdr_forced),
    FIELD(3, FIELD_INTEGER, shot_count),
    FIELD(3, FIELD_NUMBER, shot_avg_duration_sec),
    FIELD(3, FIELD_NUMBER, shot_duration_std_sec),
    MEAN_AND_STD(3, adm2),
    MEAN_AND_STD(3, vif_scale0),
    MEAN_AND_STD(3, vif_scale1),
    MEAN_AND_STD(3, vif_scale2),
    MEAN_AND_STD(3, vif_scale3),
    MEAN_AND_STD(3, motion2),
    MEAN_AND_STD(3, enc_internal_qp),
    MEAN_AND_STD(3, enc_internal_bits),
    MEAN_AND_STD(3, enc_internal_mv),
    FIELD(3, FIELD_NUMBER, enc_internal_itex_mean),
    FIELD(3, FIELD_NUMBER, enc_internal_ptex_mean),
    FIELD(3, FIELD_NUMBER, enc_internal_intra_ratio),
    FIELD(3, FIELD_NUMBER, enc_internal_skip_ratio),
    FIELD(4, FIELD_INTEGER, stream_size_bytes),
    FIELD(4, FIELD_INTEGER, frames),
    FIELD(4, FIELD_INTEGER, fps_num),
    FIELD(4, FIELD_INTEGER, fps_den),
    FIELD(4, FIELD_TEXT, score_backend),
    FIELD(4, FIELD_TEXT, score_device),
    FIELD(4, FIELD_TEXT, pool),
    FIELD(4, FIELD_INTEGER, score_frames),
    FIELD(4, FIELD_TEXT, rate_control),
    FIELD(4, FIELD_FLAG, model_calibrated),
    FIELD(4, FIELD_INTEGER, adapter_version),
    FIELD(4, FIELD_TEXT, error),
    FIELD(4, FIELD_NUMBER, encode_speed_fps),
    FIELD(4, FIELD_NUMBER, score_speed_fps),
    FIELD(0, FIELD_FLAG, cached),
    FIELD(0, FIELD_INTEGER, stream),
    FIELD(0, FIELD_INTEGER, start_number),
    FIELD(0, FIELD_TEXT, errors),
};
const size_t n_row_fields = sizeof(row_fields) / sizeof(row_fields[0]);

/* NULL: there is none of that key. Aliases do not count. */
static const RowField *row_field(const char *key)
{
    for (size_t i = 0; i < n_row_fields; i++)
        if (!strcmp(row_fields[i].key, key))
            return &row_fields[i];
    return NULL;
}

/* -- rows -- */

static void make_missing(Row *row, const RowField *field)
{
    void *member = row_member(row, field);
    switch (field->kind) {
    case FIELD_TEXT:
        *(char **)member = NULL;
        break;
    case FIELD_INTEGER:
        *(int64_t *)member = ROW_NO_INTEGER;
        break;
    case FIELD_NUMBER:
    case FIELD_QUALITY:
        *(double *)member = NAN;
        break;
    case FIELD_FLAG:
        *(int *)member = ROW_FLAG_MISSING;
        break;
    }
}

static void make_empty(Row *row)
{
    *row = (Row){0};
    for (size_t i = 0; i < n_row_fields; i++)
        make_missing(row, &row_fields[i]);
}

void row_init(Row *row)
{
    make_empty(row);
    row->schema_version = ROW_SCHEMA;
}

void row_free(Row *row)
{
    for (size_t i = 0; i < n_row_fields; i++)
        if (row_fields[i].kind == FIELD_TEXT)
            free(*(char **)row_member(row, &row_fields[i]));
    for (size_t i = 0; i < row->n_extra_params; i++)
        free(row->extra_params[i]);
    free(row->extra_params);
    for (size_t i = 0; i < row->n_features; i++)
        free(row->features[i].name);
    free(row->features);
    json_decref(row->unknown);
    make_empty(row);
}

int row_set_text(char **member, const char *text)
{
    char *copy = text ? strdup(text) : NULL;
    if (text && !copy)
        return -ENOMEM;
    free(*member);
    *member = copy;
    return 0;
}

int row_add_extra_param(Row *row, const char *param)
{
    char **more = realloc(row->extra_params, (row->n_extra_params + 1) * sizeof(*more));
    if (!more)
        return -ENOMEM;
    row->extra_params = more;
    char *copy = strdup(param);
    if (!copy)
        return -ENOMEM;
    row->extra_params[row->n_extra_params++] = copy;
    return 0;
}

int row_add_feature(Row *row, const RowFeature *feature)
{
    RowFeature *more = realloc(row->features, (row->n_features + 1) * sizeof(*more));
    if (!more)
        return -ENOMEM;
    row->features = more;
    RowFeature copy = *feature;
    copy.name = strdup(feature->name);
    if (!copy.name)
        return -ENOMEM;
    row->features[row->n_features++] = copy;
    return 0;
}

static int stamp_time(Row *row)
{
    const time_t now = time(NULL);
    struct tm utc;
    char text[64];
    if (!gmtime_r(&now, &utc) || !strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &utc))
        return row_set_text(&row->timestamp, "");
    return row_set_text(&row->timestamp, text);
}

int row_stamp(Row *row)
{
    unsigned char bytes[16];
    char id[2 * sizeof(bytes) + 1];
    if (!vmaf_random_bytes(bytes, sizeof(bytes))) {
        const int64_t clocks[] = {vmaf_time_of_day_ns(), vmaf_steady_ns()};
        memcpy(bytes, clocks, sizeof(bytes));
    }
    for (size_t i = 0; i < sizeof(bytes); i++)
        snprintf(id + 2 * i, 3, "%02x", bytes[i]);
    const int err = row_set_text(&row->run_id, id);
    return err ? err : stamp_time(row);
}

bool row_is_usable(const Row *row)
{
    const bool succeeded = row->exit_status == 0 || row->exit_status == ROW_NO_INTEGER;
    return succeeded && isfinite(row->vmaf_score);
}

double row_kbps(const Row *row)
{
    return isfinite(row->bitrate_kbps) && row->bitrate_kbps > 0 ? row->bitrate_kbps : NAN;
}

bool row_is_point(const Row *row)
{
    return row_is_usable(row) && !isnan(row_kbps(row));
}

/* What was encoded: all frames, or those of a sample. */
static double frames_of(const Row *row)
{
    double seconds;
    if (row->frames != ROW_NO_INTEGER)
        return (double)row->frames;
    if (!row->clip_mode || sscanf(row->clip_mode, "sample_%lfs", &seconds) != 1)
        seconds = row->duration_s;
    return rint(seconds * row->framerate);
}

static double rate(double frames, double milliseconds)
{
    const double fps = 1000 * frames / milliseconds;
    return isfinite(fps) && fps > 0 ? fps : NAN;
}

double row_encode_fps(const Row *row)
{
    const double fps = rate(frames_of(row), row->encode_time_ms);
    return isnan(fps) ? row->encode_speed_fps : fps;
}

double row_score_fps(const Row *row)
{
    const double frames =
        row->score_frames != ROW_NO_INTEGER ? (double)row->score_frames : frames_of(row);
    const double fps = rate(frames, row->score_time_ms);
    return isnan(fps) ? row->score_speed_fps : fps;
}

const char *row_source(const Row *row)
{
    if (row->src_sha256 && *row->src_sha256)
        return row->src_sha256;
    return row->src ? row->src : "";
}

static bool feature_mean(const Row *row, const char *name, double *number)
{
    for (size_t i = 0; i < row->n_features; i++) {
        if (!strcmp(score_plain_name(row->features[i].name), score_plain_name(name))) {
            *number = row->features[i].mean;
            return true;
        }
    }
    return false;
}

bool row_number(const Row *row, const char *key, double *number)
{
    const RowField *field = row_field(key);
    if (!field)
        return feature_mean(row, key, number);
    if (field->kind == FIELD_NUMBER || field->kind == FIELD_QUALITY) {
        *number = *(const double *)row_value(row, field);
        return true;
    }
    if (field->kind != FIELD_INTEGER)
        return false;
    const int64_t value = *(const int64_t *)row_value(row, field);
    *number = value == ROW_NO_INTEGER ? NAN : (double)value;
    return true;
}

/* -- to JSON -- */

json_t *json_quality(double q)
{
    return q == rint(q) ? json_integer((json_int_t)q) : json_number_or_null(q);
}

/* A new reference; json_null if the value is missing. */
static json_t *value_to_json(const Row *row, const RowField *field)
{
    const void *value = row_value(row, field);
    switch (field->kind) {
    case FIELD_TEXT:
        return json_text_or_null(*(char *const *)value);
    case FIELD_INTEGER:
        return *(const int64_t *)value == ROW_NO_INTEGER ? json_null()
                                                         : json_integer(*(const int64_t *)value);
    case FIELD_NUMBER:
        return json_number_or_null(*(const double *)value);
    case FIELD_QUALITY:
        return json_quality(*(const double *)value);
    case FIELD_FLAG:
        break;
    }
    const int flag = *(const int *)value;
    return flag == ROW_FLAG_MISSING ? json_null() : json_boolean(flag == ROW_FLAG_YES);
}

static int put_fields(json_t *json, const Row *row)
{
    for (size_t i = 0; i < n_row_fields; i++) {
        const RowField *field = &row_fields[i];
        const bool belongs = field->since && field->since <= row->schema_version;
        json_t *value = value_to_json(row, field);
        if (json_is_null(value) && !belongs) {
            json_decref(value);
            continue;
        }
        if (json_put(json, field->key, value))
            return -ENOMEM;
    }
    return 0;
}

static int put_extra_params(json_t *json, const Row *row)
{
    json_t *params = json_array();
    if (json_put(json, "extra_params", params))
        return -ENOMEM;
    for (size_t i = 0; i < row->n_extra_params; i++)
        if (json_array_append_new(params, json_text_or_null(row->extra_params[i])))
            return -ENOMEM;
    return 0;
}

static int put_features(json_t *json, const Row *row)
{
    if (!row->n_features)
        return 0;
    json_t *features = json_object();
    if (json_put(json, "features", features))
        return -ENOMEM;
    for (size_t i = 0; i < row->n_features; i++) {
        const RowFeature *feature = &row->features[i];
        json_t *pooled = json_object();
        if (json_put(features, feature->name, pooled) ||
            json_put(pooled, "min", json_number_or_null(feature->min)) ||
            json_put(pooled, "max", json_number_or_null(feature->max)) ||
            json_put(pooled, "mean", json_number_or_null(feature->mean)) ||
            json_put(pooled, "harmonic_mean", json_number_or_null(feature->harmonic_mean)) ||
            json_put(pooled, "std", json_number_or_null(feature->std)))
            return -ENOMEM;
    }
    return 0;
}

json_t *row_to_json(const Row *row)
{
    json_t *json = json_object();
    if (!json)
        return NULL;
    if ((row->unknown && json_object_update(json, row->unknown)) || put_fields(json, row) ||
        put_extra_params(json, row) || put_features(json, row)) {
        json_decref(json);
        return NULL;
    }
    return json;
}

/* -- from JSON -- */

static int reject(Message *message, const char *key, const char *wanted)
{
    return message_set(message, -EINVAL, "%.60s: expected %s", key, wanted);
}

static int integer_from_json(int64_t *member, const json_t *value)
{
    if (json_is_integer(value)) {
        *member = json_integer_value(value);
        return *member == ROW_NO_INTEGER ? -EINVAL : 0;
    }
    const double real = json_real_value(value);
    if (!json_is_real(value) || rint(real) != real || fabs(real) > 9e15)
        return -EINVAL;
    *member = (int64_t)real;
    return 0;
}

static int value_from_json(Row *row, const RowField *field, const json_t *value, Message *message)
{
    void *member = row_member(row, field);
    if (json_is_null(value))
        return 0;
    switch (field->kind) {
    case FIELD_TEXT:
        if (!json_is_string(value))
            return reject(message, field->key, "a text");
        return row_set_text(member, json_string_value(value));
    case FIELD_INTEGER:
        if (integer_from_json(member, value))
            return reject(message, field->key, "an integer");
        return 0;
    case FIELD_NUMBER:
    case FIELD_QUALITY:
        if (!json_is_number(value))
            return reject(message, field->key, "a number");
        *(double *)member = json_number_value(value);
        return 0;
    case FIELD_FLAG:
        if (!json_is_boolean(value))
            return reject(message, field->key, "true or false");
        *(int *)member = json_is_true(value) ? ROW_FLAG_YES : ROW_FLAG_NO;
    }
    return 0;
}

static int extra_params_from_json(Row *row, const json_t *params, Message *message)
{
    size_t i;
    json_t *param;
    if (json_is_null(params))
        return 0;
    if (!json_is_array(params))
        return reject(message, "extra_params", "an array of texts");
    json_array_foreach(params, i, param)
    {
        if (!json_is_string(param))
            return reject(message, "extra_params", "an array of texts");
        if (row_add_extra_param(row, json_string_value(param)))
            return -ENOMEM;
    }
    return 0;
}

static int features_from_json(Row *row, json_t *features, Message *message)
{
    const char *name;
    json_t *pooled;
    if (json_is_null(features))
        return 0;
    if (!json_is_object(features))
        return reject(message, "features", "an object");
    json_object_foreach(features, name, pooled)
    {
        if (!json_is_object(pooled))
            return reject(message, "features", "an object for each feature");
        const RowFeature feature = {
            .name = (char *)name,
            .min = json_number_of(pooled, "min"),
            .max = json_number_of(pooled, "max"),
            .mean = json_number_of(pooled, "mean"),
            .harmonic_mean = json_number_of(pooled, "harmonic_mean"),
            .std = json_number_of(pooled, "std"),
        };
        if (row_add_feature(row, &feature))
            return -ENOMEM;
    }
    return 0;
}

/* The field that a key stands for in this object: a key by its own name wins over an alias. */
static const RowField *field_of_key(const json_t *json, const char *key)
{
    const RowField *field = row_field(key);
    if (field)
        return field;
    for (size_t i = 0; i < n_row_fields; i++) {
        const RowField *other = &row_fields[i];
        for (size_t k = 0; k < 2 && other->aliases[k]; k++) {
            const bool is_first = !k || !json_object_get(json, other->aliases[0]);
            if (!strcmp(other->aliases[k], key))
                return is_first && !json_object_get(json, other->key) ? other : NULL;
        }
    }
    return NULL;
}

static int keep_unknown(Row *row, const char *key, json_t *value)
{
    if (!row->unknown)
        row->unknown = json_object();
    return row->unknown ? json_put(row->unknown, key, json_incref(value)) : -ENOMEM;
}

static int key_from_json(Row *row, const json_t *json, const char *key, json_t *value,
                         Message *message)
{
    if (!strcmp(key, "extra_params"))
        return extra_params_from_json(row, value, message);
    if (!strcmp(key, "features"))
        return features_from_json(row, value, message);
    const RowField *field = field_of_key(json, key);
    return field ? value_from_json(row, field, value, message) : keep_unknown(row, key, value);
}

static int check_schema(const Row *row, Message *message)
{
    const int64_t schema = row->schema_version;
    if (schema == ROW_NO_INTEGER || (schema >= 1 && schema <= ROW_SCHEMA))
        return 0;
    return message_set(message, -EINVAL, "schema_version %lld is not one of 1 to %d",
                       (long long)schema, ROW_SCHEMA);
}

int row_from_json(Row *row, const json_t *json, Message *message)
{
    const char *key;
    json_t *value;
    int err = 0;
    row_init(row);
    row->schema_version = ROW_NO_INTEGER;
    if (!json_is_object(json))
        return message_set(message, -EINVAL, "expected an object");
    /* Jansson iterates over what could be changed only. */
    json_object_foreach((json_t *)json, key, value)
    {
        err = key_from_json(row, json, key, value, message);
        if (err)
            break;
    }
    if (!err)
        err = check_schema(row, message);
    if (err == -ENOMEM)
        message_set(message, err, "out of memory");
    if (err)
        row_free(row);
    return err;
}
