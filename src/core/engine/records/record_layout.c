/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "engine/records/record_layout.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>

#include "support/memory.h"

enum { RECORD_ALIGNMENT = 8 };

const char *record_kind_name(RecordKind kind)
{
    static const char *const names[N_RECORD_KINDS] = {
        [RECORD_SUMS] = "sums",           [RECORD_BYTES] = "bytes",   [RECORD_PRIVATE] = "private",
        [RECORD_CONDENSED] = "condensed", [RECORD_SCORES] = "scores",
    };
    return names[kind];
}

RecordKind record_kind_of(const WorkList *work, unsigned request)
{
    const FeatureExtractor *extractor = work_extractor(work, request);
    if (work->requests[request].scores)
        return RECORD_SCORES;
    if (extractor->condense)
        return RECORD_CONDENSED;
    if (!extractor->record.id)
        return RECORD_PRIVATE;
    return extractor->record.is_bytes ? RECORD_BYTES : RECORD_SUMS;
}

size_t record_stored_size(const WorkList *work, unsigned request, RecordKind kind)
{
    const FeatureExtractor *extractor = work_extractor(work, request);
    if (kind == RECORD_SCORES)
        return feature_output_count(extractor) * sizeof(double);
    if (kind == RECORD_CONDENSED)
        return extractor->condensed.size;
    const void *options = work->requests[request].options;
    return option_that_names_files(options, extractor->options)
               ? extractor->record.size
               : extractor_record_size(extractor, options, &work->format);
}

bool record_depends_on(RecordKind kind, const OptionSpec *spec)
{
    if (spec->flags & OPTION_FILES)
        return false;
    const unsigned flags = OPTION_ACCUMULATE | (kind == RECORD_CONDENSED ? OPTION_CONDENSE : 0);
    return kind == RECORD_SCORES || (spec->flags & flags);
}

size_t record_set_size(unsigned n_records)
{
    return size_round_up((n_records + 7) / 8, RECORD_ALIGNMENT);
}

int record_layout_create(RecordLayout *layout, const WorkList *work)
{
    RecordPlace *places = calloc(work->n_requests + 1, sizeof(*places));
    if (!places)
        return -ENOMEM;
    size_t end = record_set_size(work->n_requests);
    for (unsigned r = 0; r < work->n_requests; r++) {
        const RecordKind kind = record_kind_of(work, r);
        places[r] = (RecordPlace){kind, end, record_stored_size(work, r, kind)};
        end += size_round_up(places[r].size, RECORD_ALIGNMENT);
    }
    *layout = (RecordLayout){end, work->n_requests, places};
    return 0;
}

void record_layout_destroy(RecordLayout *layout)
{
    free(layout->places);
    *layout = (RecordLayout){0};
}

static json_t *option_value(const void *options, const OptionSpec *spec)
{
    switch (spec->type) {
    case OPTION_BOOL:
        return json_boolean(option_number(options, spec) != 0);
    case OPTION_INT:
        return json_integer((json_int_t)option_number(options, spec));
    case OPTION_DOUBLE:
        return json_real(option_number(options, spec));
    default: {
        const char *text = option_string(options, spec);
        return text ? json_string(text) : json_null();
    }
    }
}

/* Takes the reference of a value, as all functions below that make one. */
static int add(json_t *object, const char *name, json_t *value)
{
    return json_object_set_new(object, name, value) ? -ENOMEM : 0;
}

static json_t *options_object(const WorkList *work, unsigned request, RecordKind kind)
{
    json_t *object = json_object();
    int err = object ? 0 : -ENOMEM;
    for (const OptionSpec *spec = work_extractor(work, request)->options; spec->name && !err;
         spec++)
        if (record_depends_on(kind, spec))
            err = add(object, spec->name, option_value(work->requests[request].options, spec));
    if (!err)
        return object;
    json_decref(object);
    return NULL;
}

static json_t *record_object(const WorkList *work, unsigned request, const RecordPlace *place)
{
    const FeatureExtractor *extractor = work_extractor(work, request);
    json_t *object = json_object();
    int err = object ? 0 : -ENOMEM;
    if (!err)
        err = add(object, "feature", json_string(extractor->name));
    if (!err)
        err = add(object, "kind", json_string(record_kind_name(place->kind)));
    if (!err && extractor->record.id)
        err = add(object, "record", json_string(extractor->record.id));
    if (!err && extractor->record.id)
        err = add(object, "version", json_integer(extractor->record.version));
    if (!err)
        err = add(object, "options", options_object(work, request, place->kind));
    if (!err)
        err = add(object, "offset", json_integer((json_int_t)place->offset));
    if (!err)
        err = add(object, "size", json_integer((json_int_t)place->size));
    if (!err)
        return object;
    json_decref(object);
    return NULL;
}

static json_t *records_array(const RecordLayout *layout, const WorkList *work)
{
    json_t *array = json_array();
    int err = array ? 0 : -ENOMEM;
    for (unsigned r = 0; r < layout->n_records && !err; r++)
        err = json_array_append_new(array, record_object(work, r, &layout->places[r]));
    if (!err)
        return array;
    json_decref(array);
    return NULL;
}

int record_layout_print(const RecordLayout *layout, const WorkList *work, char **json)
{
    json_t *object = json_object();
    int err = object ? 0 : -ENOMEM;
    if (!err)
        err = add(object, "bytes", json_integer((json_int_t)layout->n_bytes));
    if (!err)
        err = add(object, "records", records_array(layout, work));
    *json = err ? NULL : json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(17));
    json_decref(object);
    return *json ? 0 : -ENOMEM;
}
