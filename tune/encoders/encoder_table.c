/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "common/json.h"
#include "common/messages.h"
#include "platform/file.h"
#include "tune/encoders/arguments.h"
#include "tune/encoders/encoder.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The text of encoders.json, made by embed.cmake. */
extern const char encoders_builtin_table[];

enum { FORMAT = 1, FILE_MAX = 1 << 20, Q_MAX = 10000 };

/* A row that is read; the first error stays. */
typedef struct RowReader {
    const char *file, *name;
    int err;
    Message *message;
} RowReader;

static void fail(RowReader *reader, const char *key, const char *what)
{
    if (!reader->err)
        reader->err = message_set(reader->message, -EINVAL, "%s: %s: \"%s\" %s", reader->file,
                                  reader->name, key, what);
}

/* ---- Columns ---- */

/* A row that is read: the encoder, and words that say something of it. */
typedef struct Row {
    Encoder encoder;
    const char *better, *passes;
    const json_t *first_probes;
} Row;

typedef enum ColumnKind { TEXT, TEXTS, NAMED_TEXTS, INTEGER, INTEGERS, FLAG } ColumnKind;

typedef enum ColumnNeed {
    OPTIONAL,
    WITHIN, /* needed where the row has the object that it is in */
    ALWAYS,
} ColumnNeed;

/* All that a row may have; what is behind a point is in an object of that name. */
typedef struct Column {
    const char *key;
    ColumnKind kind;
    ColumnNeed need;
    size_t at;
} Column;

#define AT(member)    offsetof(Row, encoder.member)
#define LISTS(member) offsetof(Row, encoder.templates.member)
static const Column columns[] = {
    {"name", TEXT, ALWAYS, AT(name)},
    {"short_name", TEXT, OPTIONAL, AT(short_name)},
    {"codec", TEXT, ALWAYS, AT(codec)},
    {"row_version", TEXT, ALWAYS, AT(row_version)},
    {"installed_by", TEXT, ALWAYS, AT(installed_by)},
    {"parameters_option", TEXT, OPTIONAL, AT(parameters_option)},
    {"pixel_format", TEXT, OPTIONAL, AT(pixel_format)},
    {"upload", TEXT, OPTIONAL, AT(upload_formats)},
    {"hardware", FLAG, OPTIONAL, AT(is_hardware)},
    {"knob.name", TEXT, ALWAYS, AT(quality_name)},
    {"knob.lowest", INTEGER, ALWAYS, AT(qualities.lowest)},
    {"knob.highest", INTEGER, ALWAYS, AT(qualities.highest)},
    {"knob.default", INTEGER, ALWAYS, AT(default_q)},
    {"knob.steps", INTEGER, OPTIONAL, AT(steps)},
    {"knob.better", TEXT, ALWAYS, offsetof(Row, better)},
    {"knob.first_probes", INTEGERS, OPTIONAL, offsetof(Row, first_probes)},
    {"knob.values", TEXTS, OPTIONAL, AT(value_names)},
    {"presets", NAMED_TEXTS, ALWAYS, AT(presets)},
    {"own_presets", TEXTS, OPTIONAL, AT(own_presets)},
    {"default_preset", TEXT, OPTIONAL, AT(default_preset)},
    {"probe.preset", TEXT, WITHIN, AT(probe_preset)},
    {"probe.q", INTEGER, WITHIN, AT(probe_q)},
    {"arguments", TEXTS, ALWAYS, LISTS(arguments)},
    {"quality", TEXTS, ALWAYS, LISTS(quality)},
    {"fraction", TEXTS, OPTIONAL, LISTS(fraction)},
    {"bitrate", TEXTS, OPTIONAL, LISTS(bitrate)},
    {"forced_keyframes", TEXTS, OPTIONAL, LISTS(forced_keys)},
    {"variable_rate", TEXTS, OPTIONAL, LISTS(variable_rate)},
    {"film_grain", TEXTS, OPTIONAL, LISTS(film_grain)},
    {"two_pass.kind", TEXT, WITHIN, offsetof(Row, passes)},
    {"two_pass.first", TEXTS, WITHIN, LISTS(first_pass)},
    {"two_pass.second", TEXTS, WITHIN, LISTS(second_pass)},
    {"stats.arguments", TEXTS, WITHIN, LISTS(stats)},
    {"stats.file", TEXT, WITHIN, AT(stats_file)},
    {"hdr.arguments", TEXTS, WITHIN, LISTS(hdr)},
    {"hdr.pq", TEXTS, OPTIONAL, LISTS(hdr_pq)},
    {"hdr.mastering_display", TEXTS, OPTIONAL, LISTS(hdr_mastering)},
    {"hdr.content_light", TEXTS, OPTIONAL, LISTS(hdr_light)},
    {"hdr.pixel_format", TEXT, OPTIONAL, AT(hdr_pixel_format)},
    {"version.behind", TEXTS, WITHIN, AT(version_patterns)},
    {"version.prefix", TEXT, WITHIN, AT(version_prefix)},
};

enum { N_COLUMNS = sizeof columns / sizeof *columns };

static const char *const what_it_is_not[] = {
    [TEXT] = "is not a text",
    [TEXTS] = "is not a list of texts",
    [NAMED_TEXTS] = "is not an object of texts",
    [INTEGER] = "is not an integer from 0 to 10000",
    [INTEGERS] = "is not a list of two integers from 0 to 10000",
    [FLAG] = "is neither true nor false",
};

static const json_t *member(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_null(value) ? NULL : value;
}

/* Unknown keys, and objects that are something else. */
static void check_keys(RowReader *reader, const json_t *object, const char *path)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)object, key, value)
    {
        char whole[64];
        bool is_known = false, is_object = false;
        const int length = snprintf(whole, sizeof whole, "%s%s", path, key);
        for (size_t i = 0; i < N_COLUMNS && length < (int)sizeof whole; i++) {
            const char *rest = columns[i].key + length;
            const bool begins = !strncmp(columns[i].key, whole, (size_t)length);
            is_known |= begins && !*rest;
            is_object |= begins && *rest == '.';
        }
        if (!is_known && !is_object)
            fail(reader, whole, "is not a key of the table of encoders");
        else if (is_object && json_is_object(value))
            check_keys(reader, value, strcat(whole, "."));
        else if (is_object && !json_is_null(value))
            fail(reader, whole, "is not an object");
    }
}

static bool is_q(const json_t *value)
{
    const json_int_t q = json_integer_value(value);
    return json_is_integer(value) && q >= 0 && q <= Q_MAX;
}

static bool is_of_kind(const json_t *value, ColumnKind kind)
{
    const char *key;
    json_t *item;
    size_t i;
    bool is = true;
    switch (kind) {
    case TEXT:
        return json_is_string(value) && *json_string_value(value);
    case TEXTS:
        json_array_foreach(value, i, item) is = is && json_is_string(item);
        return is && json_array_size(value) > 0;
    case NAMED_TEXTS:
        json_object_foreach((json_t *)value, key, item) is = is && json_is_string(item);
        return is && json_object_size(value) > 0;
    case INTEGER:
        return is_q(value);
    case INTEGERS:
        return json_array_size(value) == 2 && is_q(json_array_get(value, 0)) &&
               is_q(json_array_get(value, 1));
    case FLAG:
        return json_is_boolean(value);
    }
    return false;
}

static void check_template(RowReader *reader, const char *key, const json_t *value)
{
    size_t length;
    char what[256];
    const char *text = json_string_value(value),
               *unknown = text ? template_find_unknown(text, &length) : NULL;
    if (!unknown)
        return;
    snprintf(what, sizeof what, "has %.*s, which stands for nothing", (int)length, unknown);
    fail(reader, key, what);
}

static void read_column(RowReader *reader, const json_t *row, const Column *column, Row *into)
{
    const char *dot = strchr(column->key, '.'), *key = dot ? dot + 1 : column->key;
    char outer[16] = "";
    if (dot)
        snprintf(outer, sizeof outer, "%.*s", (int)(dot - column->key), column->key);
    const json_t *object = dot ? member(row, outer) : row, *value = member(object, key), *item;
    void *place = (char *)into + column->at;
    size_t i;
    if (!value && (column->need == OPTIONAL || (column->need == WITHIN && !object)))
        return;
    if (!is_of_kind(value, column->kind)) {
        fail(reader, column->key, what_it_is_not[column->kind]);
        return;
    }
    check_template(reader, column->key, value);
    json_array_foreach(value, i, item) check_template(reader, column->key, item);
    if (column->kind == TEXT)
        *(const char **)place = json_string_value(value);
    else if (column->kind == INTEGER)
        *(int *)place = (int)json_integer_value(value);
    else if (column->kind == FLAG)
        *(bool *)place = json_is_true(value);
    else
        *(const json_t **)place = value;
}

/* ---- What columns are together ---- */

/* One of two words. */
static bool is_second(RowReader *reader, const char *key, const char *word, const char *const of[2])
{
    char what[64];
    snprintf(what, sizeof what, "is neither \"%s\" nor \"%s\"", of[0], of[1]);
    if (strcmp(word, of[0]) != 0 && strcmp(word, of[1]) != 0)
        fail(reader, key, what);
    return !strcmp(word, of[1]);
}

static bool is_within(int value, const QualityRange *range)
{
    return value >= range->lowest && value <= range->highest;
}

static void complete_quality(RowReader *reader, Row *row)
{
    static const char *const ways[] = {"low", "high"};
    Encoder *encoder = &row->encoder;
    QualityRange *range = &encoder->qualities, *first = &encoder->first_probes;
    range->higher_is_better = is_second(reader, "knob.better", row->better, ways);
    *first = *range;
    if (row->first_probes) {
        first->lowest = (int)json_integer_value(json_array_get(row->first_probes, 0));
        first->highest = (int)json_integer_value(json_array_get(row->first_probes, 1));
    }
    if (encoder->steps < 1 || encoder->steps > 10)
        fail(reader, "knob.steps", "is not from 1 to 10");
    if (range->lowest >= range->highest)
        fail(reader, "knob", "has no range");
    else if (first->lowest > first->highest || !is_within(first->lowest, range) ||
             !is_within(first->highest, range))
        fail(reader, "knob.first_probes", "is not within the range");
    else if (!is_within(encoder->default_q, range))
        fail(reader, "knob.default", "is not within the range");
    else if (encoder->value_names &&
             json_array_size(encoder->value_names) != (size_t)quality_last_index(range) + 1)
        fail(reader, "knob.values", "is not a list of as many texts as the knob has values");
}

/* The preset in the middle, unless there is one for it. */
static const char *middle_preset(const json_t *presets)
{
    const char *key;
    json_t *value;
    size_t n = 0;
    if (json_object_get(presets, "medium"))
        return "medium";
    json_object_foreach((json_t *)presets, key, value)
    {
        if (n++ == json_object_size(presets) / 2)
            break;
    }
    return key;
}

static void complete_presets(RowReader *reader, Encoder *encoder)
{
    if (!encoder->default_preset)
        encoder->default_preset = middle_preset(encoder->presets);
    if (!json_object_get(encoder->presets, encoder->default_preset))
        fail(reader, "default_preset", "is not one of the presets");
    if (encoder->probe_preset && !json_object_get(encoder->presets, encoder->probe_preset))
        fail(reader, "probe", "names none of the presets");
    else if (encoder->probe_preset && !is_within(encoder->probe_q, &encoder->qualities))
        fail(reader, "probe", "is not within the range of the knob");
}

static void complete_passes(RowReader *reader, Row *row)
{
    static const char *const kinds[] = {"native", "anchored"};
    Encoder *encoder = &row->encoder;
    if (!row->passes)
        return;
    encoder->two_pass = is_second(reader, "two_pass.kind", row->passes, kinds) ? TWO_PASS_ANCHORED
                                                                               : TWO_PASS_NATIVE;
    if (encoder->two_pass == TWO_PASS_ANCHORED &&
        (!encoder->stats_file || !encoder->templates.bitrate))
        fail(reader, "two_pass", "is anchored: it needs \"stats\" and \"bitrate\"");
}

static int read_row(RowReader *reader, const json_t *json, Encoder *encoder)
{
    Row row = {.encoder = {.steps = 1}};
    check_keys(reader, json, "");
    for (size_t i = 0; i < N_COLUMNS; i++)
        read_column(reader, json, &columns[i], &row);
    if (!reader->err) {
        complete_quality(reader, &row);
        complete_presets(reader, &row.encoder);
        complete_passes(reader, &row);
    }
    *encoder = row.encoder;
    encoder->stats = encoder->stats_file ? ENCODER_STATS_FRAMES : ENCODER_STATS_NONE;
    encoder->hdr_known = encoder->templates.hdr != NULL;
    return reader->err;
}

/* ---- Tables ---- */

/* The place of the row of that name; if there is none, behind the last one. */
static size_t place_of(const json_t *rows, const char *name)
{
    size_t i;
    json_t *row;
    json_array_foreach(rows, i, row)
    {
        if (!strcmp(json_string_value(json_object_get(row, "name")), name))
            break;
    }
    return i;
}

/* The row as if it said all that the one which it is like says; a new object, NULL without memory
 * or if there is none. */
static json_t *complete_row(RowReader *reader, const json_t *rows, const json_t *row)
{
    const json_t *like = member(row, "like");
    if (!like)
        return json_deep_copy(row);
    const char *name = json_string_value(like);
    const json_t *base = name ? json_array_get(rows, place_of(rows, name)) : NULL;
    if (!base) {
        fail(reader, "like", "is not the name of a row above");
        return NULL;
    }
    json_t *whole = json_deep_copy(base);
    json_object_del(whole, "short_name");
    const int err = json_object_update(whole, (json_t *)row);
    json_object_del(whole, "like");
    return json_unless(err, whole);
}

static int add_rows(json_t *rows, const json_t *table, const char *file, Message *message)
{
    const json_t *more = member(table, "encoders");
    size_t i;
    json_t *row;
    if (json_integer_value(member(table, "format")) != FORMAT || !json_is_array(more))
        return message_set(message, -EINVAL,
                           "%s: not a table of encoders: {\"format\": 1, \"encoders\": [...]}",
                           file);
    json_array_foreach(more, i, row)
    {
        const char *name = json_text_of(row, "name");
        RowReader reader = {file, name ? name : "?", 0, message};
        if (!name || !*name)
            fail(&reader, "name", "is not a text");
        json_t *whole = reader.err ? NULL : complete_row(&reader, rows, row);
        if (reader.err)
            return reader.err;
        const size_t place = place_of(rows, name);
        if (place < json_array_size(rows) ? json_array_set_new(rows, place, whole)
                                          : json_array_append_new(rows, whole))
            return message_set(message, -ENOMEM, "%s: out of memory", file);
    }
    return 0;
}

static int add_text(json_t *rows, const char *text, size_t size, const char *file, Message *message)
{
    json_error_t error;
    json_t *table = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
    if (!table)
        return message_set(message, -EINVAL, "%s:%d: %s", file, error.line, error.text);
    const int err = add_rows(rows, table, file, message);
    json_decref(table);
    return err;
}

int encoder_table_open(EncoderTable *table, const char *file, Message *message)
{
    const char *name = "encoders.json";
    char *text = NULL;
    size_t size = 0;
    *table = (EncoderTable){.rows = json_array()};
    int err = add_text(table->rows, encoders_builtin_table, strlen(encoders_builtin_table), name,
                       message);
    if (!err && file) {
        name = file;
        err = vmaf_file_load(file, FILE_MAX, &text, &size);
        err = err ? message_set(message, err, "%s: %s", file, strerror(-err))
                  : add_text(table->rows, text, size, file, message);
        free(text);
    }
    const size_t n = json_array_size(table->rows);
    table->encoders = calloc(n + 1, sizeof(Encoder));
    if (!err && !table->encoders)
        err = message_set(message, -ENOMEM, "out of memory");
    for (size_t i = 0; i < n && !err; i++) {
        const json_t *row = json_array_get(table->rows, i);
        RowReader reader = {name, json_text_of(row, "name"), 0, message};
        err = read_row(&reader, row, &table->encoders[table->n++]);
    }
    if (err)
        encoder_table_close(table);
    return err;
}

void encoder_table_close(EncoderTable *table)
{
    free(table->encoders);
    json_decref(table->rows);
    *table = (EncoderTable){0};
}

/* Is that what people call it? */
static bool is_called(const Encoder *encoder, const char *name)
{
    static const char prefix[] = "lib";
    const size_t length = strlen(prefix);
    if (!strcmp(encoder->name, name) || (encoder->short_name && !strcmp(encoder->short_name, name)))
        return true;
    return !strncmp(encoder->name, prefix, length) && !strcmp(encoder->name + length, name);
}

const Encoder *encoder_find(const EncoderTable *table, const char *name, Message *message)
{
    Suggestion suggestion = {.wanted = name};
    for (size_t i = 0; i < table->n; i++) {
        if (is_called(&table->encoders[i], name))
            return &table->encoders[i];
        suggestion_offer(&suggestion, table->encoders[i].name);
    }
    const char *meant = suggestion_result(&suggestion);
    message_set(message, -EINVAL, "unknown encoder '%s'%s%s%s", name,
                meant ? "; did you mean '" : "", meant ? meant : "", meant ? "'?" : "");
    return NULL;
}

/* The encoder's own word; NULL: it is none. */
static const char *find_own_preset(const Encoder *encoder, const char *word)
{
    const char *name;
    json_t *value;
    size_t i;
    json_array_foreach(encoder->own_presets, i, value)
    {
        if (!strcmp(json_string_value(value), word))
            return json_string_value(value);
    }
    json_object_foreach((json_t *)encoder->presets, name, value)
    {
        if (!strcmp(json_string_value(value), word))
            return json_string_value(value);
    }
    return NULL;
}

static void add_known(Message *known, const char *name)
{
    const size_t end = strlen(known->text);
    snprintf(known->text + end, sizeof known->text - end, "%s%s", end ? ", " : "", name);
}

const char *encoder_find_preset(const Encoder *encoder, const char *name, Message *message)
{
    if (!name)
        name = encoder->default_preset;
    const char *value = json_string_value(json_object_get(encoder->presets, name)), *known;
    if (!value)
        value = find_own_preset(encoder, name);
    if (value)
        return value;
    Message all = {""};
    json_t *item;
    size_t i;
    json_object_foreach((json_t *)encoder->presets, known, item) add_known(&all, known);
    json_array_foreach(encoder->own_presets, i, item) add_known(&all, json_string_value(item));
    message_set(message, -EINVAL, "%s has no preset '%s'; it has %s", encoder->name, name,
                all.text);
    return NULL;
}

/* ---- Arguments ---- */

void encoder_add(const Encoder *encoder, const json_t *templates, const ArgumentList *values,
                 ArgumentList *list)
{
    const char *option = encoder->parameters_option, *before = "";
    const json_t *item;
    size_t i;
    json_array_foreach(templates, i, item)
    {
        const bool is_parameters = option && !strcmp(before, option);
        before = json_string_value(item);
        template_add(list, before, values, is_parameters);
    }
}

int encoder_values(const Encoder *encoder, const char *preset, double q, ArgumentList *values,
                   Message *message)
{
    const char *value = encoder_find_preset(encoder, preset, message);
    const size_t place = (size_t)(q - encoder->qualities.lowest);
    const char *name = json_string_value(json_array_get(encoder->value_names, place));
    if (!value)
        return -EINVAL;
    arguments_print(values, "encoder=%s", encoder->name);
    arguments_print(values, "preset=%s", value);
    arguments_print(values, "q=%g", q);
    if (name)
        arguments_print(values, "value=%s", name);
    return 0;
}

const json_t *encoder_quality_templates(const Encoder *encoder, double q)
{
    const EncoderTemplates *templates = &encoder->templates;
    return templates->fraction && !quality_is_step(q, 1) ? templates->fraction : templates->quality;
}
