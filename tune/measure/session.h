/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_MEASURE_SESSION_H
#define TUNE_MEASURE_SESSION_H

/*
 * What a subcommand needs that encodes and scores: options, encoders that work here, sources, the
 * cache, progress, and Ctrl-C. Functions that return a status have printed what is wrong to stderr;
 * TUNE_OK is 0.
 */

#include "tune/encode/encode_run.h"
#include "tune/encode/encoder.h"
#include "tune/encode/scratch_folder.h"
#include "tune/measure/gates.h"
#include "tune/measure/scorer.h"
#include "tune/measure/source_shots.h"
#include "tune/options/command.h"
#include "tune/options/options.h"

/* -- options that all subcommands share which encode and score -- */

typedef enum ErrorsChoice { ERRORS_STOP, ERRORS_IGNORE } ErrorsChoice;

typedef struct SessionOptions {
    TextList sources;
    SourceOptions source; /* but for its path and what follows from other options */
    int errors;           /* ErrorsChoice */
    bool auto_hdr, force_sdr, force_pq, force_hlg;
    /* Encodes. */
    TextList extra;
    TextList enc, enc_input; /* "name=value" */
    const char *pixel_format_out;
    const char *keyint; /* frames, or seconds with an "s" */
    int film_grain;     /* -1: not given */
    int ffmpeg_threads;
    bool two_pass;
    const char *adapters;
    const char *ffmpeg, *vmaf;
    /* Scores. */
    const char *model;
    bool no_resolution_aware;
    TextList features;
    const char *backend;
    int score_threads;
    int pool; /* ScorePool */
    TextList require, targets;
    double sample_seconds;
    int sample_windows;
    bool allows_frame_mismatch;
    /* The work. */
    int jobs;
    double step_timeout; /* seconds; 0: none */
    const char *encode_dir, *work_dir, *cache_dir;
    bool keeps_encodes, no_cache;
    double cache_gib;  /* GiB */
    double memory_gib; /* for decoded frames */
    bool is_quiet, dry_run;
} SessionOptions;

enum { SESSION_OWN_GROUPS = 8 };

/*
 * Parses a subcommand's arguments into groups of its own, SESSION_OWN_GROUPS at most, and into
 * options of a session; then begins its work, which gets its settings. A status.
 */
int session_command(const TuneCommand *command, int argc, char **argv, const OptionGroup *own,
                    size_t n_own,
                    int (*begin)(const TuneCommand *command, SessionOptions *options,
                                 void *settings),
                    void *settings);

/* -- the session -- */

/* An encoder that works. */
typedef struct SessionEncoder {
    const Encoder *encoder;
    EncoderAvailability availability;
} SessionEncoder;

typedef struct Session {
    const TuneCommand *command;
    const SessionOptions *options;
    EncoderTable encoders;
    FfmpegDescription ffmpeg;
    TuneCache *cache;      /* NULL: none */
    ScratchFolder scratch; /* for encodes that are not kept; none if nothing is run */
    unsigned n_sources;    /* that were opened */
    Progress *progress;
    ScoreProgram score_program;             /* no path: none */
    char score_version[SCORE_VERSION_SIZE]; /* of that, or of the library */
    double keyint;                          /* see MeasureOptions */
    TuneGates gates; /* of --require, behind the main one, whose target is the subcommand's */
    char features[SEARCH_MAX_GATES][GATE_NAME_SIZE]; /* that they need, beside those of --feature */
    size_t n_features;
    bool has_eight_bits; /* a source */
    bool has_said_depth;
} Session;

/* The target of the first gate: `said`; if that is NAN, NAN with conditions, else the usual one. */
double session_target(const SessionOptions *options, double said, double usual);

/* The conditions of --require and --target, behind the main one of that target. A status. */
int session_gates(const TuneCommand *command, const SessionOptions *options, double target,
                  TuneGates *gates);

/* `target`: of the first gate. Call session_close in either case. */
int session_open(Session *session, const TuneCommand *command, const SessionOptions *options,
                 double target);
void session_close(Session *session);

/* Opens a session and its only source, works with them, and closes both. */
int session_run(const TuneCommand *command, const SessionOptions *options, double target,
                int (*work)(Session *session, const TuneSource *source, void *settings),
                void *settings);

/* Looks at the source. Close it with source_close in either case. */
int session_open_source(Session *session, const char *path, TuneSource *source);

/*
 * Prints what of the source's other streams an output leaves out or converts, and tries with one
 * frame of this encoder whether its container can hold the rest, unless nothing is run. 0; a
 * status.
 */
int session_check_streams(const Session *session, const TuneSource *source, const char *encoder,
                          const char *output, bool video_only);

/* Finds an encoder that is in the table and works here. */
int session_find_encoder(Session *session, const char *name, SessionEncoder *encoder);
/* The same without printing: `why` is the reason why it cannot be used. With another ffmpeg, and
 * what that one is; NULL: the session's. 0; negative errno. */
int session_try_encoder(Session *session, const char *ffmpeg, const FfmpegDescription *description,
                        const char *name, SessionEncoder *encoder, Message *why);

/* The whole numbers of the encoder's quality that work here: maybe fewer than in the table. */
QualityRange session_quality_range(const SessionEncoder *encoder);
/* The same in steps of `step` units, which it rejects if the encoder, which is asked, does not have
 * them; 0: the finest that it has. A status. */
int session_quality_steps(const Session *session, SessionEncoder *encoder, double step,
                          QualityRange *qualities);
/* Rejects a value that the encoder does not have. A status. */
int session_check_quality(const Session *session, SessionEncoder *encoder, double q);
/* The HDR that the source is, by the options and by the file's own tags. */
HdrTransfer session_find_hdr(const Session *session, const TuneSource *source);

/* How the source is to be measured. */
typedef struct SessionMeasurer {
    Measurer *measurer;
    SampleWindow *windows; /* that the options ask for; NULL: others */
    HdrTransfer hdr;
    char model[256];
    bool is_calibrated; /* the model was made for such videos */
    char clip_mode[32]; /* "full", "sample_10s" */
} SessionMeasurer;

/* Chooses at most n windows of so many seconds together. Their number; negative errno and why. Free
 * them in either case. */
int session_choose_windows(const TuneSource *source, double seconds, size_t n,
                           SampleWindow **windows, Message *why);

/* Begins to measure that part, or, if it is NULL, as much as the options ask for. Close it in
 * either case. */
int session_open_measurer(Session *session, const TuneSource *source, const MeasuredPart *part,
                          SessionMeasurer *measurer);
void session_close_measurer(SessionMeasurer *measurer);

/* Finds the shots of the source, as encodes are cut by default. Free them in either case. */
int session_find_shots(const Session *session, const TuneSource *source, SourceShots *found,
                       Message *why);

/* Prints the command lines of an encode, for --dry-run. A status. */
int session_print_commands(const Session *session, Measurer *measurer, const EncodeSpec *spec);
/* The same at the encoder's default quality, where a search would choose one. */
int session_print_example(const Session *session, Measurer *measurer, const EncodeSpec *spec);

/* What the encoder is to be given, but for q. */
EncodeSpec session_spec(const Session *session, const SessionEncoder *encoder, const char *preset);
/* Rejects a preset that the encoder does not have. */
int session_check_preset(const Session *session, const Encoder *encoder, const char *preset);

/* The status for an error of a measurement or search, which it prints. */
int session_fail(const Session *session, int error, const char *what);

/* True once the user wants to end, after the function below or session_open. */
extern const atomic_bool *const session_interrupt;
void session_note_interrupts(void);
/* The limits for runs of ffmpeg that ask what it can do. */
extern const FfmpegLimits session_ffmpeg_limits;

#endif
