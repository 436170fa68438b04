/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_SHARD_WRITER_H
#define CLI_SHARD_WRITER_H

#include "shards/shard_format.h"

#include <stdbool.h>
#include <stddef.h>

/* Writes a file of stored records. Functions return 0 or a negative errno. For one thread. */
typedef struct ShardWriter ShardWriter;

typedef enum ShardFileMode {
    SHARD_APPEARS_COMPLETE, /* or not at all */
    SHARD_GROWS,            /* under its name from the beginning on */
} ShardFileMode;

typedef struct ShardShape {
    size_t record_bytes;
    bool has_signatures;
} ShardShape;

/* A new file that begins with this header. On failure *writer is NULL. */
int shard_writer_create(ShardWriter **writer, const char *path, ShardFileMode mode,
                        const char *header, const ShardShape *shape);

/* Goes on with a file that grows: behind `position`, where so many rows precede and everything
 * is right. What follows there is cut off. `head_crc` is that of its head. */
typedef struct ShardPlace {
    int64_t position;
    uint64_t rows;
    uint32_t head_crc;
} ShardPlace;

int shard_writer_resume(ShardWriter **writer, const char *path, const ShardPlace *place,
                        const ShardShape *shape);

/* In the order of frames. The first error is returned again from then on. */
int shard_writer_add(ShardWriter *writer, const ShardRow *row);

/* The last block with this text: the file is complete. Frees the writer. */
int shard_writer_finish(ShardWriter *writer, const char *text);

/* Frees the writer: a file that grows keeps the rows that were added, another one never appears.
 * NULL is allowed. */
void shard_writer_abandon(ShardWriter *writer);
/* The same, but rows that were added since it was made are lost: they are wrong. */
void shard_writer_discard(ShardWriter *writer);

#endif
