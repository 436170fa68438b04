/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "shards/shard_set.h"

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
