/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_RUN_H
#define CLI_RUN_H

/*
 * Runs. A run scores one distorted video against its reference; several share the frames of the
 * reference, which are read once. models.h and backends.h have what they need for that.
 */

#include "input/input.h"
#include "media/autocrop.h"
#include "media/read_ahead.h"
#include "options/options.h"
#include "reports/reports.h"
#include "run/backends.h"
#include "run/models.h"
#include "run/progress.h"

#include "libvmaf/libvmaf_ext.h"

#include <stdatomic.h>

/* What a run finds around it: a program that ends with it, or a batch, of which it is one of many.
 */
typedef struct RunHost {
    bool terminal;           /* progress and scores are shown on stderr */
    bool shows_summary;      /* where somebody looks on */
    unsigned n_processors;   /* that the run may keep busy */
    const atomic_bool *stop; /* once true it ends; NULL: never */
    ModelStore *models;      /* that runs share; NULL: it loads its own */
    OpenDevices *devices;    /* that stay open between runs; NULL: none does */
    /*
     * The program goes on after the run. It becomes true if a driver may not be ended in order, so
     * that the program has to end without that; NULL: it ends at once in such a case, and if a file
     * loses bytes that are in use.
     */
    atomic_bool *driver_hangs;
} RunHost;

/* The host of a run in a program that ends with it. */
RunHost run_host_alone(void);

/* What a run tells its caller beside the exit status. */
typedef struct RunOutcome {
    char *pooled_metrics; /* as in a JSON report, in one line, to be freed; NULL: there are none */
    Message error;        /* what was said about what went wrong */
} RunOutcome;

/*
 * Scores one pair of files, or several distorted videos, as the options say. Returns the exit
 * status, the worst one of several; errors are on stderr. Several threads can do that at a time.
 * The outcome is that of one pair; NULL is allowed.
 */
int run(const Options *options, const RunHost *host, RunOutcome *outcome);

/* -- the state of runs -- */

/* The reference video, of one run or several. */
typedef struct Reference {
    VideoReader reader;
    bool open;
    ReadAhead *ahead;
    FrameClock clock;
    Autocrop *autocrop; /* NULL: its borders were not sought */
    Notes notes;        /* on it alone */
} Reference;

/* The run of one distorted video, with everything that is acquired for it. */
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
    const StoredInput *stored;              /* of files of records; NULL: the videos are there */
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
    int status;                             /* exit status; not 0: there are no scores */
    Message said;                           /* since the last step began that could fail */
    WorstFrames *worst;                     /* for a page; NULL: there is none */
    char lead[128];                     /* key of the score that they are judged by; "": a model */
    char distrusted[BACKEND_NAME_SIZE]; /* backend whose scores are wrong; empty: none */
} Run;

/* Has it models that are to be predicted? */
bool run_predicts(const Run *run);
/* Depth of the pictures that are scored. */
unsigned run_depth(const Run *run);
bool run_can_read_again(const Run *run);

/* -- its steps; those that return an int return the exit status, and have said what is wrong -- */

/* Opens a video. Afterwards it has to be closed, which *open says. */
int run_open(VideoReader *reader, bool *open, const char *path);
/* Reads the header of a video; checks what size and beginning of a raw one say of its format. */
int run_start_input(const Run *run, VideoReader *reader, const char *role);
int run_check_raw(const Options *options, const VideoReader *reader, unsigned skip);
int run_compare_formats(Run *run);
/* All of these; both files are opened before one is read. */
int run_open_pair(Run *run);
/* Creates the context, with models and features, and looks whether outputs can be written. */
int run_prepare(Run *run);
/* Rejects names of scores that there will not be, and lists those that there will. */
int run_check_gates(const Run *run);

/* Begins to look whether frames line up; --align auto looks ahead in the files. */
int run_start_line_up(Run *run);
/* Says what line_up_add has found, or line_up_end. */
int run_report_line_up(Run *run);
int run_end_line_up(Run *run);

/* Begins to read the reference, or the distorted video, for pictures of such a depth. After the
 * reference its clock goes. */
int run_read_reference(Run *run);
int run_read_distorted(Run *run);
/* Frames that will be scored, as far as sizes of files tell; 0 if they do not. */
unsigned long long run_expected_frames(const Run *run);
/* Adds who has computed the run's frames. */
void run_count_shares(Run *run, ProgressShares *shares);

/* Result of taking one frame from one file. */
typedef struct Taken {
    int status; /* 1: picture is valid; 0: the file has ended; negative errno */
    VmafPicture picture;
    double time; /* see video_reader_time */
    Message why;
} Taken;

/* If the run is to end, perhaps none: -EAGAIN. */
Taken run_take_frame(Run *run, ReadAhead *ahead);
void run_release_frame(Taken *taken);
/* A backend that hangs never gives its pictures back; others take their place. */
void run_replace_lost_frames(Run *run);
bool run_is_stopped(const Run *run);
/* What the pair that was taken last looks like. */
void run_signatures(const Run *run, const Taken *reference, const Taken *distorted,
                    Signature signatures[2]);
/* Looks whether the pair that was taken last shows the same. True if there is something to say. */
bool run_look_at_pair(Run *run, const Taken *reference, const Taken *distorted);
/* The files have given no pictures that could be scored with each other. */
int run_finish_reading(Run *run, const Taken *reference, const Taken *distorted);
/* The library rejects a pair with this error. */
int run_scoring_failed(Run *run, int err);

/* After the last pair: the rest of the scores, if the status is that all went well. */
int run_flush(Run *run, int status);
/* All that is made of complete scores: pooled ones, reports, a summary, conditions. */
int run_finish(Run *run);
/* A score as text: with --precision or as %f. */
typedef struct ScoreText {
    char text[400]; /* %f of the largest double has 316 characters */
} ScoreText;

ScoreText run_score_text(const Run *run, double score);
/* Its parts; for each condition that is not met there is a line. */
int run_pool_scores(Run *run);
int run_write_output(const Run *run, const Output *output);
int run_judge_gates(const Run *run);
/* As in a JSON report, in one line; to be freed. NULL: there are none. */
char *run_pooled_metrics(const Run *run);

/* Ends reports that are written while frames are scored. */
void run_end_live(Run *run);
/* What was acquired for the distorted video: before, and after the context is closed. */
void run_stop(Run *run);
void run_close(Run *run);
/* Ends the threads that read, and leaves everything else to a call into a driver that may still be
 * going on. The program ends by _Exit then. */
void run_abandon(Run *run);
/* What was acquired for the reference, likewise. */
void run_close_reference(Reference *reference);

#endif
