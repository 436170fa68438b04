/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_ENCODE_ENCODE_RUN_H
#define TUNE_ENCODE_ENCODE_RUN_H

/* Runs ffmpeg: finds the encoders that work here, and carries out encodes. All functions may be
 * called from several threads at once. */

#include "common/hash.h"
#include "common/messages.h"
#include "tune/encode/encode_request.h"
#include "tune/encode/encoder.h"
#include "tune/encode/ffmpeg_output.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* When a run of ffmpeg is ended. */
typedef struct FfmpegLimits {
    const atomic_bool *stop; /* once true; NULL: never */
    int64_t limit_ms;        /* after this time, whatever it prints; 0: never */
} FfmpegLimits;

/* -- what is no encode, such as joining files -- */

/* The program, and options with which it replaces files, asks nothing and prints errors alone. */
void ffmpeg_begin(const char *ffmpeg, ArgumentList *command);
/* Runs such a command. 0; -ECANCELED; -EIO, it failed, with its first error if it printed one, also
 * if it was silent afterwards; -ETIMEDOUT, silent without an error; -ENOSPC, of which FFmpeg 5.1
 * takes no notice; another negative errno; and why. */
int ffmpeg_run(const ArgumentList *command, const FfmpegLimits *limits, Message *why);

/* -- which encoders work -- */

/* What an ffmpeg reports about itself. */
typedef struct FfmpegDescription {
    char version[128]; /* what follows "ffmpeg version" */
    char line[256];    /* that line */
    char *encoders;    /* what -encoders prints */
} FfmpegDescription;

/* 0; -ENOENT: there is no such program; -EIO: it does not behave as ffmpeg does; -ECANCELED; and
 * why. */
int ffmpeg_describe(const char *ffmpeg, const FfmpegLimits *limits, FfmpegDescription *description,
                    Message *message);
void ffmpeg_description_free(FfmpegDescription *description);

/* The hash of a file's video as its packets are, SHA-256. 0; -EIO; -ECANCELED; and why. */
int ffmpeg_hash_packets(const char *ffmpeg, const char *path, const FfmpegLimits *limits,
                        char hash[SHA256_TEXT_SIZE], Message *message);

/* Has it all filters of a chain for encodes? 0; -EINVAL; -EIO; -ECANCELED; and why. */
int ffmpeg_check_filters(const char *ffmpeg, const char *chain, const FfmpegLimits *limits,
                         Message *message);

typedef struct EncoderAvailability {
    bool usable;
    bool listed;            /* ffmpeg knows it, though it may not work */
    Message reason;         /* why it is not usable, and what would make it so */
    char version[128];      /* of the encoder; "unknown"; its name if it is hardware */
    QualityRange qualities; /* what this ffmpeg accepts of the encoder's range: search in it; whole
                             * numbers until encoder_find_steps */
} EncoderAvailability;

/* Listed, and one grey frame of 256x256 could be encoded. 0; -ENOMEM; -ECANCELED. */
int encoder_probe(const char *ffmpeg, const FfmpegDescription *description, const Encoder *encoder,
                  const FfmpegLimits *limits, EncoderAvailability *availability);

/*
 * Sets the steps of availability->qualities to the most that the encoder has. One that has to be
 * asked has them if two encodes of a frame at neighbouring values differ and it says their values.
 * 0; -ENOMEM; -ECANCELED.
 */
int encoder_find_steps(const char *ffmpeg, const Encoder *encoder, const FfmpegLimits *limits,
                       EncoderAvailability *availability);

/* -- encodes -- */

typedef struct EncodeControl {
    const atomic_bool *stop; /* once true the encode ends; NULL: never */
    int64_t limit_ms;        /* without progress, then it is killed; 0: none */
    /* Frames done in this pass, of 1 or 2. May be NULL. */
    void (*on_progress)(void *cookie, int pass, int passes, size_t frames);
    /* Looks at the file before it appears as the output: 0, or the error of the encode and why. May
     * be NULL. */
    int (*check)(void *cookie, const char *path, Message *why);
    void *cookie;
} EncodeControl;

enum { ENCODE_VERSION_SIZE = 128 };

typedef struct EncodeOutcome {
    int64_t size;                         /* bytes of the output */
    size_t frames;                        /* that ffmpeg wrote */
    double wall_ms;                       /* of all passes */
    double anchor_kbps;                   /* of the first pass of an anchored two-pass; else 0 */
    int exit_status;                      /* of ffmpeg, -1 if it was killed or not started */
    char rate_control[RATE_CONTROL_SIZE]; /* name of the quality parameter; crf2pass, ... */
    char encoder_version[ENCODE_VERSION_SIZE]; /* or "unknown" */
    bool has_stats;
    EncoderStats stats;
    char complaint[320]; /* of settings that the encoder ignores; "" */
} EncodeOutcome;

/*
 * Runs all passes. The output appears when all is done, or not at all. What is temporary lies in a
 * folder beside it and is removed. 0; -ECANCELED: stopped; -ETIMEDOUT: no progress; -ENOENT: there
 * is no such ffmpeg; -EIO: the encode failed; -EINVAL; -ENOMEM; and why, on one line.
 */
int encode_run(const EncodeRequest *request, const EncodeControl *control, EncodeOutcome *outcome,
               Message *message);

#endif
