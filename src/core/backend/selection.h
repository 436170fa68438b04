/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_BACKEND_SELECTION_H
#define CORE_BACKEND_SELECTION_H

/*
 * The policy that decides which backends a context uses, and which of their devices. The choice of
 * backends knows nothing about plugins: it is given the candidates and asks whether one of them
 * works.
 */

#include <stdbool.h>
#include <stdint.h>

#include "backend/device.h"

typedef enum SelectionState {
    SELECTION_NEW,
    SELECTION_DEFERRED, /* its device is not discrete */
    SELECTION_FAILED,
    SELECTION_CHOSEN, /* others are tried, too */
} SelectionState;

/* The candidates, in any order. */
typedef struct SelectionCandidate {
    const char *name;
    uint32_t class;       /* VMAF_BACKEND_CLASS_*, 0 if it could not be loaded */
    SelectionState state; /* of selection_choose */
} SelectionCandidate;

/* What a caller has said about a backend under "auto". */
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
    SelectionCandidate *candidates;
    /*
     * What device a native backend would use: 0 or a positive number, and whether it is discrete;
     * or a negative errno and an availability. With it, native backends with a discrete device come
     * before all others; those behind the first that works are not asked. Optional.
     */
    int (*examine)(void *cookie, const SelectionTarget *target, bool *discrete,
                   BackendAvailability *availability);
    /* 0 if the backend works, else a negative errno and an availability. */
    int (*try_backend)(void *cookie, const SelectionTarget *target,
                       BackendAvailability *availability);
    /* After one of "auto" works: whether others are to be tried, too. NULL: no. */
    bool (*wants_more)(void *cookie);
    /* Called for each candidate of "auto" that does not work, with the next one ("cpu" at the
     * end). Optional. */
    void (*passed_over)(void *cookie, const char *name, const BackendAvailability *availability,
                        const char *next);
} SelectionEnvironment;

enum { SELECTION_CPU = -1 };

/*
 * The index of the chosen backend among the candidates, the first of several, or SELECTION_CPU. If
 * a backend was named that does not work or is no candidate: a negative errno, less than
 * SELECTION_CPU, with an availability.
 */
int selection_choose(const SelectionRequest *request, const SelectionEnvironment *environment,
                     BackendAvailability *availability);

/*
 * Chooses among a backend's devices, before any of them is opened. The index of the device that a
 * request is about, among those that were enumerated. Negative errno with BACKEND_NO_DEVICE:
 * -EINVAL for an index out of range, -ENODEV if none is suitable.
 */
int device_choose(BackendEntry *entry, const BackendDeviceRequest *request,
                  const BackendDeviceList *found, BackendAvailability *availability);

/*
 * All devices that a request is about, the one of device_choose first: that one alone if it was
 * asked for by its index; else all that are suitable, hardware or, if there is none, software; each
 * once, also if two drivers list it. Probes, loads and enumerates what has not been yet. Their
 * number, or an error as above.
 */
int device_choose_all(BackendEntry *entry, const BackendDeviceRequest *request,
                      int indices[BACKEND_DEVICES_MAX], BackendAvailability *availability);

/*
 * The index of device_choose after probing, loading and enumerating what has not been yet. Receives
 * whether the device is discrete.
 */
int device_examine(BackendEntry *entry, const BackendDeviceRequest *request, bool *discrete,
                   BackendAvailability *availability);

#endif
