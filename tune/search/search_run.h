/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_SEARCH_SEARCH_RUN_H
#define TUNE_SEARCH_SEARCH_RUN_H

/* Searches on real encodes, and grids of them, several at a time. */

#include "tune/measure/gates.h"
#include "tune/measure/measurer.h"
#include "tune/search/search.h"

#include <stddef.h>

/* -- searches and grids -- */

/* The gates of a search of that encoder, with what is known of their curves. `height` is that of
 * the video; a target is met within `stop_within` as well as possible. */
void tune_gates_for_search(const TuneGates *gates, const Encoder *encoder, int height,
                           double stop_within, SearchOptions *search);

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
