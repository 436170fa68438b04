/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_API_STORED_RUN_H
#define TESTS_API_STORED_RUN_H

/* Runs in parts: contexts that keep stored frames, and others that are fed with them. */

#include "api/api_support.h"

enum { RUN_FRAMES_MAX = 64 };

/* A run of pictures from the formula of the clip, whose scene changes at an uneven pace, and stands
 * still for a while. */
typedef struct Run {
    Shape shape;
    unsigned n_frames, n_threads, n_subsample;
    void (*use_features)(VmafContext *vmaf);
    void (*score)(VmafContext *vmaf, unsigned n_frames); /* NULL: no models */
} Run;

/* What was kept of frames, by index. */
typedef struct StoredRun {
    char *layout;
    size_t n_bytes;
    void *data[RUN_FRAMES_MAX]; /* NULL: nothing was kept */
    unsigned n_kept, last_index;
    int in_order; /* 1 as long as indices grow */
    int answer;   /* to the callback of frame number `answer_at` */
    unsigned answer_at;
} StoredRun;

/* A stored frame is added to the StoredRun that is the cookie. */
int stored_run_add(void *cookie, const VmafStoredFrame *frame);
void stored_run_clear(StoredRun *stored);

VmafContext *run_open(const Run *run);
/* The same; frames are stored, instead of being finished if it is only for that. */
VmafContext *run_open_keeping(const Run *run, StoredRun *stored, int only);
int run_read_context(VmafContext *vmaf, const Run *run, unsigned index);
void run_read(VmafContext *vmaf, const Run *run, unsigned from, unsigned to);
/* With as many pairs before the first frame as the features look at. */
void run_read_part(VmafContext *vmaf, const Run *run, unsigned from, unsigned to);
int run_state_format(VmafContext *vmaf, const Run *run);
/* Frames from `from` on, up to `to`, which is excluded: without records where nothing was kept. */
int run_feed(VmafContext *vmaf, const StoredRun *stored, unsigned from, unsigned to);
/* Scores of models, then reports in all formats, and a table with all digits; to be freed. */
char *run_reports(VmafContext *vmaf, const Run *run);
/* The same after a flush, and closes. */
char *run_end(VmafContext *vmaf, const Run *run);

/* The whole run, at once. */
char *run_at_once(const Run *run);
/* A part of it, with as many pairs before it as the features look at. */
void run_part(const Run *run, unsigned from, unsigned to, StoredRun *stored);
/* The run that is merged from what is stored. */
char *run_merge(const Run *run, const StoredRun *stored);

#endif
