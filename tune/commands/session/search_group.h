/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_COMMANDS_SEARCH_GROUP_H
#define TUNE_COMMANDS_SEARCH_GROUP_H

/*
 * Searches of one encoder, preset and size for several targets: what one of them has encoded, the
 * next one knows. Several groups share the encodes that are made at a time.
 */

#include "tune/commands/session/search_options.h"
#include "tune/engine/encode_point.h"

typedef struct SearchGroup {
    SearchPlan plan; /* of search_make_plan; the target of its first gate is set for each search */
    const SearchChoice *choice;
    const double *targets;
    size_t n_targets;
    /*
     * For each target, in ascending order, the bitrate that another group needs for it (0:
     * unknown). A search that needs more ends, and those of higher targets are skipped. NULL: no
     * group is known.
     */
    const double *most_kbps;
    const int *sweep; /* values of the quality parameter that are measured instead of searching */
    size_t n_sweep;   /* 0: search */
    SearchRun *runs;  /* one for each target. Each has the encodes that were made for it; those of a
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
 * Its size is that which it was scaled to, or 0. */
EncodePoint search_group_point(const TuneGates *gates, const MeasuredEncode *encode);

/* Calls `take` with all encodes. */
void search_group_each(const SearchGroup *group,
                       void (*take)(void *cookie, const MeasuredEncode *encode), void *cookie);

#endif
