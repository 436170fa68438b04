/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * The helper that probes a plugin, so that a plugin or driver that crashes, hangs or ends the
 * process does so here and not in the program that uses libvmaf.
 *
 *   backend-probe1 PLUGIN MILLISECONDS
 *
 * It has two processes (platform/supervisor.h). One loads the plugin (worker.h); the other watches
 * it, keeps the time limit, and reports how it has ended, because a host may not be able to wait
 * for its children. The report goes to standard output: probe_report.h.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "backend/discovery/plugin_file.h"
#include "backend/processor_time.h"
#include "platform/module.h"
#include "platform/child.h"
#include "worker.h"

static void report_end(const VmafReport *report, const VmafWorkResult *result)
{
    if (result->printed)
        vmaf_report_print(report, "fault probe wrote to standard output\n");
    switch (result->end) {
    case VMAF_WORK_LATE:
        vmaf_report_print(report, "ended timeout\n");
        break;
    case VMAF_WORK_CRASHED:
        vmaf_report_print(report, "ended signal %d\n", result->number);
        break;
    case VMAF_WORK_EXITED:
        if (result->number == WORKER_CUT_OFF)
            vmaf_report_print(report,
                              "fault it closed file descriptors of the process\nended ok\n");
        else if (result->number != WORKER_DONE)
            vmaf_report_print(report, "ended status %d\n", result->number);
        else
            vmaf_report_print(report, "ended ok\n");
        break;
    }
}

int main(int argc, char **argv)
{
    char name[BACKEND_NAME_SIZE];
    char *end = NULL;
    long limit_ms = argc == 3 ? strtol(argv[2], &end, 10) : 0;
    if (argc != 3 || *end || limit_ms <= 0 || !plugin_file_name(name, argv[1])) {
        fprintf(stderr,
                "usage: %s /.../libvmaf-backend-NAME" VMAF_MODULE_SUFFIX " MILLISECONDS\n"
                "Tries a backend of libvmaf out and reports what came of it.\n",
                argc ? argv[0] : "backend-probe1");
        return 1;
    }
    WorkerJob job = {argv[1], name};
    const VmafWork work = {
        .function = worker_run,
        .argument = &job,
        .limit_ms = (unsigned)limit_ms,
        .limit_times = PATIENCE_MAX,
    };
    VmafReport report;
    VmafWorkResult result;
    if (vmaf_supervise(&work, &report, &result))
        return 1;
    report_end(&report, &result);
    return 0;
}
