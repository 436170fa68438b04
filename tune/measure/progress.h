/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_MEASURE_PROGRESS_H
#define TUNE_MEASURE_PROGRESS_H

/*
 * What encodes and scores are at, as a line on a terminal that is written again and again; where
 * standard error is none, a line for what is finished. From any thread.
 */

#include <stdbool.h>
#include <stddef.h>

typedef struct Progress Progress;

/* NULL without memory, which all functions take for one that shows nothing. */
Progress *progress_create(bool is_quiet);
void progress_destroy(Progress *progress);

/* Encodes there will be, if that is known; those that are finished are counted. */
void progress_expect(Progress *progress, size_t encodes);

/* Something that takes a while. Names are at most some 40 characters. */
typedef struct ProgressTask ProgressTask;

/* NULL: it is not shown, which the functions below allow. */
ProgressTask *progress_begin(Progress *progress, const char *name);
/* What it does now ("encoding", "scoring"), and how far that is; total 0: unknown. */
void progress_advance(ProgressTask *task, const char *does, size_t frames, size_t total);
void progress_end(ProgressTask *task, bool counts);

/* Lines of their own. */
typedef enum ProgressLine {
    PROGRESS_PRINT, /* one that stays */
    PROGRESS_WARN,  /* the same, once for each text */
    PROGRESS_NOTE,  /* something is finished, which a terminal shows otherwise */
} ProgressLine;

void progress_line(Progress *progress, ProgressLine kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#define progress_print(progress, ...) progress_line(progress, PROGRESS_PRINT, __VA_ARGS__)
#define progress_warn(progress, ...) progress_line(progress, PROGRESS_WARN, __VA_ARGS__)
#define progress_note(progress, ...) progress_line(progress, PROGRESS_NOTE, __VA_ARGS__)

#endif
