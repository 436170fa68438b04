/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>
#include <stdio.h>

/* Who has computed frames. */
typedef struct ProgressShares {
    const char *backend; /* what to call those that take part; NULL: none does */
    unsigned long long by_cpu, by_backend;
} ProgressShares;

typedef void (*ProgressCount)(void *cookie, ProgressShares *shares);

typedef struct ProgressMark {
    double time; /* wall-clock seconds */
    unsigned long long done;
    ProgressShares shares;
} ProgressMark;

enum { PROGRESS_MARKS = 11 };

/* The line on a terminal that tells how far a run is. */
typedef struct Progress {
    FILE *out;
    bool enabled;
    unsigned long long total; /* frames; 0 if not known */
    bool is_estimate;         /* of the total */
    ProgressCount count;      /* or NULL */
    void *cookie;
    ProgressMark start;
    ProgressMark marks[PROGRESS_MARKS]; /* the last ones: what rates are told of */
    unsigned n_marks;
    double shown; /* when the line was last written */
    bool open;    /* the cursor stands behind the line */
} Progress;

void progress_start(Progress *progress, FILE *out, bool enabled, unsigned long long total,
                    bool is_estimate);
/* Who is to be asked for the shares of those who compute. */
void progress_ask(Progress *progress, ProgressCount count, void *cookie);

/* Shows the line for `done` frames, at most ten times a second. */
void progress_update(Progress *progress, unsigned long long done);

/* Shows the final count, with rates of the whole run, and ends the line, so that other text can
 * follow. */
void progress_end(Progress *progress, unsigned long long done);

/* What one line shows. */
typedef struct ProgressLine {
    unsigned long long done, total; /* frames */
    bool is_estimate;
    double rate;         /* frames a second; not positive: not known */
    const char *backend; /* NULL: only one works */
    double cpu_rate, backend_rate;
} ProgressLine;

/* A line of less than `columns` characters, without its line end: how it looks, apart from when. It
 * has as much of what is known as fits. */
void progress_format(char *text, size_t size, const ProgressLine *line, unsigned columns);

/* What is known from one mark to a later one. */
ProgressLine progress_between(const ProgressMark *from, const ProgressMark *to);

#endif
