/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "common/json.h"
#include "common/messages.h"
#include "platform/file.h"
#include "tune/encode/arguments.h"
#include "tune/encode/encoder.h"

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

/* ---- A row ---- */

/* All that a row may have; what has a question mark may be missing. Lists are read when they are
 * used. */
static int unpack(const json_t *json, Encoder *encoder, json_error_t *error)
{
    const json_t *list;
    const char *word;
    int is_hardware = false;
    const int err = json_unpack_ex(
        (json_t *)json, error, 0,
        "{s:s, s?s, s:s, s:s, s:s, s?b, s?s, s?s, s?s,"
        " s:{s:s, s:i, s:i, s:i, s?i, s:s, s?o, s?o !},"
        " s:o, s?o, s?s, s?{s:s, s:i !},"
        " s:o, s:o, s?o, s?o, s?o, s?o, s?o,"
        " s?{s:s, s:o, s:o !}, s?{s:o, s:s !}, s?{s:o, s?o, s?o, s?o, s?s !}, s?{s:o, s:s !} !}",
        "name", &encoder->name, "short_name", &encoder->short_name, "codec", &encoder->codec,
        "row_version", &encoder->row_version, "installed_by", &encoder->installed_by, "hardware",
        &is_hardware, "parameters_option", &encoder->parameters_option, "upload",
        &encoder->upload_formats, "pixel_format", &encoder->pixel_format, "knob", "name",
        &encoder->quality_name, "lowest", &encoder->qualities.lowest, "highest",
        &encoder->qualities.highest, "default", &encoder->default_q, "steps", &encoder->steps,
        "better", &word, "first_probes", &list, "values", &encoder->value_names, "presets",
        &encoder->presets, "own_presets", &encoder->own_presets, "default_preset",
        &encoder->default_preset, "probe", "preset", &encoder->probe_preset, "q", &encoder->probe_q,
        "arguments", &list, "quality", &list, "fraction", &list, "bitrate", &list,
        "forced_keyframes", &list, "variable_rate", &list, "film_grain", &list, "two_pass", "kind",
        &word, "first", &list, "second", &list, "stats", "arguments", &list, "file",
        &encoder->stats_file, "hdr", "arguments", &list, "pq", &list, "mastering_display", &list,
        "content_light", &list, "pixel_format", &encoder->hdr_pixel_format, "version", "behind",
        &encoder->version_patterns, "prefix", &encoder->version_prefix);
    encoder->is_hardware = is_hardware;
    return err;
}

static void check_template(RowReader *reader, const char *key, const char *text)
{
    size_t length;
    char what[256];
    const char *unknown = template_find_unknown(text, &length);
    if (!unknown)
        return;
    snprintf(what, sizeof what, "has %.*s, which stands for nothing", (int)length, unknown);
    fail(reader, key, what);
}

/* Lists of texts, which may have placeholders. */
static void check_texts(RowReader *reader, const Encoder *encoder)
{
    static const char *const keys[] = {
        "knob.values",      "own_presets",   "version.behind", "arguments",
        "quality",          "fraction",      "bitrate",        "forced_keyframes",
        "variable_rate",    "film_grain",    "two_pass.first", "two_pass.second",
        "stats.arguments",  "hdr.arguments", "hdr.pq",         "hdr.mastering_display",
        "hdr.content_light"};
    const json_t *item;
    size_t i;
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        const json_t *list = encoder_arguments(encoder, keys[k]);
        bool are_texts = !list || json_array_size(list) > 0;
        json_array_foreach(list, i, item)
        {
            are_texts &= json_is_string(item);
            if (are_texts)
                check_template(reader, keys[k], json_string_value(item));
        }
        if (!are_texts)
            fail(reader, keys[k], "is not a list of texts");
    }
    if (encoder->stats_file)
        check_template(reader, "stats.file", encoder->stats_file);
}

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

static void complete_quality(RowReader *reader, Encoder *encoder)
{
    static const char *const ways[] = {"low", "high"};
    const json_t *probes = encoder_arguments(encoder, "knob.first_probes");
    QualityRange *range = &encoder->qualities, *first = &encoder->first_probes;
    range->higher_is_better = is_second(
        reader, "better", json_string_value(encoder_arguments(encoder, "knob.better")), ways);
    *first = *range;
    if (probes && json_unpack((json_t *)probes, "[i, i !]", &first->lowest, &first->highest))
        fail(reader, "first_probes", "is not a list of two integers");
    if (encoder->steps < 1 || encoder->steps > 10)
        fail(reader, "steps", "is not from 1 to 10");
    if (range->lowest < 0 || range->lowest >= range->highest || range->highest > Q_MAX)
        fail(reader, "knob", "has no range within 0 to 10000");
    else if (first->lowest > first->highest || !is_within(first->lowest, range) ||
             !is_within(first->highest, range))
        fail(reader, "first_probes", "is not within the range");
    else if (!is_within(encoder->default_q, range))
        fail(reader, "default", "is not within the range");
    else if (encoder->value_names &&
             json_array_size(encoder->value_names) != (size_t)quality_last_index(range) + 1)
        fail(reader, "values", "is not a list of as many texts as the knob has values");
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
    const char *key;
    json_t *value;
    bool are_texts = json_object_size(encoder->presets) > 0;
    json_object_foreach((json_t *)encoder->presets, key, value) are_texts &= json_is_string(value);
    if (!are_texts) {
        fail(reader, "presets", "is not an object of texts");
        return;
    }
    if (!encoder->default_preset)
        encoder->default_preset = middle_preset(encoder->presets);
    if (!json_object_get(encoder->presets, encoder->default_preset))
        fail(reader, "default_preset", "is not one of the presets");
    if (encoder->probe_preset && !json_object_get(encoder->presets, encoder->probe_preset))
        fail(reader, "probe", "names none of the presets");
    else if (encoder->probe_preset && !is_within(encoder->probe_q, &encoder->qualities))
        fail(reader, "probe", "is not within the range of the knob");
}

static void complete_passes(RowReader *reader, Encoder *encoder)
{
    static const char *const kinds[] = {"native", "anchored"};
    const char *kind = json_string_value(encoder_arguments(encoder, "two_pass.kind"));
    if (!kind)
        return;
    encoder->two_pass =
        is_second(reader, "kind", kind, kinds) ? TWO_PASS_ANCHORED : TWO_PASS_NATIVE;
    if (encoder->two_pass == TWO_PASS_ANCHORED &&
        (!encoder->stats_file || !encoder_arguments(encoder, "bitrate")))
        fail(reader, "two_pass", "is anchored: it needs \"stats\" and \"bitrate\"");
}

static int read_row(RowReader *reader, const json_t *json, Encoder *encoder)
{
    json_error_t error;
    *encoder = (Encoder){.steps = 1, .row = json};
    if (unpack(json, encoder, &error))
        return message_set(reader->message, -EINVAL, "%s: %s: %s", reader->file, reader->name,
                           error.text);
    check_texts(reader, encoder);
    if (!reader->err) {
        complete_quality(reader, encoder);
        complete_presets(reader, encoder);
        complete_passes(reader, encoder);
    }
    encoder->hdr_known = json_object_get(json, "hdr") != NULL;
    return reader->err;
}

/* ---- Tables ---- */

/* The row as if it said all that the one which it is like says, without what is null; a new object,
 * NULL without memory or if there is none. */
static json_t *complete_row(RowReader *reader, const json_t *rows, const json_t *row)
{
    json_t *whole = json_object(), *value;
    const char *name = json_text_of(row, "like"), *key;
    void *next;
    if (name)
        json_object_update(whole, json_object_get(rows, name));
    json_object_del(whole, "short_name");
    if (json_object_get(row, "like") && json_object_size(whole) == 0)
        fail(reader, "like", "is not the name of a row above");
    json_object_update(whole, (json_t *)row);
    json_object_del(whole, "like");
    json_object_foreach_safe(whole, next, key, value)
    {
        if (json_is_null(value))
            json_object_del(whole, key);
    }
    return whole;
}

static int add_rows(json_t *rows, const json_t *table, const char *file, Message *message)
{
    const json_t *more = json_object_get(table, "encoders");
    size_t i;
    json_t *row;
    if (json_number_of(table, "format") != FORMAT || !json_is_array(more))
        return message_set(message, -EINVAL,
                           "%s: not a table of encoders: {\"format\": 1, \"encoders\": [...]}",
                           file);
    json_array_foreach(more, i, row)
    {
        const char *name = json_text_of(row, "name");
        RowReader reader = {file, name ? name : "?", 0, message};
        if (!name || !*name)
            fail(&reader, "name", "is not a text");
        json_t *whole = complete_row(&reader, rows, row);
        if (reader.err) {
            json_decref(whole);
            return reader.err;
        }
        if (json_object_set_new(rows, name, whole))
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
    const char *from = "encoders.json", *name;
    char *text = NULL;
    size_t size = 0;
    json_t *row;
    *table = (EncoderTable){.rows = json_object()};
    int err = add_text(table->rows, encoders_builtin_table, strlen(encoders_builtin_table), from,
                       message);
    if (!err && file) {
        from = file;
        err = vmaf_file_load(file, FILE_MAX, &text, &size);
        err = err ? message_set(message, err, "%s: %s", file, strerror(-err))
                  : add_text(table->rows, text, size, file, message);
        free(text);
    }
    table->encoders = calloc(json_object_size(table->rows) + 1, sizeof(Encoder));
    if (!err && !table->encoders)
        err = message_set(message, -ENOMEM, "out of memory");
    json_object_foreach(table->rows, name, row)
    {
        RowReader reader = {from, name, err, message};
        err = err ? err : read_row(&reader, row, &table->encoders[table->n++]);
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

const json_t *encoder_arguments(const Encoder *encoder, const char *key)
{
    char object[16];
    const size_t length = strcspn(key, ".");
    if (!key[length])
        return json_object_get(encoder->row, key);
    snprintf(object, sizeof object, "%.*s", (int)length, key);
    return json_object_get(json_object_get(encoder->row, object), key + length + 1);
}

void encoder_add(const Encoder *encoder, const char *key, const ArgumentList *values,
                 ArgumentList *list)
{
    const char *option = encoder->parameters_option, *before = "";
    const json_t *item;
    size_t i;
    json_array_foreach(encoder_arguments(encoder, key), i, item)
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

const char *encoder_quality_key(const Encoder *encoder, double q)
{
    return encoder_arguments(encoder, "fraction") && !quality_is_step(q, 1) ? "fraction"
                                                                            : "quality";
}
