/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "worker.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __linux__
#include <link.h>
#endif

#include "backend/discovery/plugin_load.h"
#include "backend/discovery/plugin_probe.h"
#include "backend/discovery/probe_report.h"
#include "backend/host_state.h"

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
/* The sanitizer would call what drivers leave behind at the end a leak, which is no harm. */
int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
    return 1;
}
#endif

typedef struct Worker {
    const char *path;
    int report;
    struct stat report_file;
    long memory_before;
    HostState *state;
} Worker;

/* A line of the report, unless the plugin has closed it; then its number may be that of another
 * file by now. */
static void say(const Worker *worker, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void say(const Worker *worker, const char *format, ...)
{
    struct stat now;
    if (fstat(worker->report, &now) < 0 || now.st_dev != worker->report_file.st_dev ||
        now.st_ino != worker->report_file.st_ino)
        _exit(WORKER_CUT_OFF);
    va_list arguments;
    va_start(arguments, format);
    vdprintf(worker->report, format, arguments);
    va_end(arguments);
}

/* ---- What the plugin must not do ---- */

static long peak_memory_kib(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_maxrss : 0;
}

static void check_memory(const Worker *worker, const char *doing)
{
    long mib = (peak_memory_kib() - worker->memory_before) / 1024;
    if (mib > MEMORY_MAX_MIB)
        say(worker, "harm %s it took %ld MiB of memory (at most %d are allowed)\n", doing, mib,
            MEMORY_MAX_MIB);
}

static void check_state(const Worker *worker)
{
    Reason why;
    if (!host_state_restore(worker->state, worker->path, &why))
        say(worker, "harm probing it %s\n", why.text);
}

/* ---- What is reported ---- */

#ifdef __linux__
static int say_library(struct dl_phdr_info *object, size_t size, void *data)
{
    (void)size;
    const Worker *worker = data;
    const char *path = object->dlpi_name;
    if (path && *path == '/' && !strchr(path, '\n'))
        say(worker, "library %s\n", path);
    return 0;
}

static void say_libraries(Worker *worker)
{
    dl_iterate_phdr(say_library, worker);
}
#else
static void say_libraries(Worker *worker)
{
    say(worker, "library %s\n", worker->path);
}
#endif

static void say_stage(const Worker *worker, const char *stage)
{
    say(worker, "stage %s\n", stage);
}

/* Leaves as programs do, so that destructors and exit handlers of the plugin and of its libraries
 * run here first. */
_Noreturn static void finish(Worker *worker, const BackendAvailability *availability,
                             uint64_t opened)
{
    const char *state = backend_reason_name(availability->state);
    say_libraries(worker);
    say(worker, "availability %s %d %" PRIx64 " %s\n", state ? state : "usable",
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

/* Those that can be opened; if there are none, the availability is that of the first. */
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

/* Crashes end the process by their signal, also where a sanitizer would catch them. */
static void reset_crash_handlers(void)
{
    static const int signals[] = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV};
    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
        signal(signals[i], SIG_DFL);
}

_Noreturn void worker_run(const char *path, const char *name, int report)
{
    Worker worker = {.path = path, .report = report};
    BackendAvailability availability = {.state = BACKEND_USABLE};
    reset_crash_handlers();
    if (fstat(report, &worker.report_file) < 0 ||
        host_state_capture(&worker.state, HOST_STATE_ALONE) < 0)
        _exit(1);
    worker.memory_before = peak_memory_kib();

    say_stage(&worker, "loading");
    Plugin *plugin;
    int err = plugin_load(&plugin, path, name, HOST_STATE_ALONE, &availability);
    check_memory(&worker, "loading");
    if (err == -EPERM)
        say(&worker, "harm %s\n", availability.why.text);
    if (err < 0)
        finish(&worker, &availability, 0);

    say_stage(&worker, "enumerating");
    static PluginDevices devices;
    err = plugin_probe(plugin, &devices, &availability);
    check_memory(&worker, "probing");
    uint64_t opened = 0;
    if (err == 0) {
        say_stage(&worker, "opening");
        opened = open_devices(plugin, &devices, &availability);
    }
    check_state(&worker);
    finish(&worker, &availability, opened);
}
