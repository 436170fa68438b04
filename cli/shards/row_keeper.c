/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "shards/row_keeper.h"

#include <errno.h>
#include <stdlib.h>

#include "platform/thread.h"

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
