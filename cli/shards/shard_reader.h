/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_SHARD_READER_H
#define CLI_SHARD_READER_H

#include "common/messages.h"
#include "shards/shard_format.h"
#include "shards/shard_writer.h"

#include <jansson.h>

#include <stdbool.h>

/*
 * Reads a file of stored records. Nothing in it is trusted: what is damaged is refused with a
 * reason. Functions return 0 or a negative errno, -EBADMSG for damage, and say why.
 */
typedef struct ShardReader ShardReader;

/* Is it the beginning of such a file, cut within its header? */
bool shard_reader_lacks_header(const char *path);

/* The head. `path` is kept. On failure *reader is NULL. */
int shard_reader_open(ShardReader **reader, const char *path, Message *why);
void shard_reader_close(ShardReader *reader); /* NULL is allowed */

const char *shard_reader_path(const ShardReader *reader);
/* Belongs to the reader. */
json_t *shard_reader_header(const ShardReader *reader);
ShardShape shard_reader_shape(const ShardReader *reader);

/*
 * Reads all blocks without using them: checksums, the order of frames, the last block and that
 * nothing follows it. *rows receives how many there are.
 */
int shard_reader_verify(ShardReader *reader, uint64_t *rows, Message *why);
/* The text of the last block; NULL before that. Belongs to the reader. */
json_t *shard_reader_end(const ShardReader *reader);

/* How far a file is right that may have no last block. *is_complete: it has. */
int shard_reader_find_end(ShardReader *reader, ShardPlace *place, bool *is_complete, Message *why);

/* Row by row from the beginning; 1; 0 behind the last one. What the row points to is valid until
 * the next call. */
int shard_reader_next(ShardReader *reader, ShardRow *row, Message *why);

/* Frees what rows are read into: many files can be open. */
void shard_reader_rest(ShardReader *reader);

#endif
