/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef PROBE_WORKER_H
#define PROBE_WORKER_H

/* Exit statuses: the process got to its end (no plugin ends it with that by chance, before all exit
 * handlers were called), or it cannot report any more because the plugin has closed its file. */
enum { WORKER_DONE = 86, WORKER_CUT_OFF = 87 };

/*
 * The part that touches the plugin: loads it, enumerates its devices, opens each once, and writes
 * what comes of it to the descriptor `report` as probe_report.h defines. Ends the process.
 */
_Noreturn void worker_run(const char *path, const char *name, int report);

#endif
