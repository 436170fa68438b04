/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Files that together are one run: opened, checked, and printed for people. */
#include "shards_internal.h"

#include "common/json.h"
#include "common/messages.h"

#include <errno.h>
#include <stdlib.h>

static int open_part(ShardPart *part, const char *path, Message *why)
{
    uint64_t rows = 0;
    int err = shard_reader_open(&part->reader, path, why);
    if (!err)
        err = shard_header_check_version(shard_reader_header(part->reader), path, why);
    if (!err)
        err = shard_header_check_layout(shard_reader_header(part->reader), path, why);
    if (!err)
        err = shard_reader_verify(part->reader, &rows, why);
    if (!err)
        err = shard_header_about(shard_reader_header(part->reader), shard_reader_end(part->reader),
                                 rows, path, &part->about, why);
    if (part->reader)
        shard_reader_rest(part->reader);
    return err;
}

static int belongs(const ShardPart *first, const ShardPart *other, Message *why)
{
    return shard_header_compare(
        shard_reader_header(first->reader), shard_reader_path(first->reader),
        shard_reader_header(other->reader), shard_reader_path(other->reader), why);
}

/* What all files say would take much memory a thousand times. */
static void forget(ShardReader *reader)
{
    json_t *header = shard_reader_header(reader);
    (void)json_object_del(header, "run");
    (void)json_object_del(header, "input");
}

static int compare_begins(const void *a, const void *b)
{
    const ShardAbout *first = &((const ShardPart *)a)->about;
    const ShardAbout *second = &((const ShardPart *)b)->about;
    if (first->begin != second->begin)
        return first->begin < second->begin ? -1 : 1;
    return (first->end > second->end) - (first->end < second->end);
}

static int gap(const ShardPart *before, unsigned from, unsigned to, Message *why)
{
    return message_set(why, -EINVAL, "no part has frames %u to %u%s%s", from, to - 1,
                       before ? ", which follow those of " : "",
                       before ? shard_reader_path(before->reader) : "");
}

/* Every frame is in one part. */
static int check_coverage(const ShardSet *set, Message *why)
{
    const ShardPart *before = NULL;
    unsigned next = 0;
    for (unsigned i = 0; i < set->count; i++) {
        const ShardPart *part = &set->parts[i];
        if (part->about.begin == part->about.end)
            continue;
        if (part->about.begin < next)
            return message_set(why, -EINVAL, "%s and %s have the same frames, from %u on",
                               shard_reader_path(before->reader), shard_reader_path(part->reader),
                               part->about.begin);
        if (part->about.begin > next)
            return gap(before, next, part->about.begin, why);
        next = part->about.end;
        before = part;
    }
    return next < set->pairs ? gap(before, next, set->pairs, why) : 0;
}

int shard_set_open(ShardSet *set, const char *const paths[], unsigned count, Message *why)
{
    *set = (ShardSet){.parts = calloc(count, sizeof(*set->parts))};
    int err = set->parts ? 0 : message_set(why, -ENOMEM, "out of memory");
    for (unsigned i = 0; i < count && !err; i++) {
        set->count++;
        err = open_part(&set->parts[i], paths[i], why);
        if (!err)
            err = belongs(&set->parts[0], &set->parts[i], why);
        if (!err && i)
            forget(set->parts[i].reader);
    }
    if (err)
        return err;
    set->pairs = set->parts[0].about.pairs;
    set->header = shard_reader_header(set->parts[0].reader);
    set->path = paths[0];
    if (!set->pairs)
        return message_set(why, -EINVAL, "%s: there are no frames to score", paths[0]);
    qsort(set->parts, count, sizeof(*set->parts), compare_begins);
    return check_coverage(set, why);
}

void shard_set_close(ShardSet *set)
{
    for (unsigned i = 0; i < set->count; i++)
        shard_reader_close(set->parts[i].reader);
    free(set->parts);
    *set = (ShardSet){.parts = NULL};
}

/* -- what is in them -- */

int shard_rejected(const Message *why, int err)
{
    print_error("%s", why->text);
    return err == -ENOMEM ? STATUS_FAILURE : STATUS_READ;
}

static void print_row(const char *name, const char *value)
{
    print_line(stdout, "%-12s %s", name, value ? value : "unknown");
}

static void print_choice(const json_t *run)
{
    const json_t *models = json_object_get(run, "models");
    for (size_t i = 0; i < json_array_size(models); i++) {
        const json_t *model = json_array_get(models, i);
        const char *version = json_text_of(model, "version");
        print_row("model", version ? version : json_text_of(model, "path"));
    }
    const json_t *features = json_object_get(run, "features");
    for (size_t i = 0; i < json_array_size(features); i++)
        print_row("feature", json_text_of(json_array_get(features, i), "name"));
}

static void print_video(const json_t *header, const char *role)
{
    const json_t *video = json_object_get(json_object_get(header, "input"), role);
    const json_t *bytes = json_object_get(video, "bytes");
    const char *name = json_text_of(video, "name");
    if (json_is_integer(bytes))
        print_line(stdout, "%-12s %s, %lld bytes", role, name ? name : "unknown",
                   (long long)json_integer_value(bytes));
    else
        print_row(role, name);
    if (json_text_of(video, "sha256"))
        print_row("  SHA-256", json_text_of(video, "sha256"));
}

static void print_records(const json_t *header)
{
    const json_t *records = json_object_get(json_object_get(header, "layout"), "records");
    for (size_t i = 0; i < json_array_size(records); i++) {
        const json_t *record = json_array_get(records, i);
        const char *feature = json_text_of(record, "feature");
        char *options = json_dumps(json_object_get(record, "options"), JSON_COMPACT);
        print_line(stdout, "%-12s %s %s", "record", feature ? feature : "unknown",
                   options ? options : "");
        free(options);
    }
}

static void print_frames(const ShardAbout *about)
{
    if (about->is_whole)
        print_line(stdout, "%-12s all %u", "frames", about->pairs);
    else if (about->begin == about->end)
        print_line(stdout, "%-12s none of %u, shard %u/%u", "frames", about->pairs, about->shard,
                   about->n_shards);
    else
        print_line(stdout, "%-12s %u to %u of %u, shard %u/%u", "frames", about->begin,
                   about->end - 1, about->pairs, about->shard, about->n_shards);
}

static int print_part(const char *path, Message *why)
{
    ShardReader *reader;
    ShardAbout about;
    uint64_t rows = 0;
    int err = shard_reader_open(&reader, path, why);
    if (!err)
        err = shard_reader_verify(reader, &rows, why);
    if (!err)
        err = shard_header_about(shard_reader_header(reader), shard_reader_end(reader), rows, path,
                                 &about, why);
    if (!err) {
        const json_t *header = shard_reader_header(reader);
        print_row("file", path);
        print_row("libvmaf", json_text_of(header, "libvmaf"));
        print_frames(&about);
        print_row("computed by", json_text_of(shard_reader_end(reader), "computed_by"));
        print_video(header, "reference");
        print_video(header, "distorted");
        print_choice(json_object_get(header, "run"));
        print_records(header);
    }
    shard_reader_close(reader);
    return err;
}

int shard_info_print(const char *const paths[], unsigned count)
{
    int status = STATUS_OK;
    for (unsigned i = 0; i < count; i++) {
        Message why;
        const int err = print_part(paths[i], &why);
        if (err)
            status = shard_rejected(&why, err);
        else if (i + 1 < count)
            print_line(stdout, "%s", "");
    }
    const int written = standard_output_finish();
    return status ? status : written;
}
