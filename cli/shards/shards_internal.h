/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_SHARDS_INTERNAL_H
#define CLI_SHARDS_INTERNAL_H

/* Files of stored records, and what runs take from them. */

#include "shards/shards.h"

#include <jansson.h>

/* -- files (shard_file.c) -- */

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

/* -- rows that are put together (records.c) -- */

/*
 * One thread announces pairs before it submits them, another one brings their records later.
 * Functions return 0 or a negative errno.
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

/* The range of pairs of shard number `shard`. */
void shard_range_cut(unsigned pairs, unsigned shard, unsigned n_shards, unsigned *begin,
                     unsigned *end);

/* -- headers: what a run is, for those who finish it elsewhere; docs/shards.md lists their members
 * (shard_header.c writes them, stored_header.c reads them) -- */

/* Makes the header of what a run is about to write, to be freed, and the shape of its rows; `range`
 * NULL: it is no shard. 0; -ENOMEM; another negative errno, and why. */
int shard_header_make(const Run *run, const ShardRange *range, char **text, ShardShape *shape,
                      Message *why);

/* The text of the last block, to be freed; NULL without memory. `notes` are those of the run that
 * the header does not have. */
char *shard_end_make(const Run *run, unsigned pairs, unsigned first_note);

/* The text of a member; NULL: it is none. */
const char *json_text_get(const json_t *object, const char *key);

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
/* Which video of the run ended first, as the last block says it; see Run. */
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
