/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_TUNE_SIMULATION_H
#define TESTS_TUNE_SIMULATION_H

/* Searches over recorded curves: ours and others, all of which end when q passes and q + 1,
 * measured, fails (or one of both is beyond the end of the range). */

#include "tests/tune/rd_curves.h"

typedef enum SimulatedSearch {
    SIMULATED_OURS,         /* the engine, with a prior from the clips that are not searched */
    SIMULATED_OURS_BLIND,   /* the engine, with the prior of an encoder that it does not know */
    SIMULATED_OURS_2_JOBS,  /* two encodes at a time */
    SIMULATED_OURS_WITHIN,  /* which stops at less than 0.5 above the target */
    SIMULATED_BISECT,       /* the engine's bisection, with no estimate before */
    SIMULATED_BISECT_START, /* the same, with the first probe where ours has it */
    SIMULATED_LINEAR,       /* linear interpolation of score over q, from the middle of the range */
    SIMULATED_LINEAR_START, /* the same, with the first probe where ours has it */
    N_SIMULATED_SEARCHES,
} SimulatedSearch;

extern const char *const simulated_search_names[N_SIMULATED_SEARCHES];

typedef struct Simulated {
    int q;      /* -1: the target is not reached */
    int probes; /* encodes started */
    int rounds; /* encodes one after another */
    bool ok;
} Simulated;

Simulated simulate(const RdCurves *curves, const RdCurve *curve, double target,
                   SimulatedSearch kind);

/* The highest q up to which all pass; -1 if there is none. */
int rd_curve_answer(const RdCurve *curve, double target);

/* Of all curves and targets. */
typedef struct SimulatedSummary {
    double probes[3], mean_probes, mean_rounds;
    int most_probes;
    int searches, wrong; /* another q than rd_curve_answer, or none */
    double worst_error;  /* of the score at the q that was found, against that at the right one */
    double mean_excess;  /* of the score over the target */
} SimulatedSummary;

extern const double simulated_targets[3];

enum { SIMULATED_ROW_SIZE = 256 };

/* Row number `i` of the tables in docs/tune_search.md: a search each, then ours of each encoder. False
 * after the last. */
bool simulated_row(const RdCurves *curves, int i, char row[SIMULATED_ROW_SIZE]);

SimulatedSummary simulate_all(const RdCurves *curves, SimulatedSearch kind, const char *encoder);

#endif
