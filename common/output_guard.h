/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TEXT_OUTPUT_GUARD_H
#define TEXT_OUTPUT_GUARD_H

/*
 * What the outputs of a run may replace: never a file that it reads, never another of its outputs,
 * however their paths are written. What else is there stays unless it is empty, no file (a device,
 * a pipe), what such an output begins with, or the user gave --overwrite. For one thread at a time.
 */

#include <stdbool.h>

#include "common/messages.h"

typedef struct OutputGuard {
    struct GuardedFile *files;
    unsigned count;
    unsigned *buckets; /* of `files`, by their keys */
    unsigned n_buckets;
} OutputGuard;

typedef enum OutputContent {
    OUTPUT_TEXT,  /* replaces texts */
    OUTPUT_MAGIC, /* what begins with `magic` */
    OUTPUT_VIDEO, /* nothing */
} OutputContent;

typedef struct GuardedOutput {
    const char *path;  /* NULL or "-": standard output, which replaces nothing */
    const char *name;  /* begins messages: "the report" */
    const char *label; /* what others would replace: "what line 1 writes"; NULL: the name, of the
                          only run of the process */
    OutputContent content;
    const char *magic;
    bool overwrites; /* the user gave --overwrite */
    bool needs_file; /* a pipe, or what standard output goes to, will not do */
} GuardedOutput;

/* Notes a file that is read; NULL is allowed, "-" is standard input. 0; -EINVAL if it is one of the
 * outputs so far, -ENOMEM, and why. */
int output_guard_read(OutputGuard *guard, const char *path, const char *label, Message *why);

/* Notes an output. 0; -EINVAL, -EEXIST (--overwrite would help), -ENOMEM, and why. */
int output_guard_write(OutputGuard *guard, const GuardedOutput *output, Message *why);

/* The same for the trace that VMAF_TRACE names, which the library writes. */
int output_guard_trace(OutputGuard *guard, Message *why);

/* Forgets all but the first `count` of `files`. */
void output_guard_forget(OutputGuard *guard, unsigned count);
void output_guard_free(OutputGuard *guard);

#endif
