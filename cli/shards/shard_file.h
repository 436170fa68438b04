/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_SHARD_FILE_H
#define CLI_SHARD_FILE_H

/* Files of stored records. */

#include "common/messages.h"
#include "media/alignment/signature.h"

#include "libvmaf/libvmaf_ext.h"

#include <jansson.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What they begin with; text tools that change line ends change it. */
#define SHARD_MAGIC "\x89VMAFS\r\n"

/* The range of pairs of shard number `shard`. */
void shard_range_cut(unsigned pairs, unsigned shard, unsigned n_shards, unsigned *begin,
                     unsigned *end);

enum {
    SHARD_BLOCK_ROWS = 32, /* as they are written */
    SHARD_SIGNATURE_BYTES = 2 * SIGNATURE_ROWS * SIGNATURE_COLUMNS,
};

/* What is stored of a pair of frames. */
typedef struct ShardRow {
    uint32_t index;     /* in the whole run */
    double time;        /* of the reference's frame, see FrameClock; NaN: the file does not say */
    const void *record; /* NULL: subsampling has left the frame out */
    const Signature *reference, *distorted; /* NULL: the file has none */
} ShardRow;

typedef struct ShardShape {
    size_t record_bytes;
    bool has_signatures;
} ShardShape;

size_t shard_row_bytes(size_t record_bytes, bool has_signatures);

/* Writes a file of stored records. Functions return 0 or a negative errno. For one thread. */
typedef struct ShardWriter ShardWriter;

typedef enum ShardFileMode {
    SHARD_APPEARS_COMPLETE, /* or not at all */
    SHARD_GROWS,            /* under its name from the beginning on */
} ShardFileMode;

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

/*
 * Reads a file of stored records. Nothing in it is trusted: what is damaged is rejected with a
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

/*
 * Puts rows together: one thread announces pairs before it submits them, another one brings their
 * records later. Functions return 0 or a negative errno.
 */
typedef struct RowKeeper RowKeeper;

/* Keeps records of that size. The writer stays the caller's, who does not use it before
 * row_keeper_finish. NULL: no memory. */
RowKeeper *row_keeper_create(ShardWriter *writer, size_t record_bytes);
void row_keeper_destroy(RowKeeper *keeper); /* NULL is allowed */

/* The next pair, before the library has it. Its record is not looked at, signatures are copied. */
int row_keeper_expect(RowKeeper *keeper, const ShardRow *row);
/* A function for vmaf_keep_records: `cookie` is the keeper. */
int row_keeper_take(void *cookie, const VmafStoredFrame *frame);
/* The first that went wrong; 0: nothing has. */
int row_keeper_error(RowKeeper *keeper);
/* The pairs that are left have no records. */
int row_keeper_finish(RowKeeper *keeper);

#endif
