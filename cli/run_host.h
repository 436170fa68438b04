/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_RUN_HOST_H
#define CLI_RUN_HOST_H

#include <stdatomic.h>
#include <stdbool.h>

struct ModelStore;
struct OpenDevices;

/* What a run finds around it: a program that ends with it, or a batch, of which it is one of many.
 */
typedef struct RunHost {
    bool terminal;               /* progress and scores are shown on stderr */
    bool shows_summary;          /* where somebody looks on */
    unsigned n_processors;       /* that the run may keep busy */
    const atomic_bool *stop;     /* once true it ends; NULL: never */
    struct ModelStore *models;   /* that runs share; NULL: it loads its own */
    struct OpenDevices *devices; /* that stay open between runs; NULL: none does */
    /*
     * The program goes on after the run. It becomes true if a driver may not be ended in order, so
     * that the program has to end without that; NULL: it ends at once in such a case, and if a file
     * loses bytes that are in use.
     */
    atomic_bool *driver_hangs;
} RunHost;

/* The host of a run in a program that ends with it. */
RunHost run_host_alone(void);

bool run_host_stops(const RunHost *host);

#endif
