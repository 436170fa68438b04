/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_MEASURE_SEARCH_RUN_H
#define TUNE_MEASURE_SEARCH_RUN_H

/* Searches on real encodes, and grids of them, several at a time; and what scores have to reach. */

#include "tune/engine/score_statistics.h"
#include "tune/engine/search.h"
#include "tune/measure/measurer.h"

#include <stddef.h>

/* -- conditions -- */

/* What scores have to reach, as users write it: "vmaf.p1>=80,ssimulacra2.mean>=70". */
enum { GATE_NAME_SIZE = 64, GATE_LABEL_SIZE = 80 };

typedef struct TuneGate {
    char name[GATE_NAME_SIZE]; /* of a score, as in reports */
    ScorePool pool;
    double target;        /* NAN: any value will do, and it is reported */
    bool lower_is_better; /* at most `target` */
} TuneGate;

typedef struct TuneGates {
    TuneGate gate[SEARCH_MAX_GATES]; /* the first is the main one */
    size_t n;
    /* Frames that were measured, weighted by what they stand for. None: as measured. */
    const SampleWindow *windows;
    size_t n_windows;
} TuneGates;

/* Adds those of a list. 0; -EINVAL and why. */
int tune_gates_parse(TuneGates *gates, const char *text, Message *why);

/*
 * Adds one condition, "METRIC=VALUE" or "METRIC.POOL=VALUE"; the metric tells whether more or less
 * is better. It becomes the main one if that is of the same score and has no target. 0; -EINVAL and
 * why.
 */
int tune_gates_parse_target(TuneGates *gates, const char *text, Message *why);

/* Rejects what no encode can meet: scores of VMAF above 100, and conditions that contradict each
 * other. 0; -EINVAL and why. */
int tune_gates_check(const TuneGates *gates, Message *why);

/* "VMAF", "VMAF p1", "ssimulacra2 mean": for people. */
void tune_gate_label(const TuneGate *gate, char label[GATE_LABEL_SIZE]);

/* The values of all gates. 0; -ENOENT and which score there is none of. */
int tune_gates_values(const TuneGates *gates, const MeasuredEncode *measured,
                      double values[SEARCH_MAX_GATES], Message *why);

/* Scores of one name pooled, each frame as what it stands for. 0; -ENOENT: there are none; another
 * negative errno. */
int tune_gates_pool(const TuneGates *gates, const MeasuredEncode *measured, const char *name,
                    PooledScores *pooled);

/* Every condition holds of these values. */
bool tune_gates_reached(const TuneGates *gates, const double *values);

/* The gates of a search of that encoder, with what is known of their curves. `height` is that of
 * the video; a target is met within `stop_within` as well as possible. */
void tune_gates_for_search(const TuneGates *gates, const Encoder *encoder, int height,
                           double stop_within, SearchOptions *search);

/* -- searches and grids -- */

typedef struct SearchPlan {
    EncodeSpec spec; /* whose q the search sets */
    TuneGates gates;
    /* All but its jobs; the encoder's range of q, unless it has one. */
    SearchOptions search;
    double time_budget; /* seconds after which no further encode begins; 0: none */
    /* Measurements from before, such as those for another target; may be NULL. */
    const MeasuredEncode *known;
    size_t n_known;
    int jobs; /* encodes at a time; 0: as many as the measurer makes */
    /* Each encode as it is finished; NULL: nobody wants to know. */
    void (*on_encode)(void *cookie, const MeasuredEncode *measured);
    void *cookie;
} SearchPlan;

/* One search and all of its encodes. */
typedef struct SearchRun {
    Search search;
    SearchResult result;
    MeasuredEncode *encodes; /* in the order in which they were finished; failed ones, too */
    size_t n_encodes;
    int error; /* 0: see the result; -ECANCELED: interrupted; -ENODEV: the backend was lost; ... */
    Message why;
} SearchRun;

/* Returns run->error. Free it in either case. */
int search_run(Measurer *measurer, const SearchPlan *plan, SearchRun *run);
void search_run_free(SearchRun *run);

/* The encode of a value; NULL if it was not made in this run. */
const MeasuredEncode *search_run_encode(const SearchRun *run, double q);

/* Why there is no answer: of the run, else of the search. */
void search_run_explain(const SearchRun *run, const SearchPlan *plan, Message *why);

/*
 * Measures each of n encodes. `done` is called on the calling thread as they are finished, in any
 * order, and may take the measured encode over by emptying it; false ends the grid. 0; -ECANCELED:
 * interrupted, or ended by `done`; another negative errno and why: nothing more can be measured.
 */
int grid_run(Measurer *measurer, const EncodeSpec *specs, size_t n,
             bool (*done)(void *cookie, size_t index, MeasuredEncode *measured), void *cookie,
             Message *why);

/* Errors after which no other encode would do better. */
bool measure_error_is_final(int error);

/* -- jobs -- */

/* Jobs that are done by some threads, and come back as they are finished. For one thread that
 * submits and waits. */
typedef struct JobQueue JobQueue;

/* `work` is called on the queue's threads. 0; -ENOMEM; -EAGAIN. */
int job_queue_create(JobQueue **queue, int n_threads, void (*work)(void *cookie, void *job),
                     void *cookie);
/* Waits for all jobs. NULL is allowed. */
void job_queue_destroy(JobQueue *queue);

/* 0; -ENOMEM. */
int job_queue_submit(JobQueue *queue, void *job);

/* A job that is finished. NULL: none is yet, `limit_ms` later, or none was submitted. */
void *job_queue_wait(JobQueue *queue, unsigned limit_ms);

/* Jobs that did not come back yet. */
size_t job_queue_pending(const JobQueue *queue);

#endif
