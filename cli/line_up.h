/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_LINE_UP_H
#define CLI_LINE_UP_H

#include "command_line.h"
#include "media/alignment/alignment.h"
#include "media/match.h"

/*
 * Checks that the frames that are compared show the same (--align): looks on while a pair of videos
 * is scored, and reports what it finds.
 */
typedef struct LineUp {
    enum AlignMode mode; /* ALIGN_OFF: nothing is looked at */
    bool can_apply;      /* --align auto would help */
    Alignment *alignment;
    unsigned told; /* findings that were said */
} LineUp;

/* What --align means where it is not given. Pipes of programs and scripts stay as silent as they
 * were. */
enum AlignMode line_up_mode(const Options *options, bool is_media, bool terminal);

/* Begins to look. Returns the exit status, and has said what is wrong. */
int line_up_start(LineUp *line_up, enum AlignMode mode, bool can_apply);

/* The next frame of both. True if there is something to say. */
bool line_up_add(LineUp *line_up, const VmafPicture *reference, const VmafPicture *distorted);
/* The same by what they look like. */
bool line_up_add_signatures(LineUp *line_up, const Signature *reference,
                            const Signature *distorted);
/* There are no more. True if there is something to say. */
bool line_up_end(LineUp *line_up);

/* Says it and notes it; `name` is the distorted video's. Returns the exit status: with --align
 * strict frames that do not line up are an error. */
int line_up_tell(LineUp *line_up, const char *name, bool quiet, Notes *notes);

void line_up_free(LineUp *line_up);

/* Frames that have to be passed over so that two videos line up, beside those that are anyway. */
typedef struct LineUpSkip {
    unsigned reference, distorted;
} LineUpSkip;

#endif
