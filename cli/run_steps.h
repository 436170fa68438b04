/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_RUN_STEPS_H
#define CLI_RUN_STEPS_H

/*
 * The steps of a run for one distorted video, alone (run.c) or beside others of the same reference
 * (run_several.c). Those that return an int return the exit status, and have said what is wrong.
 */

#include "command_line.h"
#include "frame_clock.h"
#include "line_up.h"
#include "live_report.h"
#include "loaded_model.h"
#include "media/autocrop.h"
#include "media/match.h"
#include "media/read_ahead.h"
#include "progress.h"
#include "run_host.h"
#include "worst_frames.h"

/* The reference video. */
typedef struct Reference {
    VideoReader reader;
    bool open;
    ReadAhead *ahead;
    FrameClock clock;
    Autocrop *autocrop; /* NULL: its borders were not sought */
    Notes notes;        /* on it alone */
} Reference;

/* Everything that one run acquires. */
typedef struct Run {
    const Options *options;
    const RunHost *host;
    unsigned n_threads;
    Reference *reference;
    VideoReader distorted;
    bool distorted_open;
    Message why_fetched; /* frames that a device has decoded; "": they are not, or it is clear */
    VmafContext *vmaf;
    bool chose_backend; /* the program has, so that it can go on without it */
    unsigned n_models;
    LoadedModel models[MAX_MODELS];
    ReadAhead *distorted_ahead;
    LineUp line_up;
    bool out_of_line;                       /* which is an error here */
    LineUpSkip line_up_skip;                /* so that the videos line up */
    Notes notes;                            /* on the distorted video, and both */
    struct Records *records;                /* that it keeps; NULL: it does not */
    const struct StoredInput *stored;       /* of files of records; NULL: the videos are there */
    unsigned frames;                        /* pairs that were scored; of a shard: the next index */
    unsigned progress_from;                 /* frames that others have scored before */
    unsigned notes_before_end;              /* the videos' end added the others */
    bool has_scores;                        /* of models, too, and all of the video */
    unsigned events;                        /* losses of a backend that are accounted for */
    char devices_label[DEVICES_LABEL_SIZE]; /* of those that take part, for the progress */
    int64_t started;                        /* reading, steady clock in nanoseconds */
    double seconds;                         /* until the last score was known */
    const char *ended_first;                /* "reference", "distorted"; NULL: neither */
    LiveReport *live;                       /* NULL: there is none */
    const Message *said;                    /* about what went wrong; NULL: not collected */
    Message words;                          /* the same, of a run alone */
    WorstFrames *worst;                     /* for a page; NULL: there is none */
    char lead[128];                     /* key of the score that they are judged by; "": a model */
    char distrusted[BACKEND_NAME_SIZE]; /* backend whose scores are wrong; empty: none */
} Run;

/* Opens the reference, or the distorted video, as far as `open` tells afterwards. */
int run_open_reference(Run *run);
int run_open_distorted(Run *run);
/* Reads the header of a video; checks what size and beginning of a raw one say of its format. */
int run_start_input(const Run *run, VideoReader *reader, const char *role);
int run_check_raw(const Options *options, const VideoReader *reader, unsigned skip);
int run_compare_formats(Run *run);
int run_create_context(Run *run);
int run_load_models(Run *run);
int run_load_features(Run *run);
int run_check_output(Run *run);

/* Begins to look whether frames line up; --align auto looks ahead in the files. */
int run_start_line_up(Run *run);
/* Says what line_up_add has found, or line_up_end. */
int run_tell_line_up(Run *run);
int run_end_line_up(Run *run);

/* Begins to read the reference, or the distorted video, for pictures of such a depth. After the
 * reference its clock goes. */
int run_read_reference(Run *run, unsigned depth);
int run_read_distorted(Run *run, unsigned depth);
unsigned run_depth(const Run *run);
/* Frames that will be scored, as far as sizes of files tell; 0 if they do not. */
unsigned long long run_expected_frames(const Run *run);

/* Adds who has computed the run's frames. */
void run_count_shares(void *run, ProgressShares *shares);

/* Result of taking one frame from one file. */
typedef struct Taken {
    int status; /* 1: picture is valid; 0: the file has ended; negative errno */
    VmafPicture picture;
    double time; /* see video_reader_time */
    Message why;
} Taken;

/* If the run is to end, perhaps none: -EAGAIN. */
Taken run_take_frame(Run *run, ReadAhead *ahead);
/* What the pair that was taken last looks like, if that is to be kept with its records. */
bool run_signatures(const Run *run, const Taken *reference, const Taken *distorted,
                    Signature signatures[2]);
/* Says so. The exit status. */
int run_stopped(void);
/* Looks whether the pair that was taken last shows the same. True if there is something to say. */
bool run_look_at_pair(Run *run, const Taken *reference, const Taken *distorted);
void run_release_frame(Taken *taken);
/* The files have given no pictures that could be scored with each other. */
int run_finish_reading(Run *run, const Taken *reference, const Taken *distorted);

/* Ends reports that are written while frames are scored. */
void run_end_live(Run *run);
/* What was acquired for the distorted video: before, and after the context is closed. */
void run_stop(Run *run);
void run_close(Run *run);
/* Instead of both, if a driver hangs: ends the threads that read, and leaves everything else to a
 * call that may still be going on. The program ends by _Exit then. */
void run_abandon(Run *run);
bool run_can_read_again(const Run *run);

#endif
