/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_SEARCH_SEARCH_PLAN_H
#define TUNE_SEARCH_SEARCH_PLAN_H

/* Searches for a quality: their options, for several targets, and what they found. */

#include "tune/encode/encode_point.h"
#include "tune/measure/session.h"
#include "tune/search/search_run.h"

#include <jansson.h>
#include <stdio.h>

/* A search as the user wants it. */
typedef struct SearchChoice {
    const char *encoder, *preset; /* preset NULL: the default */
    double target;                /* of the first gate; NAN: none */
    double lowest, highest; /* values of the quality parameter, side by side as --quality-range
                             * takes them; -1: its range */
    double quality_step;    /* units of it; 0: the finest that the encoder has */
    int max_iterations;     /* 0: as many as are needed */
    double tolerance;
    int on_non_monotonic; /* OnNonMonotonic */
    double max_percent;   /* of the source's bitrate; 0: any */
    double max_kbps;      /* 0: any */
} SearchChoice;

/* The defaults: libx264, whole numbers, and no target. */
SearchChoice search_choice(void);
/* Options of searches on the whole video; the same in two groups, limits of size and the rest. */
OptionGroup search_option_group(SearchChoice *choice);
void search_option_groups(SearchChoice *choice, OptionGroup groups[2]);

/* The search that is wanted, with an encoder that was found for it, which has to stay; its gates
 * are those of the session. 0, or a status. */
int search_make_plan(const Session *session, const SearchChoice *choice, const TuneSource *source,
                     const SessionEncoder *encoder, SearchPlan *plan);
/* The same, which finds the encoder. */
int search_find_plan(Session *session, const SearchChoice *choice, const TuneSource *source,
                     SessionEncoder *encoder, SearchPlan *plan);

/* Says so if --max-encoded-percent cannot limit the encodes of a source. */
void search_check_percent(const Session *session, const SearchChoice *choice,
                          const TuneSource *source);

/* Sets the target of the first gate. */
void search_set_target(SearchPlan *plan, const TuneSource *source, const SearchChoice *choice,
                       double target);

/* -- for several targets -- */

/*
 * Searches of one encoder, preset and size for several targets: what one of them has encoded, the
 * next one knows. Several groups share the encodes that are made at a time.
 */
typedef struct SearchGroup {
    SearchPlan plan; /* of search_make_plan; the target of its first gate is set for each search */
    const SearchChoice *choice;
    const double *targets;
    size_t n_targets;
    const double
        *sweep;      /* values of the quality parameter that are measured instead of searching */
    size_t n_sweep;  /* 0: search */
    SearchRun *runs; /* one for each target. Each has the encodes that were made for it; those of a
                      * sweep are all in the first */
} SearchGroup;

/* Marks all runs as interrupted, which they stay until they are made. 0; -ENOMEM. Free the group in
 * either case. */
int search_group_prepare(SearchGroup *group);
void search_group_free(SearchGroup *group);

/*
 * Runs all that are prepared. at_once: groups that are searched at a time; 0: as many as encodes.
 * 0; -ECANCELED, -ENODEV, -ENOMEM, -ENOSPC, and why, once nothing more could be measured. The
 * error of a group stays in its runs, and stops no other one.
 */
int search_groups_run(Measurer *measurer, SearchGroup *groups, size_t n, int at_once, Message *why);

/* The plan of one of the searches. */
SearchPlan search_group_plan(const SearchGroup *group, const TuneSource *source, size_t target);

/* The encode that a target has got; NULL: none. */
const MeasuredEncode *search_group_best(const SearchGroup *group, size_t target);

/* An encode as choices see it: without a score if it failed or misses another gate than the first.
 * Of that, a higher score is always better: those of which less is better are negated. Its size is
 * that which it was scaled to, or 0. */
EncodePoint search_group_point(const TuneGates *gates, const MeasuredEncode *encode);

/* Number `index` of all encodes; NULL behind the last one. */
const MeasuredEncode *search_group_encode(const SearchGroup *group, size_t index);

/* Prints the command lines of the group's encodes, as session_print_commands. */
int search_group_print_commands(const Session *session, Measurer *measurer,
                                const SearchGroup *group);

/* -- what a search has found, as JSON and for people -- */

/*
 * codec, preset, best_crf (-1: none), measured_vmaf, bitrate_kbps, encode_time_ms, n_iterations,
 * encoder_version, ok, error, converged, target_vmaf, samples[] and what else tells how it was
 * found. A new reference; NULL without memory.
 */
json_t *search_record(const SearchPlan *plan, const SearchRun *run);

/* "vmaf.mean>=95" and so on. */
json_t *search_conditions(const TuneGates *gates);

/* src, extra_params, and which part of the file was taken if that could be another: stream,
 * start_number, errors, start, length. What encodes it again needs these. 0; -ENOMEM. */
int search_put_source(json_t *json, const TuneSource *source, const SessionOptions *options);

/* One encode of a search: crf, bitrate_kbps, vmaf, values of further gates, times, cached, error.
 */
json_t *search_sample(const SearchPlan *plan, const MeasuredEncode *encode);
/* All of its encodes. */
json_t *search_samples(const SearchPlan *plan, const SearchRun *run);

#endif
