/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_SHARD_HEADER_H
#define CLI_SHARD_HEADER_H

/*
 * The header of a file of stored records: what a run is, for those who finish it elsewhere. Its
 * members are listed in docs/shards.md.
 */

#include "command_line.h"
#include "common/messages.h"
#include "media/match.h"
#include "shards/shard_range.h"
#include "shards/shard_writer.h"
#include "shards/stored_input.h"

#include <jansson.h>

struct Run;

/* Makes the header of what a run is about to write, to be freed, and the shape of its rows; `range`
 * NULL: it is no shard. 0; -ENOMEM; another negative errno, and why. */
int shard_header_make(const struct Run *run, const ShardRange *range, char **text,
                      ShardShape *shape, Message *why);

/* The text of the last block, to be freed; NULL without memory. `notes` are those of the run that
 * the header does not have. */
char *shard_end_make(const struct Run *run, unsigned pairs, unsigned first_note);

/* -- reading -- */

typedef struct ShardAbout {
    unsigned begin, end;      /* of pairs */
    unsigned pairs;           /* of the whole run */
    bool is_whole;            /* it has no entry about shards */
    unsigned shard, n_shards; /* as --shard was given */
} ShardAbout;

/* The file's place in the run. `end` is the last block, `rows` the number of rows. 0; -EBADMSG, and
 * what is wrong with `path`. */
int shard_header_about(const json_t *header, const json_t *end, uint64_t rows, const char *path,
                       ShardAbout *about, Message *why);

/* Checks that both belong to the same run. 0; -EINVAL, and which differs in what. */
int shard_header_compare(const json_t *first, const char *first_path, const json_t *other,
                         const char *path, Message *why);
/* Checks that no option of its records names a file: a header does not decide what files are
 * read. */
int shard_header_check_layout(const json_t *header, const char *path, Message *why);
/* Checks that the records were made by this version of the library. */
int shard_header_check_version(const json_t *header, const char *path, Message *why);

/*
 * Takes the models and features of the run, for options that have none: no option names files. 0;
 * -EBADMSG, and why.
 */
int shard_header_take_choice(const json_t *header, Options *options, const char *path,
                             Message *why);
/* Takes the range of frames that was scored, which those who finish the run cannot choose. 0;
 * -EBADMSG, and why. */
int shard_header_take_frames(const json_t *header, Options *options, unsigned *passed_over,
                             const char *path, Message *why);

/* "reference" or "distorted"; `video` has to be freed in both cases. */
int shard_header_take_video(const json_t *header, const char *role, StoredVideo *video,
                            const char *path, Message *why);
/* Adds the notes of the array `key`. */
void shard_header_take_notes(const json_t *object, const char *key, Notes *notes);
/* How the frames of the run are checked for showing the same. *can_apply: see LineUp. */
enum AlignMode shard_header_align(const json_t *header, bool *can_apply);

#endif
