/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

/*
 * What the program is asked to do: its command line, understood and checked, and what it tells its
 * caller in the end. What there is to ask for stands in catalogue.h.
 */

#include "common/messages.h"
#include "media/match.h"
#include "options/catalogue.h"

#include "libvmaf/libvmaf_ext.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ExitStatus {
    STATUS_OK = 0,
    STATUS_USAGE = 1,         /* the command line is wrong */
    STATUS_GATE = 3,          /* a score is not as --require demands; the report is written */
    STATUS_BACKEND = 100,     /* the backend that was asked for is not available */
    STATUS_INTERRUPTED = 130, /* a batch, by Ctrl-C; results of pairs that ended are there */
    STATUS_READ = 234,        /* a frame could not be read or scored, or there was none (-EINVAL) */
    STATUS_FAILURE = 255,     /* anything else */
};

/*
 * Exit status of a run whose result stands on standard output. One that could not be written, as
 * with `vmaf --help > /dev/full`, is a failure, which is said on stderr.
 */
int standard_output_finish(void);

/* -- features and models -- */

/* NAME or NAME=OPTION=VALUE:OPTION=VALUE..., taken apart. */
typedef struct FeatureOption {
    const char *name;
    const char *value;
} FeatureOption;

typedef struct FeatureSpec {
    const char *name;
    unsigned n_options;
    FeatureOption *options;
    char *text; /* what the pointers above point into */
} FeatureSpec;

/* 0; -EINVAL for text that cannot be taken apart; -ENOMEM. Free with feature_spec_free. */
int feature_spec_parse(FeatureSpec *spec, const char *text, Message *why);
void feature_spec_free(FeatureSpec *spec);

/*
 * Does the extractor have all these options? -EINVAL with a suggestion if not. An extractor that
 * the library does not have passes: the library itself rejects it later, and its way of saying so
 * is part of the interface.
 */
int feature_spec_check(const FeatureSpec *spec, Message *why);

/* Could the scores of the two have the same keys? Only options that show in keys tell them apart.
 */
bool feature_spec_same_keys(const FeatureSpec *a, const FeatureSpec *b);

/* Options as the library takes them; *dictionary is NULL if there are none. 0 or -ENOMEM. */
int feature_spec_dictionary(const FeatureSpec *spec, VmafFeatureDictionary **dictionary);

enum { MODEL_MAX_OVERLOADS = 32 };

/* One `extractor.option=value` of a model string. */
typedef struct ModelOverload {
    const char *extractor;
    const char *option;
    const char *value;
} ModelOverload;

/* A model string (`version=vmaf_v0.6.1:name=a:disable_clip`), taken apart. */
typedef struct ModelSpec {
    const char *version; /* built-in model, or NULL */
    const char *path;    /* model file, or NULL */
    bool is_auto;        /* the size of the videos decides; one of the three is given */
    const char *name;    /* of the score in reports */
    uint64_t flags;      /* enum VmafModelFlags */
    unsigned n_overloads;
    ModelOverload overloads[MODEL_MAX_OVERLOADS];
    char *text;    /* what the pointers above point into */
    char *content; /* of the file, which then is not opened; NULL: it was not read yet */
    size_t content_size;
} ModelSpec;

/* 0; -EINVAL for text that cannot be taken apart; -ENOMEM. Free with model_spec_free. */
int model_spec_parse(ModelSpec *spec, const char *text, Message *why);
void model_spec_free(ModelSpec *spec);

/* -EINVAL with a suggestion if an overload names an extractor or option that does not exist. */
int model_spec_check(const ModelSpec *spec, Message *why);

/* How messages and score lines call the model: its version, its path or "auto". */
const char *model_spec_label(const ModelSpec *spec);

/* -- conditions -- */

enum { MAX_GATES = 32, GATE_POOL_SIZE = 16 };

enum GateRelation { GATE_AT_LEAST, GATE_ABOVE, GATE_AT_MOST, GATE_BELOW };

/* What --require demands of a pooled score, "vmaf.p1>=80": if it is not met the program says so by
 * its exit status. */
typedef struct Gate {
    const char *text; /* as the user wrote it */
    size_t length;
    size_t name_length;            /* of the score's name, with which the text begins */
    char pool[GATE_POOL_SIZE];     /* "mean", "p1" ... */
    enum VmafPoolingMethod method; /* the same; VMAF_POOL_METHOD_UNKNOWN: it is a statistic */
    enum GateRelation relation;
    double limit;
} Gate;

typedef struct GateList {
    unsigned count;
    Gate items[MAX_GATES];
} GateList;

/* -- media files -- */

/* The sizes that models are made for. */
enum {
    MODEL_HD_WIDTH = 1920,
    MODEL_HD_HEIGHT = 1080,
    MODEL_4K_WIDTH = 3840,
    MODEL_4K_HEIGHT = 2160,
};

/* Where both files begin. */
typedef struct StartOption {
    bool is_given, is_time;
    unsigned frame;
    double seconds;
} StartOption;

/* What the command line says of the frames of media files. */
typedef struct InputOptions {
    MatchOptions match;
    bool scales_to_model; /* match.width and height follow the models */
    bool is_media;        /* an option that only media files have: Y4M is read as one */
    const char *hwaccel;  /* NULL: none */
    bool stream_given, reference_stream_given, distorted_stream_given;
    unsigned stream, reference_stream, distorted_stream; /* of both files, or of one */
    unsigned first_picture; /* of sequences; 0: the lowest number there is */
    bool ignores_errors;
    bool no_film_grain; /* of the distorted video */
    StartOption start;
    double duration; /* 0: to the end */
    bool frames_given;
    bool pairs_by_time;
    bool finds_borders;
} InputOptions;

/* The video stream of one of the files; -1: as ffmpeg chooses. */
int input_options_stream(const InputOptions *options, bool is_distorted);

/* -- backends -- */

/* What the command line says of one backend. */
typedef struct BackendWord {
    char name[BACKEND_NAME_SIZE];
    bool excluded;
    bool distrusted; /* it has computed wrongly */
    bool device_given;
    int device; /* -1: the backend's choice; ALL_DEVICES */
} BackendWord;

enum { ALL_DEVICES = -2 }; /* as in vmaf_backend_select */
enum { MAX_BACKEND_WORDS = 32 };

typedef struct BackendWords {
    unsigned count;
    BackendWord words[MAX_BACKEND_WORDS];
} BackendWords;

/* Does it ask for one device, rather than for any? */
bool backend_word_names_device(const BackendWord *word);

/* The entry of a backend; without one NULL. */
const BackendWord *backend_words_find(const BackendWords *words, const char *name);
/* The same, made if need be; NULL if there is no room. `name` has `length` bytes. */
BackendWord *backend_words_get(BackendWords *words, const char *name, size_t length);

/* -- the command line -- */

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

/* How frames that are compared are checked for showing the same, in the order of the option's
 * values. */
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
    unsigned jobs; /* of a batch */

    const char *backend; /* NULL: not given */
    uint32_t gpumask;
    BackendWords backends;

    enum Task task;
    const char *capabilities; /* file for the document; NULL: standard output */
} Options;

/* Where options stand: on the command line of a run, on that of a batch, for all of its lines, in a
 * line of its list, or behind a subcommand that finishes stored records. */
enum OptionPlace { IN_RUN = 1, IN_BATCH = 2, IN_LINE = 4, IN_MERGE = 8, IN_RESCORE = 16 };

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

/* -- its parts, for command lines that are put together -- */

/* Words that are taken one by one. Start with { .argc = argc, .argv = argv }, and with .next = 1 if
 * the first is the program's name. */
typedef struct OptionScanner {
    int argc;
    char **argv;
    int next;             /* argument to look at */
    const char *cluster;  /* rest of -xyz, or NULL */
    const char *words[2]; /* arguments that are no options: reference, distorted */
    unsigned n_words;     /* all of them */
    const char **list;    /* where they go instead, of any number; NULL: there are at most two */
} OptionScanner;

/* Takes the options of some words, in addition to what is there, as far as they belong to that
 * place. 0; 1: one was answered by printing something; -EINVAL, -ENOMEM, and why. */
int command_line_take(Options *options, OptionScanner *scanner, enum OptionPlace place,
                      Message *why);
/* Checks, and fills in, what one pair needs. 0; -EINVAL, -ENOMEM, and why. */
int command_line_check(Options *options, Message *why);
/* Checks only what can be checked before there is a pair. */
int command_line_check_defaults(const Options *options, Message *why);

/* -- commands -- */

/* What the program does if its first word is `name`. Dispatch, usage, help and completions come
 * from one table of these. */
typedef struct Command {
    const char *name;
    const char *arguments;        /* what stands behind the name, for people */
    const char *summary;          /* for shells */
    bool takes_options;           /* those of the program */
    const char *flag, *flag_help; /* an option of its own, without dashes; NULL: there is none */
    /* Gets the words behind the name, and returns the exit status. */
    int (*run)(int argc, char **argv);
} Command;

/* NULL: the word is the name of none. */
const Command *command_find(const char *word);

/* A line that says how the command is used. STATUS_USAGE. */
int command_print_usage(const char *name);

#endif
