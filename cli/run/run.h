/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_RUN_H
#define CLI_RUN_H

/*
 * Runs: one or several distorted videos are scored against a reference, in one pass. What a run
 * needs for that, models, backends and devices, is here as well.
 */

#include "input/input.h"
#include "media/autocrop.h"
#include "media/read_ahead.h"
#include "options/options.h"
#include "reports/reports.h"
#include "run/progress.h"

#include "libvmaf/libvmaf_ext.h"

#include <stdatomic.h>

typedef struct ModelStore ModelStore;
typedef struct OpenDevices OpenDevices;

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

/* -- models -- */

/* A model of the command line in memory: a single one, or a collection with its base model. */
typedef struct LoadedModel {
    const ModelSpec *spec;
    ModelSpec chosen; /* what `spec` is of one that was auto */
    VmafModel *model;
    VmafModelCollection *collection; /* NULL: a single model */
    bool is_stored;                  /* it belongs to a store */
} LoadedModel;

/*
 * Loads the model, a built-in one of that version if it is auto, with its overloads, or takes it
 * from the store, which may be NULL; and registers its features. 0; negative errno after saying on
 * stderr what went wrong.
 */
int loaded_model_load(LoadedModel *loaded, const ModelSpec *spec, const char *version,
                      ModelStore *store, VmafContext *vmaf);
void loaded_model_free(LoadedModel *loaded);

/* Models in memory, which several runs use, one after another or at a time. 0; -ENOMEM. */
int model_store_create(ModelStore **store);
/* After all runs. NULL is allowed. */
void model_store_destroy(ModelStore *store);

/*
 * Does this model file look like a collection? A single model has "model_dict" at the top, a
 * collection has numbered models there. Pipes count as single models, and so do files that
 * cannot be read; the library then says what is wrong with them.
 */
bool model_file_is_collection(const char *path);

/* --model auto: is a video of that size more than fits into 2560x1440, upright or not? */
bool auto_model_is_4k(const VideoFormat *format);
/* The built-in model for videos of that size, as a constant. */
const char *auto_model_version(const VideoFormat *format);
/* Says which it is and why; and, if there are many frames a second, which was made for them. */
void auto_model_note(const VideoFormat *format, Notes *notes);

/* -- the state of a run -- */

/* The reference video. */
typedef struct Reference {
    VideoReader reader;
    bool open;
    ReadAhead *ahead;
    FrameClock clock;
    Autocrop *autocrop; /* NULL: its borders were not sought */
    Notes notes;        /* on it alone */
} Reference;

enum { DEVICES_LABEL_SIZE = 32 }; /* how to call the devices that take part */

/* Everything that is acquired for one distorted video. */
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

/* Open the reference, or the distorted video, as far as `open` tells afterwards. */
int run_open_reference(Run *run);
int run_open_distorted(Run *run);
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
int run_tell_line_up(Run *run);
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
bool run_is_stopped(const Run *run);
/* What the pair that was taken last looks like, if that is to be kept with its records. */
bool run_signatures(const Run *run, const Taken *reference, const Taken *distorted,
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
/* What was acquired for the reference, likewise. */
void run_close_reference(Reference *reference);

/* -- backends -- */

/*
 * Requests the backend that the options ask for. Returns the exit status: an explicit backend
 * that is not there is STATUS_BACKEND, never a silent run on the CPU. The devices are those that
 * stay open between runs, or NULL.
 */
int backend_choice_apply(const Options *options, VmafContext *vmaf, OpenDevices *devices);

/* Is the choice left to the program, so that it may take this backend? It may take seconds to see
 * whether it is usable. */
bool backend_choice_is_free(const Options *options, const char *name);

/* Can the backend use all devices that there are? Only then are its numbers those of the driver. */
bool backend_choice_uses_all(const char *name);

/*
 * A feature that is pinned to `backend` cannot be computed there. Says so, leaves the error
 * document behind where a report would have been JSON, and returns STATUS_BACKEND.
 */
int backend_choice_reject_pinned(const Options *options, const char *feature, const char *backend);

/*
 * Checks if scoring failed because of the backend that was asked for: then everything is printed as
 * above, and the result is STATUS_BACKEND; else STATUS_OK.
 */
int backend_choice_failed(const Options *options, VmafContext *vmaf);

/* The same without words, of a backend that the program has chosen; `name` is that backend. */
bool backend_choice_has_failed(VmafContext *vmaf, char name[BACKEND_NAME_SIZE]);

/*
 * True if scoring failed because a backend that was not requested by name computes wrong records;
 * `name` is that backend. The library has logged why.
 */
bool backend_choice_is_distrusted(VmafContext *vmaf, char name[BACKEND_NAME_SIZE]);
/* Excludes the backend, in addition to what the options say. False if the table is full. */
bool backend_choice_distrust(Options *options, const char *name);

/*
 * True if a backend is still starting, or hangs, on a thread of its own. A normal exit of the
 * program could then make drivers crash.
 */
bool backend_choice_is_busy(VmafContext *vmaf);
/* Does a call into a driver not return, so that it may still use pictures? */
bool backend_choice_hangs(VmafContext *vmaf);

/* Devices that take part; receives how to call them: "NAME", "4 x NAME" or "3 devices". */
unsigned backend_choice_count_devices(VmafContext *vmaf, char label[DEVICES_LABEL_SIZE]);

/* What computes the scores, for people: "cuda: NVIDIA H200, and the CPU with 4 threads". */
typedef struct WhereText {
    char text[256];
} WhereText;

WhereText backend_choice_where(VmafContext *vmaf, unsigned n_threads);

/* After the first pair: does a backend that was asked for by name compute anything? Warns of
 * features that it leaves to the CPU, if it `warns`. STATUS_OK, or STATUS_BACKEND with the document
 * after saying why. */
int backend_choice_check(const Options *options, VmafContext *vmaf, const VideoFormat *format,
                         bool warns);

/*
 * Devices that runs have used stay open for those that come. One that was lost is let go, so that
 * it can be opened anew once no run has it any more. From any thread; NULL does nothing. 0;
 * -ENOMEM.
 */
int open_devices_create(OpenDevices **devices);
/* After all runs. Closes them. */
void open_devices_destroy(OpenDevices *devices);

/* Around a run, which waits until those that may have a lost device are over. */
void open_devices_enter(OpenDevices *devices);
void open_devices_leave(OpenDevices *devices);

/* Looks what devices a run has used, before its context is closed. */
void open_devices_keep(OpenDevices *devices, VmafContext *vmaf);

#endif
