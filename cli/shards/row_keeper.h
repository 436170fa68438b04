/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_ROW_KEEPER_H
#define CLI_ROW_KEEPER_H

#include "shards/shard_writer.h"

#include "libvmaf/libvmaf_ext.h"

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
