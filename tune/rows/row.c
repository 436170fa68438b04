/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/rows/row.h"

#include "platform/machine.h"
#include "platform/time.h"
#include "tune/rows/row_fields.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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
        *(double *)member = NAN;
        break;
    case FIELD_FLAG:
        *(int *)member = ROW_FLAG_MISSING;
        break;
    }
}

static void make_empty(Row *row)
{
    *row = (Row){.vmaf_interval_low = NAN, .vmaf_interval_high = NAN};
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

const char *row_source(const Row *row)
{
    if (row->src_sha256 && *row->src_sha256)
        return row->src_sha256;
    return row->src ? row->src : "";
}

static bool feature_mean(const Row *row, const char *name, double *number)
{
    static const char prefix[] = "integer_";
    const size_t length = sizeof(prefix) - 1;
    for (size_t i = 0; i < row->n_features; i++) {
        const char *has = row->features[i].name;
        if (!strcmp(has, name) || (!strncmp(has, prefix, length) && !strcmp(has + length, name)) ||
            (!strncmp(name, prefix, length) && !strcmp(name + length, has))) {
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
    if (field->kind == FIELD_NUMBER) {
        *number = *(const double *)row_value(row, field);
        return true;
    }
    if (field->kind != FIELD_INTEGER)
        return false;
    const int64_t value = *(const int64_t *)row_value(row, field);
    *number = value == ROW_NO_INTEGER ? NAN : (double)value;
    return true;
}
