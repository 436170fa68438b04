/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "common/messages.h"
#include "platform/file.h"
#include "tune/encoders/arguments.h"
#include "tune/encoders/encoder.h"

#include <errno.h>
#include <jansson.h>
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

static void fail_memory(RowReader *reader)
{
    if (!reader->err)
        reader->err = message_set(reader->message, -ENOMEM, "%s: out of memory", reader->file);
}

/* ---- Values ---- */

static const json_t *member(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_null(value) ? NULL : value;
}

static const char *read_text(RowReader *reader, const json_t *object, const char *key,
                             bool required)
{
    const json_t *value = member(object, key);
    if (!value && !required)
        return NULL;
    if (!json_is_string(value) || !*json_string_value(value)) {
        fail(reader, key, "is not a text");
        return NULL;
    }
    return json_string_value(value);
}

static int read_q(RowReader *reader, const json_t *value, const char *key)
{
    const json_int_t q = json_integer_value(value);
    if (!json_is_integer(value) || q < 0 || q > Q_MAX) {
        fail(reader, key, "is not an integer from 0 to 10000");
        return 0;
    }
    return (int)q;
}

static void check_template(RowReader *reader, const char *key, const char *text)
{
    size_t length;
    const char *unknown = template_find_unknown(text, &length);
    if (unknown && !reader->err)
        reader->err = message_set(reader->message, -EINVAL,
                                  "%s: %s: \"%s\" has %.*s, which stands for nothing", reader->file,
                                  reader->name, key, (int)length, unknown);
}

static const char *read_template(RowReader *reader, const json_t *object, const char *key)
{
    const char *text = read_text(reader, object, key, true);
    if (text)
        check_template(reader, key, text);
    return text;
}

static void read_list(RowReader *reader, const json_t *object, const char *key, bool required,
                      ArgumentList *list)
{
    const json_t *array = member(object, key), *item;
    size_t i;
    if (!array && !required)
        return;
    if (!json_is_array(array) || json_array_size(array) == 0)
        fail(reader, key, "is not a list of texts");
    json_array_foreach(array, i, item)
    {
        if (!json_is_string(item)) {
            fail(reader, key, "is not a list of texts");
            return;
        }
        check_template(reader, key, json_string_value(item));
        arguments_add(list, json_string_value(item));
    }
    if (list->error)
        fail_memory(reader);
}

static void check_keys(RowReader *reader, const json_t *object, const char *const *known)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)object, key, value)
    {
        size_t i = 0;
        while (known[i] && strcmp(known[i], key) != 0)
            i++;
        if (!known[i])
            fail(reader, key, "is not a key of the table of encoders");
    }
}

/* An object that may be absent. */
static const json_t *read_object(RowReader *reader, const json_t *row, const char *key,
                                 const char *const *known)
{
    const json_t *object = member(row, key);
    if (object && !json_is_object(object))
        fail(reader, key, "is not an object");
    else if (object)
        check_keys(reader, object, known);
    return object;
}

/* ---- Parts of a row ---- */

static void read_value_names(RowReader *reader, const json_t *qualities, Encoder *encoder)
{
    const json_t *names = member(qualities, "values");
    const size_t n = (size_t)quality_last_index(&encoder->qualities) + 1;
    if (!names)
        return;
    if (json_array_size(names) != n) {
        fail(reader, "values", "is not a list of as many texts as the knob has values");
        return;
    }
    encoder->value_names = calloc(n, sizeof(*encoder->value_names));
    if (!encoder->value_names) {
        fail_memory(reader);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        encoder->value_names[i] = json_string_value(json_array_get(names, i));
        if (!encoder->value_names[i])
            fail(reader, "values", "is not a list of texts");
    }
}

static bool is_within(const QualityRange *inner, const QualityRange *outer)
{
    return inner->lowest <= inner->highest && inner->lowest >= outer->lowest &&
           inner->highest <= outer->highest;
}

static void read_quality_range(RowReader *reader, const json_t *row, Encoder *encoder)
{
    static const char *const known[] = {"name",   "lowest",       "highest", "default", "steps",
                                        "better", "first_probes", "values",  NULL};
    const json_t *qualities = read_object(reader, row, "knob", known);
    encoder->quality_name = read_text(reader, qualities, "name", true);
    encoder->qualities.lowest = read_q(reader, member(qualities, "lowest"), "lowest");
    encoder->qualities.highest = read_q(reader, member(qualities, "highest"), "highest");
    encoder->default_q = read_q(reader, member(qualities, "default"), "default");
    const char *better = json_string_value(member(qualities, "better"));
    if (!better || (strcmp(better, "low") != 0 && strcmp(better, "high") != 0))
        fail(reader, "better", "is neither \"low\" nor \"high\"");
    else
        encoder->qualities.higher_is_better = !strcmp(better, "high");
    const json_t *steps = member(qualities, "steps");
    encoder->steps = steps ? read_q(reader, steps, "steps") : 1;
    if (encoder->steps < 1 || encoder->steps > 10)
        fail(reader, "steps", "is not from 1 to 10");
    encoder->first_probes = encoder->qualities;
    const json_t *first = member(qualities, "first_probes");
    if (first) {
        if (json_array_size(first) != 2)
            fail(reader, "first_probes", "is not a list of two integers");
        encoder->first_probes.lowest = read_q(reader, json_array_get(first, 0), "first_probes");
        encoder->first_probes.highest = read_q(reader, json_array_get(first, 1), "first_probes");
    }
    if (encoder->qualities.lowest >= encoder->qualities.highest)
        fail(reader, "knob", "has no range");
    else if (!is_within(&encoder->first_probes, &encoder->qualities))
        fail(reader, "first_probes", "is not within the range");
    else if (encoder->default_q < encoder->qualities.lowest ||
             encoder->default_q > encoder->qualities.highest)
        fail(reader, "default", "is not within the range");
    if (!reader->err)
        read_value_names(reader, qualities, encoder);
}

static const EncoderPreset *find_preset(const Encoder *encoder, const char *name)
{
    for (size_t i = 0; i < encoder->n_presets; i++)
        if (!strcmp(encoder->presets[i].name, name))
            return &encoder->presets[i];
    return NULL;
}

static void read_default_preset(RowReader *reader, const json_t *row, Encoder *encoder)
{
    const json_t *wanted = member(row, "default_preset");
    const EncoderPreset *preset =
        find_preset(encoder, json_is_string(wanted) ? json_string_value(wanted) : "medium");
    if (wanted && (!json_is_string(wanted) || !preset))
        fail(reader, "default_preset", "is not one of the presets");
    if (!preset)
        preset = &encoder->presets[encoder->n_presets / 2];
    encoder->default_preset = preset->name;
}

static void read_presets(RowReader *reader, const json_t *row, Encoder *encoder)
{
    const json_t *presets = member(row, "presets");
    const size_t n = json_object_size(presets);
    const char *name;
    json_t *value;
    if (n == 0) {
        fail(reader, "presets", "is not an object of texts");
        return;
    }
    encoder->presets = calloc(n, sizeof(*encoder->presets));
    if (!encoder->presets) {
        fail_memory(reader);
        return;
    }
    json_object_foreach((json_t *)presets, name, value)
    {
        if (!json_is_string(value)) {
            fail(reader, "presets", "is not an object of texts");
            return;
        }
        encoder->presets[encoder->n_presets++] = (EncoderPreset){name, json_string_value(value)};
    }
    if (!reader->err)
        read_default_preset(reader, row, encoder);
}

static void read_own_presets(RowReader *reader, const json_t *row, Encoder *encoder)
{
    const json_t *own = member(row, "own_presets"), *item;
    size_t i;
    if (!own)
        return;
    encoder->own_presets = calloc(json_array_size(own) + 1, sizeof(*encoder->own_presets));
    if (!encoder->own_presets) {
        fail_memory(reader);
        return;
    }
    json_array_foreach(own, i, item)
    {
        if (!json_is_string(item))
            fail(reader, "own_presets", "is not a list of texts");
        else
            encoder->own_presets[encoder->n_own_presets++] = json_string_value(item);
    }
}

static void read_probe(RowReader *reader, const json_t *row, Encoder *encoder)
{
    static const char *const known[] = {"preset", "q", NULL};
    const json_t *probe = read_object(reader, row, "probe", known);
    if (!probe || reader->err)
        return;
    const char *wanted = json_string_value(member(probe, "preset"));
    const EncoderPreset *preset = wanted ? find_preset(encoder, wanted) : NULL;
    encoder->probe_q = read_q(reader, member(probe, "q"), "q");
    encoder->probe_preset = preset ? preset->name : NULL;
    if (!preset)
        fail(reader, "probe", "names none of the presets");
    else if (encoder->probe_q < encoder->qualities.lowest ||
             encoder->probe_q > encoder->qualities.highest)
        fail(reader, "probe", "is not within the range of the knob");
}

static void read_stats(RowReader *reader, const json_t *row, Encoder *encoder)
{
    static const char *const known[] = {"arguments", "file", NULL};
    const json_t *stats = read_object(reader, row, "stats", known);
    if (!stats)
        return;
    encoder->stats = ENCODER_STATS_FRAMES;
    encoder->stats_file = read_template(reader, stats, "file");
    read_list(reader, stats, "arguments", true, &encoder->templates.stats);
}

static void read_passes(RowReader *reader, const json_t *row, Encoder *encoder)
{
    static const char *const known[] = {"kind", "first", "second", NULL};
    const json_t *passes = read_object(reader, row, "two_pass", known);
    if (!passes)
        return;
    const char *kind = json_string_value(member(passes, "kind"));
    if (kind && !strcmp(kind, "native"))
        encoder->two_pass = TWO_PASS_NATIVE;
    else if (kind && !strcmp(kind, "anchored"))
        encoder->two_pass = TWO_PASS_ANCHORED;
    else
        fail(reader, "kind", "is neither \"native\" nor \"anchored\"");
    read_list(reader, passes, "first", true, &encoder->templates.first_pass);
    read_list(reader, passes, "second", true, &encoder->templates.second_pass);
    if (encoder->two_pass == TWO_PASS_ANCHORED &&
        (encoder->stats == ENCODER_STATS_NONE || encoder->templates.bitrate.n == 0))
        fail(reader, "two_pass", "is anchored: it needs \"stats\" and \"bitrate\"");
}

static void read_hdr(RowReader *reader, const json_t *row, Encoder *encoder)
{
    static const char *const known[] = {"arguments",     "pq",           "mastering_display",
                                        "content_light", "pixel_format", NULL};
    const json_t *hdr = read_object(reader, row, "hdr", known);
    EncoderTemplates *templates = &encoder->templates;
    if (!hdr)
        return;
    encoder->hdr_known = true;
    encoder->hdr_pixel_format = read_text(reader, hdr, "pixel_format", false);
    read_list(reader, hdr, "arguments", true, &templates->hdr);
    read_list(reader, hdr, "pq", false, &templates->hdr_pq);
    read_list(reader, hdr, "mastering_display", false, &templates->hdr_mastering);
    read_list(reader, hdr, "content_light", false, &templates->hdr_light);
}

static void read_version(RowReader *reader, const json_t *row, Encoder *encoder)
{
    static const char *const known[] = {"behind", "prefix", NULL};
    const json_t *version = read_object(reader, row, "version", known);
    if (!version)
        return;
    read_list(reader, version, "behind", true, &encoder->version_patterns);
    encoder->version_prefix = read_text(reader, version, "prefix", true);
}

static void read_row(RowReader *reader, const json_t *row, Encoder *encoder)
{
    static const char *const known[] = {"name",
                                        "like",
                                        "codec",
                                        "row_version",
                                        "hardware",
                                        "installed_by",
                                        "knob",
                                        "presets",
                                        "own_presets",
                                        "short_name",
                                        "default_preset",
                                        "probe",
                                        "arguments",
                                        "quality",
                                        "fraction",
                                        "upload",
                                        "bitrate",
                                        "two_pass",
                                        "stats",
                                        "parameters_option",
                                        "forced_keyframes",
                                        "variable_rate",
                                        "film_grain",
                                        "hdr",
                                        "version",
                                        NULL};
    check_keys(reader, row, known);
    EncoderTemplates *templates = &encoder->templates;
    encoder->name = read_text(reader, row, "name", true);
    encoder->short_name = read_text(reader, row, "short_name", false);
    encoder->codec = read_text(reader, row, "codec", true);
    encoder->row_version = read_text(reader, row, "row_version", true);
    encoder->installed_by = read_text(reader, row, "installed_by", true);
    encoder->parameters_option = read_text(reader, row, "parameters_option", false);
    encoder->upload_formats = read_text(reader, row, "upload", false);
    const json_t *hardware = member(row, "hardware");
    encoder->is_hardware = json_is_true(hardware);
    if (hardware && !json_is_boolean(hardware))
        fail(reader, "hardware", "is neither true nor false");
    read_list(reader, row, "arguments", true, &templates->arguments);
    read_list(reader, row, "quality", true, &templates->quality);
    read_list(reader, row, "fraction", false, &templates->fraction);
    read_list(reader, row, "bitrate", false, &templates->bitrate);
    read_list(reader, row, "forced_keyframes", false, &templates->forced_keys);
    read_list(reader, row, "variable_rate", false, &templates->variable_rate);
    read_list(reader, row, "film_grain", false, &templates->film_grain);
    read_quality_range(reader, row, encoder);
    read_presets(reader, row, encoder);
    read_own_presets(reader, row, encoder);
    read_probe(reader, row, encoder);
    read_stats(reader, row, encoder);
    read_passes(reader, row, encoder);
    read_hdr(reader, row, encoder);
    read_version(reader, row, encoder);
}

static void free_encoder(Encoder *encoder)
{
    EncoderTemplates *templates = &encoder->templates;
    ArgumentList *const lists[] = {
        &templates->arguments,     &templates->quality,       &templates->fraction,
        &templates->bitrate,       &templates->first_pass,    &templates->second_pass,
        &templates->stats,         &templates->forced_keys,   &templates->hdr,
        &templates->hdr_pq,        &templates->hdr_mastering, &templates->hdr_light,
        &templates->variable_rate, &templates->film_grain,    &encoder->version_patterns,
    };
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
        arguments_free(lists[i]);
    free(encoder->value_names);
    free(encoder->presets);
    free(encoder->own_presets);
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

/* The row as if it said all that the one which it is like says; a new object. */
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
    if (!whole || json_object_update(whole, (json_t *)row) < 0) {
        fail_memory(reader);
        json_decref(whole);
        return NULL;
    }
    return whole;
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
        const char *name = json_string_value(member(row, "name"));
        RowReader reader = {file, name ? name : "?", 0, message};
        if (!name || !*name)
            fail(&reader, "name", "is not a text");
        json_t *whole = reader.err ? NULL : complete_row(&reader, rows, row);
        const size_t place = whole ? place_of(rows, name) : 0;
        if (!whole || (place < json_array_size(rows) ? json_array_set_new(rows, place, whole)
                                                     : json_array_append_new(rows, whole)))
            fail_memory(&reader);
        if (reader.err)
            return reader.err;
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

static int add_file(json_t *rows, const char *file, Message *message)
{
    char *text = NULL;
    size_t size = 0;
    int err = vmaf_file_load(file, FILE_MAX, &text, &size);
    if (err)
        return message_set(message, err, "%s: %s", file, strerror(-err));
    err = add_text(rows, text, size, file, message);
    free(text);
    return err;
}

static int read_rows(EncoderTable *table, const char *file, Message *message)
{
    size_t i;
    json_t *row;
    table->encoders = calloc(json_array_size(table->rows) + 1, sizeof(Encoder));
    if (!table->encoders)
        return message_set(message, -ENOMEM, "%s: out of memory", file);
    json_array_foreach(table->rows, i, row)
    {
        RowReader reader = {file, json_string_value(json_object_get(row, "name")), 0, message};
        read_row(&reader, row, &table->encoders[table->n++]);
        if (reader.err)
            return reader.err;
    }
    return 0;
}

int encoder_table_open(EncoderTable *table, const char *file, Message *message)
{
    *table = (EncoderTable){.rows = json_array()};
    int err = table->rows ? 0 : message_set(message, -ENOMEM, "out of memory");
    if (!err)
        err = add_text(table->rows, encoders_builtin_table, strlen(encoders_builtin_table),
                       "encoders.json", message);
    if (!err && file)
        err = add_file(table->rows, file, message);
    if (!err)
        err = read_rows(table, file ? file : "encoders.json", message);
    if (err)
        encoder_table_close(table);
    return err;
}

void encoder_table_close(EncoderTable *table)
{
    for (size_t i = 0; i < table->n; i++)
        free_encoder(&table->encoders[i]);
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
    for (size_t i = 0; i < encoder->n_own_presets; i++)
        if (!strcmp(encoder->own_presets[i], word))
            return encoder->own_presets[i];
    for (size_t i = 0; i < encoder->n_presets; i++)
        if (!strcmp(encoder->presets[i].value, word))
            return encoder->presets[i].value;
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
    const EncoderPreset *preset = find_preset(encoder, name);
    if (preset)
        return preset->value;
    const char *own = find_own_preset(encoder, name);
    if (own)
        return own;
    Message known = {""};
    for (size_t i = 0; i < encoder->n_presets; i++)
        add_known(&known, encoder->presets[i].name);
    for (size_t i = 0; i < encoder->n_own_presets; i++)
        add_known(&known, encoder->own_presets[i]);
    message_set(message, -EINVAL, "%s has no preset '%s'; it has %s", encoder->name, name,
                known.text);
    return NULL;
}

const ArgumentList *encoder_quality_templates(const Encoder *encoder, double q)
{
    const EncoderTemplates *templates = &encoder->templates;
    return templates->fraction.n && !quality_is_step(q, 1) ? &templates->fraction
                                                           : &templates->quality;
}
