/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef PROBE_WORKER_H
#define PROBE_WORKER_H

#include "platform/child.h"

/* Exit statuses: the process reached its end, with a value that no plugin exits with by chance;
 * or it cannot report any more, because the plugin has closed its file. */
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
