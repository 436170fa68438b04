/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "worker.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "backend/discovery/plugin_devices.h"
#include "backend/discovery/plugin_load.h"
#include "backend/discovery/probe_report.h"
#include "backend/host_state.h"
#include "platform/module.h"
#include "platform/process.h"

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

typedef struct Worker {
    const char *path;
    const VmafReport *report;
    long memory_before;
    HostState *state;
} Worker;

/* A line of the report, unless the plugin has closed it. */
#define SAY(worker, ...)                                                                           \
    do {                                                                                           \
        if (!vmaf_report_print((worker)->report, __VA_ARGS__))                                     \
            _Exit(WORKER_CUT_OFF);                                                                 \
    } while (0)

/* ---- What the plugin must not do ---- */

static void check_memory(const Worker *worker, const char *doing)
{
    long mib = (vmaf_process_peak_memory_kib() - worker->memory_before) / 1024;
    if (mib > MEMORY_MAX_MIB)
        SAY(worker, "fault %s it took %ld MiB of memory (at most %d are allowed)\n", doing, mib,
            MEMORY_MAX_MIB);
}

static void check_state(const Worker *worker)
{
    Reason why;
    if (!host_state_restore(worker->state, worker->path, &why))
        SAY(worker, "fault probing it %s\n", why.text);
}

/* ---- What is reported ---- */

static void say_library(void *cookie, const char *path)
{
    const Worker *worker = cookie;
    if (!strchr(path, '\n'))
        SAY(worker, "library %s\n", path);
}

static void say_libraries(Worker *worker)
{
    if (!vmaf_module_list(say_library, worker))
        say_library(worker, worker->path);
}

static void say_stage(const Worker *worker, const char *stage)
{
    SAY(worker, "stage %s\n", stage);
}

/* Exits as programs do, so that destructors and exit handlers of the plugin and its libraries
 * run here first. */
_Noreturn static void finish(Worker *worker, const BackendAvailability *availability,
                             uint64_t opened)
{
    const char *state = backend_reason_name(availability->state);
    say_libraries(worker);
    SAY(worker, "availability %s %d %" PRIx64 " %s\n", state ? state : "usable",
        availability->error, opened, availability->why.text);
    say_stage(worker, "ending");
    exit(WORKER_DONE);
}

/* ---- Devices ---- */

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

/* ---- All of it ---- */

void worker_run(void *argument, const VmafReport *report)
{
    const WorkerJob *job = argument;
    Worker worker = {.path = job->path, .report = report};
    BackendAvailability availability = {.state = BACKEND_USABLE};
    if (host_state_capture(&worker.state, VMAF_PROCESS_ALONE) < 0)
        _Exit(1);
    worker.memory_before = vmaf_process_peak_memory_kib();

    say_stage(&worker, "loading");
    Plugin *plugin;
    int err = plugin_load(&plugin, job->path, job->name, VMAF_PROCESS_ALONE, &availability);
    check_memory(&worker, "loading");
    if (err == -EPERM)
        SAY(&worker, "fault %s\n", availability.why.text);
    if (err < 0)
        finish(&worker, &availability, 0);

    say_stage(&worker, "enumerating");
    static PluginDevices devices;
    err = plugin_enumerate(plugin, &devices, &availability);
    check_memory(&worker, "probing");
    uint64_t opened = 0;
    if (err == 0) {
        say_stage(&worker, "opening");
        opened = open_devices(plugin, &devices, &availability);
    }
    check_state(&worker);
    finish(&worker, &availability, opened);
}
