/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_SHARDS_INTERNAL_H
#define CLI_SHARDS_INTERNAL_H

/* Between files of stored records and runs: ranges of frames, headers, records. */

#include "shards/shard_file.h"
#include "shards/shards.h"

/* -- the pairs that a part of a run scores (shard_range.c) -- */

/* A video from where the run begins. */
typedef struct ShardVideo {
    unsigned long long base;   /* index in the file of the run's first frame */
    unsigned long long frames; /* from there on */
    bool is_plain;             /* see video_reader_plain_frames */
    bool is_broken;            /* behind these frames something is that cannot be read */
} ShardVideo;

/*
 * Every shard of a run finds the same number of pairs by itself, so it counts frames without
 * decoding where that is certain, and else decodes them all.
 */
typedef struct ShardRange {
    unsigned begin, end;     /* of all pairs, from 0 on */
    unsigned lead_in;        /* pairs before `begin` that are read as neighbours */
    unsigned pairs;          /* of the whole run */
    const char *ended_first; /* of the whole run, see Run */
    ShardVideo reference, distorted;
} ShardRange;

/* Counts, and takes the part that --shard names. The inputs are open. Returns the exit status. */
int shard_range_find(Run *run, ShardRange *range);
/* What is left behind `done` pairs, to the end of the videos: their number is not sought. */
int shard_range_rest(Run *run, unsigned done, ShardRange *range);

/*
 * Goes to the first frame that is read of a video. *skip receives frames that are to be passed
 * over, *limit how many are read; 0: all. Returns the exit status.
 */
int shard_range_go(const ShardRange *range, const ShardVideo *video, VideoReader *reader,
                   unsigned *skip, unsigned *limit);

/* Was everything read where it was expected? After the last pair. Returns the exit status. */
int shard_range_check_end(const ShardRange *range, const ShardVideo *video,
                          const VideoReader *reader);

/* -- headers: what a run is, for those who finish it elsewhere; docs/shards.md lists their members
 * (shard_header.c writes them, stored_header.c reads them) -- */

/* Makes the header of what a run is about to write, to be freed, and the shape of its rows; `range`
 * NULL: it is no shard. 0; -ENOMEM; another negative errno, and why. */
int shard_header_make(const Run *run, const ShardRange *range, char **text, ShardShape *shape,
                      Message *why);

/* The text of the last block, to be freed; NULL without memory. `notes` are those of the run that
 * the header does not have. */
char *shard_end_make(const Run *run, unsigned pairs, unsigned first_note);

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
/* The video of the run that ended first, as the last block says it; see Run. */
const char *shard_end_ended_first(const json_t *end);

/* -- files that together are one run, in the order of its frames (shard_set.c) -- */

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

/* Prints what is in files of stored records, for people. Returns the exit status: damaged ones are
 * STATUS_READ. */
int shard_info_print(const char *const paths[], unsigned count);

/* STATUS_READ, or STATUS_FAILURE for what is no fault of the files, after saying why. */
int shard_rejected(const Message *why, int err);

/* -- records that a context takes from a file (stored_run.c) -- */

/* Says what the pictures are like; `problem` is what an error is. 0; negative errno, and why. */
int stored_records_format(const Run *run, const char *problem, Message *why);
/* Says what the records of a file are like. */
int stored_records_layout(const Run *run, const ShardReader *reader, Message *why);
/* The next row, with a record of so many bytes. */
int stored_records_use(Run *run, const char *path, const ShardRow *row, size_t bytes, Message *why);

#endif
