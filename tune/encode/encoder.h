/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_ENCODE_ENCODER_H
#define TUNE_ENCODE_ENCODER_H

/*
 * What is known of encoders, as data: tune/encode/encoders.json, which docs/tune.md explains.
 * Everything lives in the table and is not changed after it was made, so any thread may read it.
 */

#include "common/messages.h"
#include "tune/encode/arguments.h"
#include "tune/encode/encode_point.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

typedef enum TwoPassKind {
    TWO_PASS_NONE,
    TWO_PASS_NATIVE,   /* both passes have q */
    TWO_PASS_ANCHORED, /* the first has q; the second the bitrate that resulted */
} TwoPassKind;

typedef struct Encoder {
    const char *name;          /* of FFmpeg's encoder */
    const char *short_name;    /* as other programs call it; or NULL */
    const char *codec;         /* h264, hevc, av1, vp9, vvc, prores */
    const char *row_version;   /* of this row of the table: part of keys of caches */
    const char *quality_name;  /* crf, qp, cq, ... */
    QualityRange qualities;    /* all that the encoder accepts: the range of searches */
    QualityRange first_probes; /* where the first probes of a search belong */
    int steps;                 /* of a unit of quality, if the encoder that is there has them */
    int default_q;
    const json_t *value_names; /* what {value} is for q = lowest, lowest + 1, ...; or NULL */
    const json_t *presets;     /* x264's names and the encoder's, from quick to slow */
    const json_t *own_presets; /* further values that the encoder has; or NULL */
    const char *default_preset;
    const char *probe_preset; /* for quick looks at a video; NULL: the encoder has none */
    int probe_q;
    TwoPassKind two_pass;
    const char *stats_file; /* template: where the first pass or -stats leaves statistics, a line
                               for each frame; or NULL */
    const char *parameters_option; /* -x265-params and the like: merged into one; or NULL */
    const char *pixel_format;      /* that is encoded unless somebody chooses another; "deeper": the
                                    * source's with 10 bits; NULL: the source's */
    const char *hdr_pixel_format;  /* that HDR needs; NULL: any with 10 bits */
    const char *upload_formats;    /* of frames that are sent to the hardware by a filter; NULL:
                                    * the encoder takes those of memory */
    const json_t *version_patterns; /* what stands before the version on stderr; * is any text */
    const char *version_prefix;     /* put before the version: "libx264-" */
    const char *installed_by;       /* which package or what else would make it available */
    bool hdr_known;                 /* false: colours cannot be told to it */
    bool is_hardware;
    const json_t *row; /* all of it */
} Encoder;

/* A list of arguments that the row has, whose placeholders in braces are replaced when a command is
 * made: "quality", "hdr.pq" and so on. NULL: it has none. */
const json_t *encoder_arguments(const Encoder *encoder, const char *key);
/* Adds them, if there are any, with values "name=text". */
void encoder_add(const Encoder *encoder, const char *key, const ArgumentList *values,
                 ArgumentList *list);
/* The encoder, its preset and q, which may be between whole numbers, as such values. 0; -EINVAL and
 * why. */
int encoder_values(const Encoder *encoder, const char *preset, double q, ArgumentList *values,
                   Message *message);
/* The key of the arguments for q. */
const char *encoder_quality_key(const Encoder *encoder, double q);

typedef struct EncoderTable {
    json_t *rows; /* by name; they have the texts of the encoders */
    Encoder *encoders;
    size_t n;
} EncoderTable;

/*
 * The table that is compiled in, then, unless NULL, a file of the same format: rows of known names
 * take the place of those rows, others follow. 0; -ENOMEM; -EINVAL or the error of reading the
 * file, and why, on one line.
 */
int encoder_table_open(EncoderTable *table, const char *file, Message *message);
void encoder_table_close(EncoderTable *table);

/* Also by its short name, and without "lib". NULL, and a message that may name one that was meant.
 */
const Encoder *encoder_find(const EncoderTable *table, const char *name, Message *message);
/* What the encoder is to be given for a preset: a name of the table, a value of it, or a further
 * one that the encoder has. A NULL name is the default preset. NULL, and why. */
const char *encoder_find_preset(const Encoder *encoder, const char *name, Message *message);

#endif
