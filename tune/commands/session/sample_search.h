/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_COMMANDS_SAMPLE_SEARCH_H
#define TUNE_COMMANDS_SAMPLE_SEARCH_H

/* Searches on samples of a video, for subcommands that do not want to encode all of it each time.
 */

#include "tune/commands/session/search_options.h"

typedef enum SampleBy { SAMPLE_BY_TIME, SAMPLE_BY_SHOTS } SampleBy;

typedef struct SampleChoice {
    int n_trials;         /* encodes of samples at most */
    double time_budget;   /* seconds after which no further one begins; 0: none */
    double chunk_seconds; /* of all samples together, if they are 3 */
    int by;               /* SampleBy */
} SampleChoice;

SampleChoice sample_choice(void);
OptionGroup sample_option_group(SampleChoice *choice);

/* The frames that stand for a video. */
typedef struct Samples {
    SampleWindow *windows;
    size_t n;      /* 0: all of it, since it is no longer than samples would be */
    size_t frames; /* of them together */
} Samples;

/* 0, or a status. Free in either case. */
int samples_choose(Session *session, const SampleChoice *choice, const TuneSource *source,
                   Samples *samples);
void samples_free(Samples *samples);

/* The search on samples that `plan` becomes, which is one of the whole video. */
void sample_plan(const SampleChoice *choice, const Samples *samples, SearchPlan *plan);

/*
 * The search on the whole video that verifies one on samples, `max_probes` encodes at most, until
 * its answer is the cheapest; `run` has to stay. -EINVAL: there is no answer that could be
 * verified.
 */
int sample_verification(const SearchPlan *sampled, const SearchRun *run, int max_probes,
                        SearchPlan *plan);

/* What the samples say of a value: measured, or estimated from those that are; NAN of fewer than 2.
 */
double sampled_score(const SearchRun *run, int q);

#endif
