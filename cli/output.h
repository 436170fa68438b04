/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include "command_line.h"

struct Run;

/* What a run gave for one distorted video, as outputs see it. */
typedef struct ScoredVideo {
    const struct Run *run;
    const char *error; /* why there are no scores; NULL: there are */
} ScoredVideo;

/*
 * A format of outputs. The functions write a file, print what is wrong, and return the exit status.
 */
typedef struct OutputKind {
    unsigned format; /* VMAF_OUTPUT_FORMAT_* */
    const char *extension;
    int (*write)(const Output *output, const ScoredVideo *video);
    /* About several distorted videos in one file; NULL: each has a file of its own. */
    int (*write_all)(const Output *output, const ScoredVideo videos[], unsigned n);
} OutputKind;

const OutputKind *output_kind(unsigned format);
/* NULL if the extension does not imply one. */
const OutputKind *output_kind_of_name(const char *path);

/* True if one of the outputs is to have this format. */
bool output_is_wanted(const Options *options, unsigned format);

/* STATUS_FAILURE, after printing why an output cannot be written. */
int output_failed(const char *name, int err);

#endif
