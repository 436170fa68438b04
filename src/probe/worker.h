/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef PROBE_WORKER_H
#define PROBE_WORKER_H

#include "platform/supervisor.h"

/* Exit statuses: the process got to its end (no plugin ends it with that by chance, before all exit
 * handlers were called), or it cannot report any more because the plugin has closed its file. */
enum { WORKER_DONE = 86, WORKER_CUT_OFF = 87 };

typedef struct WorkerJob {
    const char *path, *name; /* of the plugin */
} WorkerJob;

/*
 * The part that touches the plugin: loads it, enumerates its devices, opens each once, and reports
 * what comes of it as probe_report.h defines. The argument is a WorkerJob. Ends the process.
 */
void worker_run(void *argument, const VmafReport *report);

#endif
