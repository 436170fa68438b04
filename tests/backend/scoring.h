/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_BACKEND_SCORING_H
#define TESTS_BACKEND_SCORING_H

/*
 * One run over a small made-up clip through the public interface, and its scores. Backends come
 * from VMAF_BACKEND_PATH.
 */

#include <stdbool.h>

#include "libvmaf/libvmaf_ext.h"

enum { SCORING_MAX_FRAMES = 320, SCORING_MAX_KEYS = 12, SCORING_MAX_FEATURES = 4 };

typedef struct ScoringFeature {
    const char *name;
    const char *option, *value; /* or NULL */
} ScoringFeature;

typedef struct ScoringRun {
    const char *backend; /* for vmaf_backend_select; NULL: nothing is chosen */
    unsigned width, height, depth;
    enum VmafPixelFormat pixel_format;
    unsigned n_frames, n_threads, n_subsample;
    unsigned join_after, time_limit, frames_in_flight; /* VmafBackendTuning; 0: its defaults */
    /* Before this frame waits until the backend takes part, or will not; 0: never. */
    unsigned wait_at;
    /* From then on microseconds between frames, so that nobody can take them all. */
    unsigned pace;
    ScoringFeature features[SCORING_MAX_FEATURES]; /* ends with a NULL name */
    const char *method;                     /* speed_prescale_method of all features; or NULL */
    const char *keys[SCORING_MAX_KEYS + 1]; /* whose scores are wanted; ends with NULL */
} ScoringRun;

typedef struct ScoringResult {
    int error;           /* the first that any function returned, or 0 */
    const char *failing; /* which one that was */
    enum VmafBackendPhase phase;
    bool was_active; /* a backend took part when wait_at was reached */
    char name[32], reason[256];
    unsigned n_events, failing_frame;
    char event_reason[256];                             /* of the first one */
    enum VmafPlacement placement[SCORING_MAX_FEATURES]; /* of features, as they were registered */
    bool on_backend[SCORING_MAX_FEATURES];
    double scores[SCORING_MAX_KEYS][SCORING_MAX_FRAMES];
} ScoringResult;

/* Lets the library find the program that probes plugins: tests lie elsewhere. */
void scoring_prepare(void);
void scoring_run(const ScoringRun *run, ScoringResult *result);
/* Bit for bit; says on stderr what differs. */
bool scoring_equal(const ScoringRun *run, const ScoringResult *a, const ScoringResult *b);

#endif
