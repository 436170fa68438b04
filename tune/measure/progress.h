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

/* NULL is allowed for a task as well. */
ProgressTask *progress_begin(Progress *progress, const char *name);
/* What it does now ("encoding", "scoring"), and how far that is; total 0: unknown. */
void progress_advance(ProgressTask *task, const char *does, size_t frames, size_t total);
void progress_end(ProgressTask *task, bool counts);

/* Something is finished: a line where standard error is no terminal, which shows it otherwise. */
void progress_note(Progress *progress, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A line of its own, which stays. */
void progress_print(Progress *progress, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The same, once for each text. */
void progress_warn(Progress *progress, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
