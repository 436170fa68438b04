/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "engine/records/stored_layout.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/json_text.h"
#include "platform/text.h"
#include "report/report.h"

/* A limit above what records of the largest pictures need, with which no size overflows. */
enum { FRAME_BYTES_MAX = 1 << 30 };

void stored_layout_clear(StoredLayout *stored)
{
    free(stored->records);
    *stored = (StoredLayout){0};
}

/* A member that is a number from 0 to `most`. */
static bool get_size(const json_t *object, const char *name, size_t most, size_t *size)
{
    const json_t *value = json_object_get(object, name);
    const json_int_t number = json_integer_value(value);
    if (!json_is_integer(value) || number < 0 || (uint64_t)number > most)
        return false;
    *size = (size_t)number;
    return true;
}

static bool is_record(const json_t *record, size_t set_size, size_t n_bytes)
{
    size_t offset, size;
    return json_string_value(json_object_get(record, "feature")) &&
           json_string_value(json_object_get(record, "kind")) &&
           json_is_object(json_object_get(record, "options")) &&
           get_size(record, "offset", n_bytes, &offset) &&
           get_size(record, "size", n_bytes - offset, &size) && offset >= set_size;
}

static bool is_layout(const json_t *layout, size_t *n_bytes)
{
    const json_t *records = json_object_get(layout, "records");
    const size_t n = json_array_size(records);
    if (!get_size(layout, "bytes", FRAME_BYTES_MAX, n_bytes) || !json_is_array(records) ||
        n > REQUESTS_MAX || record_set_size((unsigned)n) > *n_bytes)
        return false;
    for (size_t i = 0; i < n; i++)
        if (!is_record(json_array_get(records, i), record_set_size((unsigned)n), *n_bytes))
            return false;
    return true;
}

static bool same_value(const json_t *value, const void *options, const OptionSpec *spec)
{
    if (spec->type == OPTION_BOOL)
        return json_is_boolean(value) && json_is_true(value) == (option_number(options, spec) != 0);
    if (spec->type != OPTION_STRING)
        return json_is_number(value) && json_number_value(value) == option_number(options, spec);
    const char *text = option_string(options, spec), *stored = json_string_value(value);
    return text ? stored && !strcmp(text, stored) : json_is_null(value);
}

static bool same_text(const json_t *object, const char *name, const char *text)
{
    const char *stored = json_string_value(json_object_get(object, name));
    return stored && !strcmp(stored, text);
}

static bool same_definition(const json_t *record, const FeatureRecord *definition)
{
    size_t version;
    return !definition->id ||
           (same_text(record, "record", definition->id) &&
            get_size(record, "version", UINT32_MAX, &version) && version == definition->version);
}

/* True if the options of a stored record claim that it names files: such a record is never
 * stored. */
static bool names_files(const json_t *record_options, const OptionSpec *spec)
{
    const json_t *value = json_object_get(record_options, spec->name);
    return (spec->flags & OPTION_FILES) && value && !json_is_null(value);
}

/* True if a stored record is that of a request, in that kind. No record serves a request that names
 * files. */
static bool serves(const json_t *record, const WorkList *work, unsigned request, RecordKind kind)
{
    const WorkRequest *wanted = &work->requests[request];
    const FeatureExtractor *extractor = work->units[wanted->unit].extractor;
    size_t size;
    if (!same_text(record, "feature", extractor->name) ||
        !same_text(record, "kind", record_kind_name(kind)) ||
        !get_size(record, "size", SIZE_MAX, &size) ||
        size != record_stored_size(work, request, kind) ||
        !same_definition(record, &extractor->record) ||
        option_that_names_files(wanted->options, extractor->options))
        return false;
    const json_t *options = json_object_get(record, "options");
    for (const OptionSpec *spec = extractor->options; spec->name; spec++)
        if (names_files(options, spec) ||
            (record_depends_on(kind, spec) &&
             !same_value(json_object_get(options, spec->name), wanted->options, spec)))
            return false;
    return true;
}

static StoredRecord find(const json_t *records, const WorkList *work, unsigned request,
                         RecordKind kind)
{
    const size_t n = json_array_size(records);
    StoredRecord found = {.kind = kind};
    for (size_t i = 0; i < n && !found.found; i++) {
        const json_t *record = json_array_get(records, i);
        found.found = serves(record, work, request, kind) &&
                      get_size(record, "offset", SIZE_MAX, &found.offset) &&
                      get_size(record, "size", SIZE_MAX, &found.size);
        found.number = (unsigned)i;
    }
    return found;
}

static void put_option(FILE *out, const void *options, const OptionSpec *spec)
{
    char number[NUMBER_TEXT_SIZE];
    fprintf(out, ":%s=", spec->name);
    if (spec->type == OPTION_STRING)
        fputs(option_string(options, spec) ? option_string(options, spec) : "", out);
    else if (spec->type == OPTION_BOOL)
        fputs(option_number(options, spec) != 0 ? "true" : "false", out);
    else
        fwrite(number, 1, number_print(number, option_number(options, spec), "%g"), out);
}

/* The features whose records were not found, with the options that shape them. */
static void put_missing(FILE *out, const StoredLayout *stored, const WorkList *work)
{
    const char *comma = "";
    for (unsigned r = 0; r < work->n_requests; r++) {
        const WorkRequest *request = &work->requests[r];
        const FeatureExtractor *extractor = work->units[request->unit].extractor;
        if (stored->records[r].found)
            continue;
        fprintf(out, "%s%s", comma, extractor->name);
        for (const OptionSpec *spec = extractor->options; spec->name; spec++)
            if ((record_depends_on(stored->records[r].kind, spec) ||
                 (spec->flags & OPTION_FILES)) &&
                !option_is_default(request->options, spec))
                put_option(out, request->options, spec);
        comma = ", ";
    }
}

static int missing_text(const StoredLayout *stored, const WorkList *work, char **missing)
{
    size_t size;
    FILE *out = open_memstream(missing, &size);
    if (!out)
        return -ENOMEM;
    VmafCLocaleScope scope;
    const bool in_c_locale = vmaf_c_locale_enter(&scope) == 0;
    put_missing(out, stored, work);
    if (in_c_locale)
        vmaf_c_locale_leave(&scope);
    const bool failed = ferror(out);
    if (!fclose(out) && !failed && *missing) /* which is NULL where closing had no memory */
        return -ENOENT;
    free(*missing);
    *missing = NULL;
    return -ENOMEM;
}

static int find_all(StoredLayout *stored, const WorkList *work, const json_t *records, bool begins,
                    char **missing)
{
    bool complete = true;
    stored->records = calloc(work->n_requests + 1, sizeof(*stored->records));
    if (!stored->records)
        return -ENOMEM;
    for (unsigned r = 0; r < work->n_requests; r++) {
        StoredRecord *record = &stored->records[r];
        *record = find(records, work, r, record_kind_of(work, r));
        if (!record->found && begins && work->requests[r].uniform) {
            const StoredRecord scores = find(records, work, r, RECORD_SCORES);
            if (scores.found)
                *record = scores;
        }
        complete &= record->found;
    }
    if (complete)
        return 0;
    return missing ? missing_text(stored, work, missing) : -ENOENT;
}

int stored_layout_find(StoredLayout *stored, const WorkList *work, const char *text, bool begins,
                       char **missing)
{
    const size_t length = strlen(text);
    if (length > JSON_MAX_FILE_SIZE || json_text_is_nested_too_deeply(text, length))
        return -EBADMSG;
    json_error_t error;
    json_t *layout = json_loadb(text, length, 0, &error);
    if (!layout) /* the text is empty if Jansson had no memory */
        return error.text[0] ? -EBADMSG : -ENOMEM;
    StoredLayout found = {0};
    int err = is_layout(layout, &found.n_bytes) ? 0 : -EBADMSG;
    if (!err)
        err = find_all(&found, work, json_object_get(layout, "records"), begins, missing);
    json_decref(layout);
    if (err)
        stored_layout_clear(&found);
    else
        *stored = found;
    return err;
}
