/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/*
 * The helper that probes a plugin, so that a plugin or driver that crashes, hangs or ends the
 * process does so here and not in the program that uses libvmaf.
 *
 *   backend-probe1 PLUGIN MILLISECONDS
 *
 * It has two processes (platform/child.h). One loads the plugin, enumerates its devices and opens
 * each once; the other watches it, keeps the time limit, and reports how it has ended, because a
 * host may not be able to wait for its children. The report goes to standard output:
 * backend/discovery/probe.h.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/discovery/plugin.h"
#include "backend/discovery/plugin_file.h"
#include "backend/discovery/plugin_load.h"
#include "backend/discovery/probe.h"
#include "backend/limited_call.h"
#include "platform/child.h"
#include "platform/module.h"
#include "platform/process.h"

/* ---- The process that touches the plugin ---- */

/* Exit statuses: the process reached its end, with a value that no plugin exits with by chance;
 * or it cannot report any more, because the plugin has closed its file. */
enum { WORKER_DONE = 86, WORKER_CUT_OFF = 87 };

enum {
    /* Resident memory that a plugin may take before it has opened a device: several times what the
     * largest vendor libraries need. */
    MEMORY_MAX_MIB = 768,
};

#if defined(__has_feature) /* Clang's way to say what GCC says with a macro */
#if __has_feature(address_sanitizer) && !defined(__SANITIZE_ADDRESS__)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
/* The sanitizer would report memory that drivers never free as a leak, which is no fault. */
int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
    return 1;
}
#endif

typedef struct WorkerJob {
    const char *path, *name; /* of the plugin */
} WorkerJob;

typedef struct Worker {
    const char *path;
    const VmafReport *report;
    long memory_before;
    HostState *state;
} Worker;

/* A line of the report, unless the plugin has closed it. */
#define REPORT(worker, ...)                                                                        \
    do {                                                                                           \
        if (!vmaf_report_print((worker)->report, __VA_ARGS__))                                     \
            _Exit(WORKER_CUT_OFF);                                                                 \
    } while (0)

static void check_memory(const Worker *worker, const char *doing)
{
    long mib = (vmaf_process_peak_memory_kib() - worker->memory_before) / 1024;
    if (mib > MEMORY_MAX_MIB)
        REPORT(worker, "fault %s it took %ld MiB of memory (at most %d are allowed)\n", doing, mib,
               MEMORY_MAX_MIB);
}

static void check_state(const Worker *worker)
{
    Reason why;
    if (!host_state_restore(worker->state, worker->path, &why))
        REPORT(worker, "fault probing it %s\n", why.text);
}

static void report_library(void *cookie, const char *path)
{
    const Worker *worker = cookie;
    if (!strchr(path, '\n'))
        REPORT(worker, "library %s\n", path);
}

static void report_libraries(Worker *worker)
{
    if (!vmaf_module_list(report_library, worker))
        report_library(worker, worker->path);
}

static void report_stage(const Worker *worker, const char *stage)
{
    REPORT(worker, "stage %s\n", stage);
}

/* Exits as programs do, so that destructors and exit handlers of the plugin and its libraries
 * run here first. */
_Noreturn static void finish(Worker *worker, const BackendAvailability *availability,
                             uint64_t opened)
{
    const char *state = backend_reason_name(availability->state);
    report_libraries(worker);
    REPORT(worker, "availability %s %d %" PRIx64 " %s\n", state ? state : "usable",
           availability->error, opened, availability->why.text);
    report_stage(worker, "ending");
    exit(WORKER_DONE);
}

static void drop_message(void *cookie, uint32_t level, const char *text)
{
    (void)cookie;
    (void)level;
    (void)text;
}

static bool open_and_close(const Plugin *plugin, const char *id, BackendAvailability *availability)
{
    const VmafBackendHost host = {
        .struct_size = sizeof(host),
        .abi_major = VMAF_BACKEND_ABI_MAJOR,
        .abi_minor = VMAF_BACKEND_ABI_MINOR,
        .log = drop_message,
    };
    const VmafBackendDeviceParams params = {.struct_size = sizeof(params), .host = &host, .id = id};
    VmafBackendDevice *device;
    if (plugin_open_device(plugin, &params, &device, availability) < 0)
        return false;
    plugin->api.device_close(device);
    return true;
}

/* The devices that can be opened; if there are none, the availability is that of the first. */
static uint64_t open_devices(const Plugin *plugin, const PluginDevices *devices,
                             BackendAvailability *availability)
{
    uint64_t opened = 0;
    BackendAvailability first = {.state = BACKEND_USABLE};
    for (unsigned i = 0; i < devices->n_devices; i++) {
        BackendAvailability one = {.state = BACKEND_USABLE};
        if (open_and_close(plugin, devices->devices[i].id, &one))
            opened |= UINT64_C(1) << i;
        else if (first.state == BACKEND_USABLE)
            first = one;
    }
    if (!opened)
        *availability = first;
    return opened;
}

/* Reports as backend/discovery/probe.h defines, and ends the process. */
static void worker_run(void *argument, const VmafReport *report)
{
    const WorkerJob *job = argument;
    Worker worker = {.path = job->path, .report = report};
    BackendAvailability availability = {.state = BACKEND_USABLE};
    if (host_state_capture(&worker.state, VMAF_PROCESS_ALONE) < 0)
        _Exit(1);
    worker.memory_before = vmaf_process_peak_memory_kib();

    report_stage(&worker, "loading");
    Plugin *plugin;
    int err = plugin_load(&plugin, job->path, job->name, VMAF_PROCESS_ALONE, &availability);
    check_memory(&worker, "loading");
    if (err == -EPERM)
        REPORT(&worker, "fault %s\n", availability.why.text);
    if (err < 0)
        finish(&worker, &availability, 0);

    report_stage(&worker, "enumerating");
    static PluginDevices devices;
    err = plugin_enumerate(plugin, &devices, &availability);
    check_memory(&worker, "probing");
    uint64_t opened = 0;
    if (err == 0) {
        report_stage(&worker, "opening");
        opened = open_devices(plugin, &devices, &availability);
    }
    check_state(&worker);
    finish(&worker, &availability, opened);
}

/* ---- The process that watches ---- */

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
        .limit_times = CALL_LIMIT_TIMES,
    };
    VmafReport report;
    VmafWorkResult result;
    if (vmaf_supervise(&work, &report, &result))
        return 1;
    report_end(&report, &result);
    return 0;
}
