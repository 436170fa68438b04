/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_COMMANDS_FAST_REPORT_H
#define TUNE_COMMANDS_FAST_REPORT_H

#include "tune/commands/session/sample_search.h"

#include <stdio.h>

enum { FAST_NOTES_SIZE = 512 };

/* What was searched on samples, and verified on the whole video. */
typedef struct FastResult {
    const TuneSource *source;      /* NULL: it is a self-test */
    const SessionOptions *options; /* NULL with it */
    const Samples *samples;
    const char *model;
    SearchPlan sampled_plan, verified_plan;
    SearchRun sampled, verified;
    bool is_verified; /* the second run was made */
    /* Set by fast_conclude: */
    int recommended; /* -1: there is none */
    double predicted_vmaf, predicted_kbps;
    double verify_vmaf, verify_kbps;
    double gap; /* between the two scores; NAN: nothing was verified */
    char notes[FAST_NOTES_SIZE];
} FastResult;

/* What follows from the runs. */
void fast_conclude(FastResult *result);

/* 0; -ENOMEM; -EIO. */
int fast_print_json(const FastResult *result, FILE *out);
void fast_print_text(const FastResult *result, FILE *out);

#endif
