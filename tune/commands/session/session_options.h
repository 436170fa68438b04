/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_COMMANDS_SESSION_OPTIONS_H
#define TUNE_COMMANDS_SESSION_OPTIONS_H

/* Options that all subcommands share which encode and score. */

#include "tune/command_line/options.h"

typedef enum HdrChoice { HDR_CHOICE_AUTO, HDR_CHOICE_SDR, HDR_CHOICE_PQ, HDR_CHOICE_HLG } HdrChoice;

typedef enum ErrorsChoice { ERRORS_STOP, ERRORS_IGNORE } ErrorsChoice;

typedef struct SessionOptions {
    /* The source. */
    TextList sources;
    int width, height;
    const char *pixel_format, *frame_rate;
    double duration;
    int stream;        /* -1: as ffmpeg chooses */
    int first_picture; /* of sequences; 0: the lowest */
    int errors;        /* ErrorsChoice */
    bool force_raw, no_source_hash;
    bool auto_hdr, force_sdr, force_pq, force_hlg;
    /* Encodes. */
    const char *preset;
    TextList extra;
    int ffmpeg_threads;
    bool two_pass;
    const char *adapters;
    const char *ffmpeg, *ffprobe, *vmaf;
    /* Scores. */
    const char *model;
    bool no_resolution_aware;
    TextList features;
    const char *backend;
    int score_threads;
    int pool; /* ScorePool */
    TextList require;
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

enum { SESSION_GROUPS = 4 };

/* The defaults. */
SessionOptions session_options(void);

/* The tables for it, in the order of help. `takes_presets`: --preset is the subcommand's own. */
void session_option_groups(SessionOptions *options, OptionGroup groups[SESSION_GROUPS]);

#endif
