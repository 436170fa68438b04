/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_SEARCH_GOALS_H
#define TUNE_SEARCH_GOALS_H

/* Several goals of one score, each of which is to be reached by an encode of its own: --target
 * METRIC[.POOL]=VALUE,... of commands that answer more than one. */

#include "tune/measure/session.h"

typedef struct Goals {
    TextList texts;    /* of --target */
    NumberList values; /* of --target-vmafs; once they are read, all, in the order of the user */
    const char *name;  /* METRIC[.POOL]=, whose they are; NULL: of VMAF, in the pool of --pool */
} Goals;

OptionGroup goals_option_group(Goals *goals);

/*
 * Reads them, and runs a session with them, as session_run does. The goals are those of the score
 * that is named first; a target of another one becomes a condition. Without any: `usual`, of VMAF.
 */
int goals_run(Goals *goals, const TuneCommand *command, SessionOptions *options,
              const NumberList *usual,
              int (*work)(Session *session, const TuneSource *source, void *settings),
              void *settings);

/* Makes their score the main one, which is the first, of the conditions of an open session. */
void goals_lead(const Goals *goals, TuneGates *gates);

/* "vmaf.mean", as documents have it. */
void gate_name(const TuneGate *gate, char name[GATE_LABEL_SIZE]);

/* The score of VMAF among the values of all gates; NAN: it is none of them. */
double gates_vmaf(const TuneGates *gates, const double *values);

#endif
