/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_MEASURE_GATES_H
#define TUNE_MEASURE_GATES_H

/* What scores have to reach, as users write it: "vmaf.p1>=80,ssimulacra2.mean>=70". */

#include "tune/measure/measurer.h"
#include "tune/measure/score_statistics.h"

#include <stdbool.h>
#include <stddef.h>

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

/* What is known of metrics whose names begin so; the first match counts. How much scores fall with
 * a step of CRF, roughly; percentages have the prior of VMAF instead. */
typedef struct KnownMetric {
    const char *begin;
    double per_step;
    bool is_percentage, lower_is_better;
    double lowest, highest; /* scores that there are */
} KnownMetric;

const KnownMetric *known_metric(const char *name);

/* Adds those of a list. 0; -EINVAL and why. */
int tune_gates_parse(TuneGates *gates, const char *text, Message *why);

/*
 * Adds one condition, "METRIC=VALUE" or "METRIC.POOL=VALUE"; the metric tells whether more or less
 * is better. It becomes the main one if that is of the same score and has no target. 0; -EINVAL and
 * why.
 */
int tune_gates_parse_target(TuneGates *gates, const char *text, Message *why);

/* Rejects scores that the metric does not have, and conditions that contradict each other. 0;
 * -EINVAL and why. */
int tune_gates_check(const TuneGates *gates, Message *why);

/* "VMAF", "VMAF p1", "ssimulacra2 mean": for people. Returns the text. */
const char *tune_gate_label(const TuneGate *gate, char label[GATE_LABEL_SIZE]);

/* The values of all gates. 0; -ENOENT and which score there is none of. */
int tune_gates_values(const TuneGates *gates, const MeasuredEncode *measured,
                      double values[SEARCH_MAX_GATES], Message *why);

/* Scores of one name pooled, each frame as what it stands for. 0; -ENOENT; other negative errno. */
int tune_gates_pool(const TuneGates *gates, const MeasuredEncode *measured, const char *name,
                    PooledScores *pooled);

/* Every condition holds of these values. */
bool tune_gates_reached(const TuneGates *gates, const double *values);

#endif
