/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The steps of a run that keeps its records. */
#include "shards_internal.h"

#include "common/messages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "platform/file.h"
#include "platform/thread.h"

/* -- rows that are put together -- */

typedef struct Pair {
    uint32_t index;
    double time;
    bool has_signatures;
    Signature reference, distorted;
} Pair;

struct RowKeeper {
    ShardWriter *writer;
    size_t record_bytes;
    VmafMutex lock; /* of all that follows, and of the writer */
    Pair *ring;
    size_t room, first, count;
    int err; /* the first */
};

RowKeeper *row_keeper_create(ShardWriter *writer, size_t record_bytes)
{
    RowKeeper *keeper = calloc(1, sizeof(*keeper));
    if (!keeper)
        return NULL;
    keeper->writer = writer;
    keeper->record_bytes = record_bytes;
    vmaf_mutex_init(&keeper->lock);
    return keeper;
}

void row_keeper_destroy(RowKeeper *keeper)
{
    if (!keeper)
        return;
    vmaf_mutex_destroy(&keeper->lock);
    free(keeper->ring);
    free(keeper);
}

static bool make_room(RowKeeper *keeper)
{
    if (keeper->count < keeper->room)
        return true;
    const size_t room = keeper->room ? 2 * keeper->room : 16;
    Pair *ring = calloc(room, sizeof(*ring));
    if (!ring)
        return false;
    for (size_t i = 0; i < keeper->count; i++)
        ring[i] = keeper->ring[(keeper->first + i) % keeper->room];
    free(keeper->ring);
    keeper->ring = ring;
    keeper->room = room;
    keeper->first = 0;
    return true;
}

static void append(RowKeeper *keeper, const ShardRow *row)
{
    Pair *pair = &keeper->ring[(keeper->first + keeper->count++) % keeper->room];
    pair->index = row->index;
    pair->time = row->time;
    pair->has_signatures = row->reference && row->distorted;
    if (!pair->has_signatures)
        return;
    pair->reference = *row->reference;
    pair->distorted = *row->distorted;
}

int row_keeper_expect(RowKeeper *keeper, const ShardRow *row)
{
    vmaf_mutex_lock(&keeper->lock);
    if (!keeper->err && !make_room(keeper))
        keeper->err = -ENOMEM;
    if (!keeper->err)
        append(keeper, row);
    const int err = keeper->err;
    vmaf_mutex_unlock(&keeper->lock);
    return err;
}

/* The oldest pair goes to the file. Locked. */
static void write_oldest(RowKeeper *keeper, const void *record)
{
    const Pair *pair = &keeper->ring[keeper->first];
    const ShardRow row = {
        .index = pair->index,
        .time = pair->time,
        .record = record,
        .reference = pair->has_signatures ? &pair->reference : NULL,
        .distorted = pair->has_signatures ? &pair->distorted : NULL,
    };
    const int err = shard_writer_add(keeper->writer, &row);
    if (!keeper->err)
        keeper->err = err;
    keeper->first = (keeper->first + 1) % keeper->room;
    keeper->count--;
}

int row_keeper_take(void *cookie, const VmafStoredFrame *frame)
{
    RowKeeper *keeper = cookie;
    vmaf_mutex_lock(&keeper->lock);
    while (!keeper->err && keeper->count && keeper->ring[keeper->first].index != frame->index)
        write_oldest(keeper, NULL);
    if (!keeper->err && (!keeper->count || frame->n_bytes != keeper->record_bytes))
        keeper->err = -EINVAL;
    if (!keeper->err)
        write_oldest(keeper, frame->data);
    const int err = keeper->err;
    vmaf_mutex_unlock(&keeper->lock);
    return err;
}

int row_keeper_error(RowKeeper *keeper)
{
    vmaf_mutex_lock(&keeper->lock);
    const int err = keeper->err;
    vmaf_mutex_unlock(&keeper->lock);
    return err;
}

int row_keeper_finish(RowKeeper *keeper)
{
    vmaf_mutex_lock(&keeper->lock);
    while (!keeper->err && keeper->count)
        write_oldest(keeper, NULL);
    const int err = keeper->err;
    vmaf_mutex_unlock(&keeper->lock);
    return err;
}

/* -- records of a run -- */

typedef struct Records {
    const char *path; /* of the file */
    ShardRange range;
    ShardWriter *writer; /* NULL: nothing is to be written */
    RowKeeper *keeper;
    ShardReader *reader; /* of what was left; NULL: nothing was */
    ShardPlace left;     /* how far that is right */
    bool is_complete;    /* to its end */
    bool are_wrong;      /* what this process has kept */
    int err;             /* of the file, the first */
} Records;

static const char *path_of(const Options *options)
{
    if (options->shard.is_given)
        return options->outputs[0].path;
    return options->resume ? options->resume : options->keep_records;
}

bool records_is_shard(const Run *run)
{
    return run->records && run->options->shard.is_given;
}

unsigned records_pairs(const Run *run)
{
    return run->records->range.pairs;
}

/* -- the beginning -- */

/* From a thread of the library. */
static int keep_frame(void *cookie, const VmafStoredFrame *frame)
{
    Records *records = cookie;
    return row_keeper_take(records->keeper, frame);
}

int records_prepare(Run *run)
{
    const Options *options = run->options;
    if (!path_of(options))
        return STATUS_OK;
    run->records = calloc(1, sizeof(*run->records));
    const int err = run->records ? vmaf_keep_records(run->vmaf, keep_frame, run->records,
                                                     options->shard.is_given)
                                 : -ENOMEM;
    if (!err) {
        run->records->path = path_of(options);
        return STATUS_OK;
    }
    print_error("records cannot be kept: %s", strerror(-err));
    return STATUS_FAILURE;
}

static int print_why(const Message *why, int err)
{
    print_error("%s", why->text);
    return err == -EBADMSG || err == -EINVAL ? STATUS_READ : STATUS_FAILURE;
}

/* A run that was ended at once has left nothing, an empty file, or the beginning of a header. */
static bool is_nothing(const char *path)
{
    VmafFileStatus status;
    const int err = vmaf_file_status_at(path, &status);
    if (err)
        return err == -ENOENT;
    return status.kind == VMAF_FILE_REGULAR && (!status.size || shard_reader_lacks_header(path));
}

static int find_rest(Run *run, Records *records)
{
    Message why;
    if (is_nothing(records->path))
        return STATUS_OK;
    int err = shard_reader_open(&records->reader, records->path, &why);
    if (!err)
        err = shard_reader_find_end(records->reader, &records->left, &records->is_complete, &why);
    if (err)
        return print_why(&why, err);
    if (run->options->frame_count && records->left.rows > run->options->frame_count) {
        print_error("%s: it has %llu frames, more than are to be scored", records->path,
                    (unsigned long long)records->left.rows);
        return STATUS_READ;
    }
    run->progress_from = (unsigned)records->left.rows;
    return shard_range_rest(run, (unsigned)records->left.rows, &records->range);
}

int records_find_part(Run *run)
{
    Records *records = run->records;
    if (!records)
        return STATUS_OK;
    if (records_is_shard(run)) {
        const int status = shard_range_find(run, &records->range);
        run->frames = run->progress_from = records->range.begin;
        run->ended_first = records->range.ended_first;
        return status;
    }
    return run->options->resume ? find_rest(run, records) : STATUS_OK;
}

bool records_begin_elsewhere(const Run *run)
{
    return records_is_shard(run) || (run->records && run->records->reader);
}

int records_go_to_start(const Run *run, VideoReader *reader, unsigned *skip, unsigned *limit)
{
    const ShardRange *range = &run->records->range;
    const bool is_reference = reader == &run->reference->reader;
    const int status = shard_range_go(range, is_reference ? &range->reference : &range->distorted,
                                      reader, skip, limit);
    const unsigned count = run->options->frame_count;
    if (!records_is_shard(run) && count)
        *limit = count > range->begin ? count - range->begin + range->lead_in : 1;
    return status;
}

/* -- the file -- */

/* The rows that are there go to the library as if they were just made. */
static int feed(Run *run, Message *why)
{
    const Records *records = run->records;
    const size_t bytes = shard_reader_shape(records->reader).record_bytes;
    ShardRow row;
    int err = 0;
    for (uint64_t i = 0; i < records->left.rows && !err; i++) {
        err = shard_reader_next(records->reader, &row, why);
        if (err <= 0)
            return err ? err : message_set(why, -EBADMSG, "%s was changed", records->path);
        err = stored_records_use(run, records->path, &row, bytes, why);
    }
    return err;
}

/* Did the run that was interrupted do the same? */
static int compare(const Run *run, const char *header, Message *why)
{
    const Records *records = run->records;
    const json_t *before = shard_reader_header(records->reader);
    json_t *now = json_loads(header, 0, NULL);
    int err = now ? shard_header_check_version(before, records->path, why)
                  : message_set(why, -ENOMEM, "out of memory");
    if (!err)
        err = shard_header_compare(now, "this one", before, records->path, why);
    if (!err && (!json_equal(json_object_get(now, "layout"), json_object_get(before, "layout")) ||
                 !json_equal(json_object_get(now, "row"), json_object_get(before, "row"))))
        err = message_set(why, -EINVAL, "%s: its records are not those of this run", records->path);
    json_decref(now);
    return err;
}

static int go_on(Run *run, const char *header, const ShardShape *shape, Message *why)
{
    Records *records = run->records;
    int err = compare(run, header, why);
    if (!err)
        err = stored_records_layout(run, records->reader, why);
    if (!err && records->left.rows && !shape->has_signatures)
        run->line_up.mode = ALIGN_OFF; /* which would begin in the middle */
    if (!err)
        err = feed(run, why);
    if (records->is_complete)
        run->ended_first = shard_end_ended_first(shard_reader_end(records->reader));
    if (err || records->is_complete)
        return err;
    err = shard_writer_resume(&records->writer, records->path, &records->left, shape);
    return err ? message_set(why, err, "could not open file: %s (%s)", records->path,
                             strerror(-err))
               : 0;
}

static int begin(Run *run, const char *header, const ShardShape *shape, Message *why)
{
    Records *records = run->records;
    const ShardFileMode mode = records_is_shard(run) ? SHARD_APPEARS_COMPLETE : SHARD_GROWS;
    const int err = shard_writer_create(&records->writer, records->path, mode, header, shape);
    return err ? message_set(why, err, "could not open file: %s (%s)", records->path,
                             strerror(-err))
               : 0;
}

static int open_file(Run *run, Message *why)
{
    Records *records = run->records;
    char *header = NULL;
    ShardShape shape;
    int err = stored_records_format(run, "records cannot be kept", why);
    if (!err)
        err = shard_header_make(run, records_is_shard(run) ? &records->range : NULL, &header,
                                &shape, why);
    if (!err)
        err = records->reader ? go_on(run, header, &shape, why) : begin(run, header, &shape, why);
    if (!err && records->writer)
        records->keeper = row_keeper_create(records->writer, shape.record_bytes);
    if (!err && records->writer && !records->keeper)
        err = message_set(why, -ENOMEM, "out of memory");
    free(header);
    return err;
}

int records_start(Run *run)
{
    Message why;
    char backend[BACKEND_NAME_SIZE];
    if (!run->records)
        return STATUS_OK;
    const int err = open_file(run, &why);
    if (!err)
        return STATUS_OK;
    if (err == -ENODEV || backend_choice_has_failed(run->vmaf, backend)) {
        const int status = run_scoring_failed(run, err);
        if (status != STATUS_READ)
            return status;
    }
    return print_why(&why, err);
}

unsigned records_end(const Run *run)
{
    return records_is_shard(run) ? run->records->range.end : 0;
}

bool records_have_all(const Run *run)
{
    const Records *records = run->records;
    if (!records)
        return false;
    return records_is_shard(run) ? records->range.begin == records->range.end
                                 : records->is_complete;
}

/* -- pairs -- */

int records_read_lead_in(Run *run)
{
    int err = 0, status = STATUS_OK;
    unsigned left = run->records && !records_have_all(run) ? run->records->range.lead_in : 0;
    for (; left && !err && !status; left--) {
        Taken reference = run_take_frame(run, run->reference->ahead);
        Taken distorted = run_take_frame(run, run->distorted_ahead);
        const bool are_there = reference.status > 0 && distorted.status > 0;
        err = are_there ? vmaf_read_context(run->vmaf, &reference.picture, &distorted.picture) : 0;
        if (err)
            status = run_scoring_failed(run, err);
        else if (!are_there && !(status = run_finish_reading(run, &reference, &distorted)))
            status = STATUS_READ;
        if (err || !are_there) {
            run_release_frame(&reference);
            run_release_frame(&distorted);
        }
    }
    return status;
}

int records_expect(Run *run, const Taken *reference, const Taken *distorted)
{
    Records *records = run->records;
    if (!records || !records->keeper)
        return 0;
    Signature signatures[2];
    ShardRow row = {.index = run->frames, .time = reference->time};
    if (line_up_mode(run->options, input_is_media(run), false) != ALIGN_OFF) {
        run_signatures(run, reference, distorted, signatures);
        row.reference = &signatures[0];
        row.distorted = &signatures[1];
    }
    return row_keeper_expect(records->keeper, &row);
}

bool records_failed(const Run *run)
{
    const Records *records = run->records;
    const int err = records && records->keeper ? row_keeper_error(records->keeper) : 0;
    if (err)
        print_error("problem writing %s: %s", records->path, strerror(-err));
    return err != 0;
}

/* -- the end -- */

static int check_end(const Run *run)
{
    const ShardRange *range = &run->records->range;
    if (!records_is_shard(run) || records_have_all(run))
        return STATUS_OK;
    const int status = shard_range_check_end(range, &range->reference, &run->reference->reader);
    return status ? status : shard_range_check_end(range, &range->distorted, &run->distorted);
}

static int complete(Run *run)
{
    Records *records = run->records;
    char *end = shard_end_make(run, run->frames, run->notes_before_end);
    int err = end ? row_keeper_finish(records->keeper) : -ENOMEM;
    if (!err) {
        err = shard_writer_finish(records->writer, end);
        records->writer = NULL;
    }
    free(end);
    if (!err)
        return STATUS_OK;
    print_error("problem writing %s: %s", records->path, strerror(-err));
    return STATUS_FAILURE;
}

int records_finish(Run *run)
{
    if (!run->records || !run->records->writer)
        return STATUS_OK;
    const int status = check_end(run);
    return status ? status : complete(run);
}

void records_judge(Run *run)
{
    VmafBackendStatus status = {.struct_size = sizeof(status)};
    if (run->records && run->vmaf && !vmaf_backend_status(run->vmaf, &status))
        run->records->are_wrong = status.spot_check_failed;
}

void records_close(Run *run)
{
    Records *records = run->records;
    if (!records)
        return;
    row_keeper_destroy(records->keeper);
    if (records->are_wrong)
        shard_writer_discard(records->writer);
    else
        shard_writer_abandon(records->writer);
    shard_reader_close(records->reader);
    free(records);
    run->records = NULL;
}
