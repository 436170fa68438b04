/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Records of frames that are kept elsewhere: their layout as a text, frames as data, and the
 * contexts that return or read them. */
#include "engine/records.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/context.h"
#include "engine/frame_queue.h"
#include "model/json_text.h"
#include "platform/machine.h"
#include "platform/text.h"
#include "report/report.h"
#include "support/memory.h"

/* ---- layouts ---- */

enum { RECORD_ALIGNMENT = 8 };

static const char *record_kind_name(RecordKind kind)
{
    static const char *const names[N_RECORD_KINDS] = {
        [RECORD_SUMS] = "sums",           [RECORD_BYTES] = "bytes",   [RECORD_PRIVATE] = "private",
        [RECORD_CONDENSED] = "condensed", [RECORD_SCORES] = "scores",
    };
    return names[kind];
}

/* What the records of a request are when they are finished. */
static RecordKind record_kind_of(const WorkList *work, unsigned request)
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

static size_t record_stored_size(const WorkList *work, unsigned request, RecordKind kind)
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

/* True if a record of that kind depends on an option. */
static bool record_depends_on(RecordKind kind, const OptionSpec *spec)
{
    if (spec->flags & OPTION_FILES)
        return false;
    const unsigned flags = OPTION_ACCUMULATE | (kind == RECORD_CONDENSED ? OPTION_CONDENSE : 0);
    return kind == RECORD_SCORES || (spec->flags & flags);
}

/* Bytes of the set of so many records. */
static size_t record_set_size(unsigned n_records)
{
    return size_round_up((n_records + 7) / 8, RECORD_ALIGNMENT);
}

static bool record_set_has(const unsigned char *set, unsigned record)
{
    return set[record / 8] >> record % 8 & 1;
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

static void record_layout_destroy(RecordLayout *layout)
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

static json_t *options_object(const WorkList *work, unsigned request, RecordKind kind)
{
    json_t *object = json_object();
    const OptionSpec *spec = work_extractor(work, request)->options;
    for (; object && spec->name; spec++) {
        if (record_depends_on(kind, spec) &&
            json_object_set_new(object, spec->name,
                                option_value(work->requests[request].options, spec))) {
            json_decref(object);
            return NULL;
        }
    }
    return object;
}

static json_t *record_object(const WorkList *work, unsigned request, const RecordPlace *place)
{
    const FeatureExtractor *extractor = work_extractor(work, request);
    const FeatureRecord *record = &extractor->record;
    const char *kind = record_kind_name(place->kind);
    const json_int_t offset = (json_int_t)place->offset, size = (json_int_t)place->size;
    json_t *options = options_object(work, request, place->kind);
    if (record->id)
        return json_pack("{s:s, s:s, s:s, s:I, s:o, s:I, s:I}", "feature", extractor->name, "kind",
                         kind, "record", record->id, "version", (json_int_t)record->version,
                         "options", options, "offset", offset, "size", size);
    return json_pack("{s:s, s:s, s:o, s:I, s:I}", "feature", extractor->name, "kind", kind,
                     "options", options, "offset", offset, "size", size);
}

static json_t *records_array(const RecordLayout *layout, const WorkList *work)
{
    json_t *array = json_array();
    for (unsigned r = 0; array && r < layout->n_records; r++) {
        if (json_array_append_new(array, record_object(work, r, &layout->places[r]))) {
            json_decref(array);
            return NULL;
        }
    }
    return array;
}

/* Prints the layout as a text, to be freed: see vmaf_records_layout. 0, -ENOMEM. */
static int record_layout_print(const RecordLayout *layout, const WorkList *work, char **json)
{
    json_t *object = json_pack("{s:I, s:o}", "bytes", (json_int_t)layout->n_bytes, "records",
                               records_array(layout, work));
    *json = object ? json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
    json_decref(object);
    return *json ? 0 : -ENOMEM;
}

/* ---- layouts that were stored ---- */

/* A limit above what records of the largest pictures need, with which no size overflows. */
enum { FRAME_BYTES_MAX = 1 << 30 };

static void stored_layout_clear(StoredLayout *stored)
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

/*
 * Finds the records of a work list in the text of a layout. `begins`: scores of a backend will do
 * where there are no records; else only what finished them before.
 * 0; -ENOENT with the missing features as a text (free) unless `missing` is NULL; -EBADMSG for a
 * text that is no layout; -ENOMEM.
 */
static int stored_layout_find(StoredLayout *stored, const WorkList *work, const char *text,
                              bool begins, char **missing)
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

/* ---- frames ---- */

/* Makes a record as it is in memory the stored one, or the other way round. */
static void swap_numbers(const FeatureExtractor *extractor, RecordKind kind, unsigned char *record,
                         size_t size)
{
    static const RecordNumbers scores = {0};
    const RecordNumbers *numbers = kind == RECORD_SCORES      ? &scores
                                   : kind == RECORD_CONDENSED ? &extractor->condensed.numbers
                                                              : &extractor->record.numbers;
    const size_t head = numbers->rest && numbers->rest < size ? numbers->rest : size;
    vmaf_swap_for_files(record, head, numbers->size ? numbers->size : sizeof(uint64_t));
    if (head < size)
        vmaf_swap_for_files(record + head, size - head, numbers->rest_size);
}

void stored_frame_pack(const RecordLayout *layout, const WorkList *work, const FrameQueue *queue,
                       const Frame *frame, unsigned char *data)
{
    memset(data, 0, layout->n_bytes);
    for (unsigned r = 0; r < layout->n_records; r++) {
        const RecordPlace *place = &layout->places[r];
        if (!mask_has(&frame->wanted, r))
            continue;
        data[r / 8] |= (unsigned char)(1u << r % 8);
        memcpy(data + place->offset, frame_record(queue, frame, r), place->size);
        swap_numbers(work_extractor(work, r), place->kind, data + place->offset, place->size);
    }
}

static bool is_possible(const WorkList *work, unsigned request, RecordKind kind, const void *record)
{
    const WorkRequest *r = &work->requests[request];
    const FeatureExtractor *extractor = work_extractor(work, request);
    switch (kind) {
    case RECORD_SUMS:
    case RECORD_BYTES:
        return extractor->record.is_possible(record, r->options, &work->format);
    case RECORD_CONDENSED:
        return extractor->condensed.is_possible(record);
    default: /* numbers of any value */
        return true;
    }
}

/*
 * Takes the wanted records out of the data of a frame, which has stored->n_bytes and may be
 * anything, into a block of records as the work list has it. 0; with a reason -EBADMSG for a record
 * that no frame pair can have, -ENODATA if there is none.
 */
static int stored_frame_unpack(const StoredLayout *stored, const WorkList *work,
                               const RequestMask *wanted, const unsigned char *data,
                               unsigned char *records, Reason *why)
{
    for (unsigned r = 0; r < work->n_requests; r++) {
        const StoredRecord *from = &stored->records[r];
        const FeatureExtractor *extractor = work_extractor(work, r);
        unsigned char *record = records + work->requests[r].record_offset;
        if (!mask_has(wanted, r))
            continue;
        if (!record_set_has(data, from->number))
            return reason_set(why, -ENODATA, "there is no record of %s", extractor->name);
        memcpy(record, data + from->offset, from->size); /* where it is aligned */
        swap_numbers(extractor, from->kind, record, from->size);
        if (!is_possible(work, r, from->kind, record))
            return reason_set(why, -EBADMSG, "no pair of frames has such a record of %s",
                              extractor->name);
    }
    return 0;
}

/* ---- contexts ---- */

void record_keeping_clear(RecordKeeping *records)
{
    record_layout_destroy(&records->layout);
    stored_layout_clear(&records->stored);
    free(records->data);
    memory_free(records->records);
    records->data = records->records = NULL;
}

int context_records_format(VmafContext *context, const PictureFormat *format)
{
    TRACE_CALL(context->trace, "state the format");
    if (context->flushed)
        return -EBUSY;
    if (context_is_inherited(context))
        return -ENODEV;
    const int err = atomic_load(&context->error);
    if (err || !context->started)
        return err ? err : context_start(context, format, context->records.keep != NULL);
    return picture_format_equal(format, &context->work.format) ? 0 : -EINVAL;
}

int context_records_layout(VmafContext *context, char **json)
{
    if (!context->started)
        return -EINVAL;
    RecordLayout layout;
    int err = record_layout_create(&layout, &context->work);
    if (err)
        return err;
    err = record_layout_print(&layout, &context->work, json);
    record_layout_destroy(&layout);
    return err;
}

/* Pictures have come, or nothing more does; or others read pictures for the context. */
static int check_open(const VmafContext *context)
{
    if (context->flushed || context->records.has_pictures || context->group)
        return -EBUSY;
    if (context_is_inherited(context))
        return -ENODEV;
    const int err = atomic_load(&context->error);
    return err || context->started ? err : -EINVAL;
}

/* From then on a request has what stored frames have. */
static void set_scores(VmafContext *context, const StoredLayout *stored)
{
    for (unsigned r = 0; r < context->work.n_requests; r++)
        context->work.requests[r].scores = stored && stored->records[r].kind == RECORD_SCORES;
}

int context_read_records_from(VmafContext *context, const char *layout, char **missing)
{
    RecordKeeping *records = &context->records;
    int err = check_open(context);
    if (err)
        return err;
    const bool begins = !context->n_frames && !context->cpu;
    stored_layout_clear(&records->stored);
    if (!records->records)
        records->records = memory_alloc_zeroed(1, context->work.records_size + 1);
    if (!records->records)
        return -ENOMEM;
    if (begins)
        set_scores(context, NULL);
    err = stored_layout_find(&records->stored, &context->work, layout, begins, missing);
    if (!err && begins)
        set_scores(context, &records->stored);
    return err;
}

static int unpack(VmafContext *context, const VmafStoredFrame *frame, const RequestMask *wanted,
                  Reason *why)
{
    const StoredLayout *stored = &context->records.stored;
    if (series_get(&context->positions, frame->index, NULL))
        return reason_set(why, -EINVAL, "the index was read before");
    if (!frame->data)
        return mask_empty(wanted) ? 0 : reason_set(why, -ENODATA, "there are no records");
    if (!stored->records)
        return reason_set(why, -EINVAL, "nobody has said what stored frames are like");
    if (frame->n_bytes != stored->n_bytes)
        return reason_set(why, -EBADMSG, "it has %zu bytes instead of %zu", frame->n_bytes,
                          stored->n_bytes);
    return stored_frame_unpack(stored, &context->work, wanted, frame->data,
                               context->records.records, why);
}

int context_read_record(VmafContext *context, const VmafStoredFrame *stored)
{
    TRACE_CALL(context->trace, "read record", TRACE_INDEX(stored->index));
    int err = check_open(context);
    if (err)
        return err;
    Reason why;
    Frame frame = {
        .index = stored->index, .wanted = context_wanted(context, stored->index), .stored = true};
    err = unpack(context, stored, &frame.wanted, &why);
    if (err)
        log_message(&context->logger, VMAF_LOG_LEVEL_ERROR, "stored frame at index %u: %s",
                    stored->index, why.text);
    if (!err)
        err = context_count_frame(context, stored->index);
    if (err)
        return err;
    context->picture_count++;
    context->records.n_read++;
    frame.trace = trace_frame_begin(stored->index);
    frame_queue_submit_stored(context->queue, &frame, context->records.records);
    return atomic_load(&context->error);
}
