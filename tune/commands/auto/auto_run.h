/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_COMMANDS_AUTO_RUN_H
#define TUNE_COMMANDS_AUTO_RUN_H

/* vmaf-tune auto: what it was asked for, what it found, and what it does with it. */

#include "tune/commands/auto/auto_plan.h"
#include "tune/commands/recommend/uncertainty.h"
#include "tune/commands/session/sample_search.h"

#include <jansson.h>

typedef struct AutoSettings {
    const char *codec, *preset, *output, *sidecar, *runs_dir;
    TextList codecs;
    IntegerList heights;
    double target, budget;
    int content; /* ContentClass */
    bool is_plan_only, smoke, executes, executes_all, video_only;
} AutoSettings;

typedef struct AutoRun {
    const AutoSettings *settings;
    const TuneSource *source; /* NULL: there is none, it is a self-test */
    Rung size;                /* of the source */
    double fps, seconds;
    bool is_hdr, is_sampled, is_two_pass;
    const Recipe *recipe;
    Uncertainty uncertainty;
    double target; /* that cells have to reach */
    SampleChoice sample;
    Rung rungs[AUTO_MAX_RUNGS];
    size_t n_rungs;
    AutoCell *cells;
    size_t n_cells;
    Winner winner;
    json_t *executed; /* rows of what was encoded */
} AutoRun;

/* Cells of all sizes and encoders, without estimates. 0; -ENOMEM. */
int auto_lay_out(AutoRun *run);
/* Decides on escalation and the winner, from the estimates. */
void auto_judge(AutoRun *run);
void auto_choose(AutoRun *run);

/* Estimates from encodes of samples; what is not certain is searched on the whole video. A status.
 */
int auto_probe(Session *session, AutoRun *run, const Samples *samples);

/* Encodes the winner, or all cells, and measures them. A status. */
int auto_execute(Session *session, AutoRun *run);

/* A new reference; NULL without memory. */
json_t *auto_record(const AutoRun *run);

#endif
