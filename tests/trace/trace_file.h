/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_TRACE_TRACE_FILE_H
#define TESTS_TRACE_TRACE_FILE_H

/* Reads traces, and checks what holds for all of them. Failures are those of cmocka. */

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

typedef struct Trace {
    json_t *root, *events;
    json_t *names; /* of processes and rows */
} Trace;

/* What events are to be like; NULL, 0 and false: anything. */
typedef struct Match {
    unsigned pid;
    const char *row; /* the beginning of its name */
    const char *category, *name;
    bool with_frame;
    unsigned frame;
} Match;

/*
 * Loads a trace and checks that it is valid: all processes and rows that occur have exactly one
 * name, items of a row are nested, each frame that begins ends, and nothing was dropped unless the
 * test says so.
 */
Trace trace_load(const char *path);
Trace trace_load_with_drops(const char *path);
/* Of a function that a child runs: see child_run. */
Trace trace_of_child(const char *path, void (*function)(void *argument), void *argument);
void trace_free(Trace *trace);

unsigned trace_count(const Trace *trace, const Match *match);
/* So many events have these members of a Match; at least one has. */
#define expect_count(trace, n, ...)                                                                \
    assert_int_equal(trace_count(trace, &(const Match){__VA_ARGS__}), n)
#define expect_some(trace, ...) assert_true(trace_count(trace, &(const Match){__VA_ARGS__}) > 0)
/* Of their lengths, and the longest, in us. */
double trace_sum(const Trace *trace, const Match *match);
/* The detail of the only one; fails if there is not exactly one. */
const char *trace_detail(const Trace *trace, const Match *match);
/* Rows of a process whose names begin so. */
unsigned trace_rows(const Trace *trace, unsigned pid, const char *name);
unsigned trace_processes(const Trace *trace);
json_int_t trace_data(const Trace *trace, const char *key);

/* Frames 0 to n - 1 of a context: each exactly once, with all these features, which executors
 * have worked on; separated by spaces, in order. */
void trace_check_frames(const Trace *trace, unsigned pid, unsigned n, const char *features);

#endif
