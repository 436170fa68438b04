/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_SHARD_SET_H
#define CLI_SHARD_SET_H

#include "shards/shard_header.h"
#include "shards/shard_reader.h"

/* Files of stored records that together are one run, in the order of its frames. */

typedef struct ShardPart {
    ShardReader *reader;
    ShardAbout about;
} ShardPart;

typedef struct ShardSet {
    ShardPart *parts;
    unsigned count;
    unsigned pairs;       /* of the run */
    const json_t *header; /* of the file that was named first; the others have but their layout */
    const char *path;
} ShardSet;

/*
 * Opens the files and reads all of them: none is damaged, they belong together, and have every
 * frame once. 0; negative errno, and says what is wrong with which. Free in both cases.
 */
int shard_set_open(ShardSet *set, const char *const paths[], unsigned count, Message *why);
void shard_set_close(ShardSet *set);

#endif
