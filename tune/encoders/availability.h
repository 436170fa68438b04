/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_ENCODERS_AVAILABILITY_H
#define TUNE_ENCODERS_AVAILABILITY_H

/* Finds the encoders that work here. All functions may be called from several threads at once. */

#include "common/messages.h"
#include "tune/encoders/encoder.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* When a run of ffmpeg is ended. */
typedef struct FfmpegLimits {
    const atomic_bool *stop; /* once true; NULL: never */
    int64_t limit_ms;        /* after this time, whatever it prints; 0: never */
} FfmpegLimits;

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

typedef struct EncoderAvailability {
    bool usable;
    bool listed;       /* ffmpeg knows it, though it may not work */
    Message reason;    /* why it is not usable, and what would make it so */
    char version[128]; /* of the encoder; "unknown"; its name if it is hardware */
    Knob knob;         /* what this ffmpeg accepts of the encoder's range: search in it */
} EncoderAvailability;

/* Listed, and one grey frame of 256x256 could be encoded. 0; -ENOMEM; -ECANCELED. */
int encoder_probe(const char *ffmpeg, const FfmpegDescription *description, const Encoder *encoder,
                  const FfmpegLimits *limits, EncoderAvailability *availability);

#endif
