/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_STORED_RUN_H
#define CLI_STORED_RUN_H

#include "command_line.h"
#include "shards/shard_set.h"

/*
 * Finishes the stored records of a run as if it had just read its videos: scores, reports, what
 * --require demands. The options have models and features, of the run or others. Returns the exit
 * status; errors are on stderr, and nothing is written before all records were used.
 */
int stored_run(const Options *options, const ShardSet *set, bool has_other_models);

/* Tells the context what the records of a file are like. 0; negative errno, and says why. */
int stored_run_read_from(VmafContext *vmaf, const ShardReader *reader, Message *why);

/* STATUS_READ, or STATUS_FAILURE for what is no fault of the files, after saying why. */
int stored_run_refuse(const Message *why, int err);

#endif
