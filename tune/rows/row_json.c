/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/rows/row.h"

#include "tune/rows/json_document.h"
#include "tune/rows/row_fields.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* -- to JSON -- */

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

static int put_interval(json_t *json, const Row *row)
{
    if (isnan(row->vmaf_interval_low) && isnan(row->vmaf_interval_high))
        return 0;
    json_t *interval = json_object();
    if (json_put(json, "vmaf_interval", interval) ||
        json_put(interval, "low", json_number_or_null(row->vmaf_interval_low)) ||
        json_put(interval, "high", json_number_or_null(row->vmaf_interval_high)))
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
        put_extra_params(json, row) || put_interval(json, row) || put_features(json, row)) {
        json_decref(json);
        return NULL;
    }
    return json;
}

/* -- from JSON -- */

static int refuse(Message *message, const char *key, const char *wanted)
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
            return refuse(message, field->key, "a text");
        return row_set_text(member, json_string_value(value));
    case FIELD_INTEGER:
        if (integer_from_json(member, value))
            return refuse(message, field->key, "an integer");
        return 0;
    case FIELD_NUMBER:
        if (!json_is_number(value))
            return refuse(message, field->key, "a number");
        *(double *)member = json_number_value(value);
        return 0;
    case FIELD_FLAG:
        if (!json_is_boolean(value))
            return refuse(message, field->key, "true or false");
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
        return refuse(message, "extra_params", "an array of texts");
    json_array_foreach(params, i, param)
    {
        if (!json_is_string(param))
            return refuse(message, "extra_params", "an array of texts");
        if (row_add_extra_param(row, json_string_value(param)))
            return -ENOMEM;
    }
    return 0;
}

static int interval_from_json(Row *row, const json_t *interval, Message *message)
{
    if (json_is_null(interval))
        return 0;
    if (!json_is_object(interval))
        return refuse(message, "vmaf_interval", "an object with low and high");
    row->vmaf_interval_low = json_number_of(interval, "low");
    row->vmaf_interval_high = json_number_of(interval, "high");
    if (isnan(row->vmaf_interval_low) != isnan(row->vmaf_interval_high))
        return refuse(message, "vmaf_interval", "both low and high");
    return 0;
}

static int features_from_json(Row *row, json_t *features, Message *message)
{
    const char *name;
    json_t *pooled;
    if (json_is_null(features))
        return 0;
    if (!json_is_object(features))
        return refuse(message, "features", "an object");
    json_object_foreach(features, name, pooled)
    {
        if (!json_is_object(pooled))
            return refuse(message, "features", "an object for each feature");
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
    if (!strcmp(key, "vmaf_interval"))
        return interval_from_json(row, value, message);
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
