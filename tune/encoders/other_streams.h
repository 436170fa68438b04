/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_ENCODERS_OTHER_STREAMS_H
#define TUNE_ENCODERS_OTHER_STREAMS_H

/* What a source has beside its video, and what becomes of it in an output. */

#include "common/messages.h"
#include "tune/encoders/argument_list.h"

typedef enum OtherKind {
    OTHER_AUDIO,
    OTHER_TEXT,   /* subtitles that are text */
    OTHER_BITMAP, /* subtitles that are pictures */
    OTHER_ATTACHMENT,
    OTHER_COVER,
    OTHER_VIDEO,
    OTHER_DATA,
    N_OTHER_KINDS
} OtherKind;

typedef struct OtherStream {
    OtherKind kind;
    char codec[32]; /* FFmpeg's name */
} OtherStream;

typedef struct OtherStreams {
    const OtherStream *stream; /* in the order of the file */
    size_t n;
} OtherStreams;

/*
 * Maps those of an input that the output takes, and copies them; subtitles that are text become
 * what its container has for text. The extension of the output decides.
 */
void other_streams_keep(const OtherStreams *others, int input, const char *output,
                        ArgumentList *list);

/* What is left out, and what is converted; "" if nothing is. */
void other_streams_explain(const OtherStreams *others, const char *output, Message *text);

#endif
