/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_RECORD_OPTIONS_H
#define CLI_RECORD_OPTIONS_H

/* Options of runs that keep records: --shard, --keep-records, --resume. */

#include "command_line.h"

/* "I/N". False: it is none. */
bool shard_option_parse(ShardOption *shard, const char *text);

/* Refuses what goes not together. The outputs have their formats. 0; -EINVAL, and says why. */
int record_options_check(const Options *options, Message *why);

/* Keeps what is in model files: they may be other ones when records are finished. */
void record_options_prepare(Options *options);

#endif
