/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_SHARDS_H
#define CLI_SHARDS_H

/*
 * Runs in parts: runs that keep their records in a file, and commands that finish such files.
 * docs/shards.md describes the files.
 */

#include "run/run.h"

/* vmaf merge: makes the reports of a run of its parts; vmaf rescore: scores stored records with
 * other models and features. The words are those behind the name. Return the exit status. */
int merge(int argc, char **argv);
int rescore(int argc, char **argv);

/* -- the steps of a run that keeps its records: a shard, --keep-records, --resume; they do nothing
 * for other runs -- */

/* Before the first frame, after features and models: asks the library for records. */
int records_prepare(Run *run);
/* Looks which part of the run is wanted, and what an interrupted run has left. Once it is known how
 * the videos line up. */
int records_find_part(Run *run);

/* Does the run begin elsewhere than the videos? Then goes there; *skip and *limit are those of
 * read_ahead_start. Returns the exit status. */
bool records_begin_elsewhere(const Run *run);
int records_go_to_start(const Run *run, VideoReader *reader, unsigned *skip, unsigned *limit);

/* Once all is noted that is to be noted of the videos: opens the file, and takes from it what an
 * interrupted run has left. */
int records_start(Run *run);
/* Reads the pairs before those that are scored, whose neighbours they are. The end of the videos is
 * an error, as they have been longer. Returns the exit status. */
int records_read_lead_in(Run *run);
/* Index behind the last pair of a shard; 0: it is none. */
unsigned records_end(const Run *run);
/* Is nothing read, since all is there or a shard has no frames? */
bool records_have_all(const Run *run);

/* The next pair, before the library has it. 0; negative errno. */
int records_expect(Run *run, const Taken *reference, const Taken *distorted);
/* Has it failed because records could not be written? Says so. */
bool records_failed(const Run *run);

/* After the flush, if all went well: completes the file. Returns the exit status. */
int records_finish(Run *run);
/* Before the context is closed: are records wrong that were kept? And after it: what is not
 * finished is given up. */
void records_judge(Run *run);
void records_close(Run *run);

/* Is it one part of several, which has no scores? */
bool records_is_shard(const Run *run);
/* Pairs of the whole run of a shard. */
unsigned records_pairs(const Run *run);

#endif
