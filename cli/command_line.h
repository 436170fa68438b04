/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_COMMAND_LINE_H
#define CLI_COMMAND_LINE_H

#include "backends.h"
#include "feature_spec.h"
#include "gate.h"
#include "input_options.h"
#include "model_spec.h"
#include "option_table.h"

#include "libvmaf/libvmaf.h"

#include <stdbool.h>
#include <stdint.h>

enum { MAX_MODELS = 32, MAX_FEATURES = 32, MAX_DISTORTED = 64, MAX_OUTPUTS = 16 };

/* What the program is to do. */
enum Task {
    TASK_SCORE,
    TASK_LIST_BACKENDS,
    TASK_CAPABILITIES,
};

/* The part of a run that is scored: number `index` of `count`. */
typedef struct ShardOption {
    bool is_given;
    unsigned index, count;
} ShardOption;

/* How frames that are compared are checked for showing the same. */
enum AlignMode {
    ALIGN_OFF,
    ALIGN_CHECK,  /* differences are reported */
    ALIGN_AUTO,   /* the beginnings are brought in line */
    ALIGN_STRICT, /* differences are an error */
};

/* A file that a run leaves behind. */
typedef struct Output {
    const char *path;
    unsigned format; /* VMAF_OUTPUT_FORMAT_* */
} Output;

/* The command line, understood and checked. */
typedef struct Options {
    const char *reference;
    const char *distorted; /* the first */
    unsigned n_distorted;
    const char *all_distorted[MAX_DISTORTED];

    bool raw; /* no Y4M: the next four describe both files */
    unsigned width, height;
    enum VmafPixelFormat pixel_format;
    unsigned bit_depth;

    InputOptions input; /* of media files */

    unsigned frame_count; /* 0: all */
    bool frame_count_given;
    unsigned skip_reference, skip_distorted;
    unsigned subsample;
    bool align_given;
    enum AlignMode align;
    bool mixed_depths; /* a difference in bit depth is evened out, not rejected */

    unsigned n_models;
    bool has_default_model; /* the user has named none */
    ModelSpec models[MAX_MODELS];
    unsigned n_features;
    FeatureSpec features[MAX_FEATURES];
    bool no_prediction;

    unsigned n_outputs;
    Output outputs[MAX_OUTPUTS];
    bool format_given;      /* by its option, for outputs whose names do not imply one, and a single
                             * one */
    unsigned format;        /* VMAF_OUTPUT_FORMAT_* */
    const char *statistics; /* for vmaf_report_statistics; NULL: none */
    char score_format[8];   /* printf format of scores; empty: as libvmaf prints them */
    GateList gates;
    bool quiet;
    bool overwrites; /* files that look like no output of this program */

    ShardOption shard;
    const char *keep_records, *resume; /* files; NULL: none */
    bool sha256;                       /* of the videos, with the records */
    unsigned n_parts;                  /* files of stored records, of vmaf merge and rescore */
    const char **parts;
    bool info;         /* vmaf merge: only print what is in them */
    bool all_features; /* vmaf rescore */

    bool threads_given;
    unsigned threads;
    uint32_t cpumask;
    bool jobs_given;
    unsigned jobs; /* of a batch */

    const char *backend; /* NULL: not given */
    uint32_t gpumask;
    BackendWords backends;

    enum Task task;
    bool short_form;          /* of the list of backends: JSON */
    const char *capabilities; /* file for the document; NULL: standard output */
} Options;

/*
 * True if there is something to run. Otherwise all is printed already, be it help or why the
 * command line is wrong, and *status is the exit status. Pointers into argv are kept. Free with
 * command_line_free in both cases.
 */
bool command_line_parse(Options *options, int argc, char **argv, int *status);

/* The same for a subcommand that finishes stored records, whose words are files. There are no
 * videos. `argv` begins behind the name. */
bool command_line_parse_parts(Options *options, enum OptionPlace place, int argc, char **argv,
                              int *status);

void command_line_free(Options *options);

/* The parts of that, for command lines that are put together. */

/* Takes the options of some words, in addition to what is there, as far as they belong to that
 * place. 0; 1: one was answered by printing something; -EINVAL, -ENOMEM, and why. */
int command_line_take(Options *options, OptionScanner *scanner, enum OptionPlace place,
                      Message *why);
/* Checks, and fills in, what one pair needs. 0; -EINVAL, -ENOMEM, and why. */
int command_line_check(Options *options, Message *why);
/* Checks only what can be checked before there is a pair. */
int command_line_check_defaults(const Options *options, Message *why);

#endif
