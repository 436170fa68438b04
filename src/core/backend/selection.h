/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_BACKEND_SELECTION_H
#define CORE_BACKEND_SELECTION_H

/*
 * The policy: which backend a context uses. Knows nothing of plugins; it is told what there is and
 * asks whether one of them works.
 */

#include <stdbool.h>
#include <stdint.h>

#include "backend/availability.h"

/* What there is, in any order. */
typedef struct SelectionCandidate {
    const char *name;
    uint32_t class; /* VMAF_BACKEND_CLASS_*, 0 if it could not be loaded */
} SelectionCandidate;

/* What a caller has said of a backend under "auto". */
typedef struct SelectionHint {
    const char *name;
    bool excluded;
    bool considered;
    int device; /* of considered; -1: any */
} SelectionHint;

typedef struct SelectionRequest {
    const char *name; /* "auto", "cpu" or a backend */
    int device;       /* with the name of a backend; -1: any */
    bool masked;      /* gpumask: no backend under "auto" */
    unsigned n_hints;
    const SelectionHint *hints;
} SelectionRequest;

typedef struct SelectionTarget {
    const char *name;
    int device;         /* -1: any */
    bool hardware_only; /* software devices do not count */
} SelectionTarget;

typedef struct SelectionEnvironment {
    void *cookie;
    unsigned n_candidates;
    const SelectionCandidate *candidates;
    /* 0 if the backend works, else a negative errno and an availability. */
    int (*try_backend)(void *cookie, const SelectionTarget *target,
                       BackendAvailability *availability);
    /* Told of a candidate of "auto" that does not work, and what is tried next ("cpu" at the end).
     * Optional. */
    void (*passed_over)(void *cookie, const char *name, const BackendAvailability *availability,
                        const char *next);
} SelectionEnvironment;

enum { SELECTION_CPU = -1 };

/*
 * The place of the chosen backend among the candidates, or SELECTION_CPU; a negative errno below
 * that if a backend that was named does not work or is no candidate, with an availability.
 */
int selection_choose(const SelectionRequest *request, const SelectionEnvironment *environment,
                     BackendAvailability *availability);

#endif
