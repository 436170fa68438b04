/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_REPORTS_H
#define CLI_REPORTS_H

/*
 * What a run leaves behind: files in the formats that there are, lines that are written while it
 * goes on, pages with pictures of the worst frames, a table on a terminal.
 */

#include "common/output_guard.h"
#include "options/options.h"

#include "libvmaf/picture.h"

#include <stdbool.h>

struct Run;

/* -- files -- */

/*
 * A format of outputs. The function writes a file, prints what is wrong, and returns the exit
 * status.
 */
typedef struct OutputKind {
    unsigned format; /* VMAF_OUTPUT_FORMAT_* */
    const char *extension;
    bool takes_several; /* distorted videos in one file; else each has a file of its own */
    int (*write)(const Output *output, const struct Run *const runs[], unsigned n);
} OutputKind;

const OutputKind *output_kind(unsigned format);
/* NULL if the extension does not imply one. */
const OutputKind *output_kind_of_name(const char *path);

/* True if one of the outputs is to have this format. */
bool output_is_wanted(const Options *options, unsigned format);

/* STATUS_FAILURE, after printing why an output cannot be written. */
int output_failed(const char *name, int err);

/* The format of --precision, as the library takes it. */
const char *output_score_format(const Options *options);

/* Names of the reports on several distorted videos: "{}" stands for the name of the video, without
 * folder and extension. */
bool report_name_has_place(const char *pattern);
/* To be freed; NULL if memory runs out. */
char *report_name_make(const char *pattern, const char *video);

/*
 * Notes all files that a run reads, then all that it writes. `label` is what others would replace
 * with these, NULL: by their kind. 0; -EINVAL, -EEXIST, -ENOMEM and why, and then none is noted.
 */
int outputs_guard(OutputGuard *guard, const Options *options, const char *label, Message *why);

/* The same for the only run of a process, with its trace. STATUS_OK; a status after saying why. */
int outputs_check(const Options *options);

/* -- lines -- */

/*
 * NDJSON reports, of which each line is written as soon as it is known, by a thread of its own. A
 * last line says that the report is complete, or why it is not.
 */
typedef struct LiveReport LiveReport;

/* Opens those of a run, if there are any. Returns the exit status; says what is wrong. */
int live_report_start(struct Run *run);

/* So many pairs were read. False: nothing of the run's outputs can be written any more. NULL is
 * allowed. */
bool live_report_advance(LiveReport *live, unsigned frames);
/* Says why. STATUS_FAILURE. */
int live_report_failed(LiveReport *live);

/* No more frames will come: waits for the lines that are known. NULL is allowed. */
void live_report_finish(LiveReport *live);

/* Is a part of it somewhere where it cannot be taken back? NULL is allowed. */
bool live_report_is_sent(LiveReport *live);

/* Closes what is open; reports without a last line get one that says what went wrong. NULL is
 * allowed, also as the error. */
void live_report_close(LiveReport *live, const char *error);

/* -- pages -- */

/* Pictures of the worst frames. */
typedef struct WorstFrames WorstFrames;

/* Prepares to keep them if a page is wanted. 0; -ENOMEM. */
int html_report_watch(struct Run *run);
/* A pair that is about to be scored. */
void html_report_see(struct Run *run, const VmafPicture *reference, const VmafPicture *distorted);

/* Pairs of pictures that may be kept at a time. NULL is allowed. */
unsigned worst_frames_capacity(const WorstFrames *worst);
/* All scores are known. NULL is allowed. */
void worst_frames_finish(WorstFrames *worst);
/* Releases all pictures. NULL is allowed. */
void worst_frames_destroy(WorstFrames *worst);

/* -- the terminal -- */

/* What a run has found, as a short table for who sits at a terminal; elsewhere nothing. */
void summary_print(const struct Run *const runs[], unsigned n);

#endif
