/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_ENCODERS_ENCODE_RUN_H
#define TUNE_ENCODERS_ENCODE_RUN_H

/* Carries out encodes. All functions may be called from several threads at once. */

#include "common/messages.h"
#include "tune/encoders/encode_request.h"
#include "tune/encoders/encode_stats.h"

#include <stdatomic.h>
#include <stdint.h>

typedef struct EncodeProgress {
    int pass, passes; /* 1 of 1 */
    size_t frames;    /* done in this pass */
    double fps;       /* of this pass so far */
} EncodeProgress;

typedef struct EncodeControl {
    const atomic_bool *stop; /* once true the encode ends; NULL: never */
    int64_t limit_ms;        /* without progress, then it is killed; 0: none */
    void (*on_progress)(void *cookie, const EncodeProgress *progress); /* may be NULL */
    /* Looks at the file before it appears as the output: 0, or the error of the encode and why. May
     * be NULL. */
    int (*check)(void *cookie, const char *path, Message *why);
    void *cookie;
} EncodeControl;

enum { ENCODE_VERSION_SIZE = 128, ENCODE_ERROR_TAIL = 2048 };

typedef struct EncodeOutcome {
    int64_t size;                         /* bytes of the output */
    size_t frames;                        /* that ffmpeg wrote */
    double wall_ms;                       /* of all passes */
    double processor_ms;                  /* the same; 0 if it cannot be told */
    double anchor_kbps;                   /* of the first pass of an anchored two-pass; else 0 */
    int exit_status;                      /* of ffmpeg, -1 if it was killed or not started */
    char rate_control[RATE_CONTROL_SIZE]; /* name of the knob; crf2pass, ... */
    char encoder_version[ENCODE_VERSION_SIZE]; /* or "unknown" */
    bool has_stats;
    EncoderStats stats;
    char error_tail[ENCODE_ERROR_TAIL + 1]; /* the last that ffmpeg said on stderr */
} EncodeOutcome;

/*
 * Runs all passes. The output appears when all is done, or not at all. What is temporary lies in a
 * folder beside it and is removed. 0; -ECANCELED: stopped; -ETIMEDOUT: no progress; -ENOENT: there
 * is no such ffmpeg; -EIO: the encode failed; -EINVAL; -ENOMEM; and why, on one line.
 */
int encode_run(const EncodeRequest *request, const EncodeControl *control, EncodeOutcome *outcome,
               Message *message);

#endif
