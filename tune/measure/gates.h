/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_MEASURE_GATES_H
#define TUNE_MEASURE_GATES_H

/* What scores have to reach, as users write it: "vmaf.p1>=80,ssimulacra2.mean>=70". */

#include "tune/engine/pooled_scores.h"
#include "tune/engine/search.h"
#include "tune/measure/measurer.h"

enum { GATE_NAME_SIZE = 64, GATE_LABEL_SIZE = 80 };

typedef struct TuneGate {
    char name[GATE_NAME_SIZE]; /* of a score, as in reports */
    ScorePool pool;
    double target;        /* NAN: whatever it is, it is told */
    bool lower_is_better; /* at most `target` */
} TuneGate;

typedef struct TuneGates {
    TuneGate gate[SEARCH_MAX_GATES]; /* the first is the main one */
    size_t n;
    /* Frames that were measured; a mean is weighted by what they stand for. None: as measured. */
    const SampleWindow *windows;
    size_t n_windows;
} TuneGates;

/* Adds those of a list. 0; -EINVAL and why. */
int tune_gates_parse(TuneGates *gates, const char *text, Message *why);

/* Refuses what no encode can meet: scores of VMAF above 100, and conditions that contradict each
 * other. 0; -EINVAL and why. */
int tune_gates_check(const TuneGates *gates, Message *why);

/* "VMAF", "VMAF p1", "ssimulacra2 mean": for people. */
void tune_gate_label(const TuneGate *gate, char label[GATE_LABEL_SIZE]);

/* The values of all gates. 0; -ENOENT and which score there is none of. */
int tune_gates_values(const TuneGates *gates, const MeasuredEncode *measured,
                      double values[SEARCH_MAX_GATES], Message *why);

/* The gates of a search of that encoder, with what is known of their curves. `height` is that of
 * the video; a target is met within `stop_within` as well as possible. */
void tune_gates_for_search(const TuneGates *gates, const Encoder *encoder, int height,
                           double stop_within, SearchOptions *search);

#endif
