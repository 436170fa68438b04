/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_MEASURE_SEARCH_RUN_H
#define TUNE_MEASURE_SEARCH_RUN_H

/* Searches on real encodes, and grids of them: several at a time. */

#include "tune/measure/gates.h"

typedef struct SearchPlan {
    EncodeSpec spec; /* whose q the search sets */
    TuneGates gates;
    /* All but its gates; its knob, unless it has a range: the encoder's; and its jobs, which are set
     * to no more than the measurer's. */
    SearchOptions search;
    double time_budget; /* seconds after which no further encode begins; 0: none */
    /* Measurements from before, such as those for another target; may be NULL. */
    const MeasuredEncode *known;
    size_t n_known;
    int jobs; /* encodes at a time; 0: as many as the measurer makes */
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
const MeasuredEncode *search_run_encode(const SearchRun *run, int q);

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
bool measure_is_hopeless(int error);

#endif
