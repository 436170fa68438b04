/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The program `vmaf-backend-bench`: speed of a backend, and where its time goes. See README.md. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "arguments.h"
#include "backend_drive.h"
#include "measure.h"
#include "profile.h"

static const char usage[] =
    "usage: vmaf-backend-bench --plugin FILE [options]\n"
    "\n"
    "Frames per second of a backend on generated pictures in memory, through the library and "
    "without\n"
    "it, and what the device spends its time on.\n"
    "\n"
    "  --plugin FILE    libvmaf-backend-NAME.so\n"
    "  --device N       of the backend (default: the first)\n"
    "  --size WxH       (default 1920x1080)\n"
    "  --depth N        (default 8)\n"
    "  --frames N       (default 100)\n"
    "  --model NAME     that the library computes; repeatable (default vmaf_v0.6.1)\n"
    "  --feature NAME[=OPTION=VALUE:...]\n"
    "                   that the backend computes on its own; repeatable (default: all it has)\n"
    "  --in-flight N    frames at once (default 4)\n"
    "  --threads N      of the library (default 1)\n";

typedef struct Settings {
    ArgumentList features, models;
    const char *plugin, *size;
    int device;
    unsigned depth, frames, in_flight, threads;
} Settings;

static int set(Settings *s, const char *name, const char *value)
{
    long n = 0;
    int err = 0;
    if (!strcmp(name, "--plugin"))
        s->plugin = value;
    else if (!strcmp(name, "--size"))
        s->size = value;
    else if (!strcmp(name, "--model"))
        err = argument_add(&s->models, value);
    else if (!strcmp(name, "--feature"))
        err = s->features.n == DRIVE_MAX_FEATURES ? -1 : argument_add(&s->features, value);
    else if (!strcmp(name, "--device") && !(err = argument_number(value, 0, 63, &n)))
        s->device = (int)n;
    else if (!strcmp(name, "--depth") && !(err = argument_number(value, 8, 16, &n)))
        s->depth = (unsigned)n;
    else if (!strcmp(name, "--frames") && !(err = argument_number(value, 1, 1000000, &n)))
        s->frames = (unsigned)n;
    else if (!strcmp(name, "--in-flight") && !(err = argument_number(value, 1, 64, &n)))
        s->in_flight = (unsigned)n;
    else if (!strcmp(name, "--threads") && !(err = argument_number(value, 0, 1024, &n)))
        s->threads = (unsigned)n;
    else
        err = -1;
    return err;
}

static double cpu_seconds(void)
{
    struct rusage usage_now;
    getrusage(RUSAGE_SELF, &usage_now);
    return (double)(usage_now.ru_utime.tv_sec + usage_now.ru_stime.tv_sec) +
           1e-6 * (double)(usage_now.ru_utime.tv_usec + usage_now.ru_stime.tv_usec);
}

/* Processor time of this process and time on the clock, from one moment to another. */
typedef struct Span {
    double wall, cpu;
} Span;

static Span span_begin(void)
{
    return (Span){drive_now(), cpu_seconds()};
}

static void print_span(const char *what, Span begin, unsigned frames)
{
    const double wall = drive_now() - begin.wall;
    const double cpu = cpu_seconds() - begin.cpu;
    printf("%-28s %9.1f frames/s   %8.3f ms per frame   processor %5.1f %% of one core\n", what,
           frames / wall, 1e3 * wall / frames, 100.0 * cpu / wall);
}

/* -- through the library -- */

/* The models after the first one. They must exist as long as the context. */
static int use_more_models(const Settings *s, VmafContext *context, VmafModel *more[ARGUMENT_MAX])
{
    int err = 0;
    for (int i = 1; i < s->models.n && !err; i++) {
        VmafModelConfig configuration = {.name = s->models.items[i]};
        err = vmaf_model_load(&more[i], &configuration, s->models.items[i]);
        if (!err)
            err = vmaf_use_features_from_model(context, more[i]);
    }
    return err;
}

static const char *label_of(const Settings *s, char *label, size_t size)
{
    size_t length = 0;
    label[0] = '\0';
    for (int i = 0; i < s->models.n && length < size; i++)
        length += (size_t)snprintf(label + length, size - length, "%s%s", i ? " + " : "",
                                   s->models.items[i]);
    return label;
}

static int run_library(const Settings *s, const BenchClips *clips, const char *backend)
{
    const BenchSubject subject = {
        .name = s->models.items[0], .threads = s->threads, .backend = backend, .device = s->device};
    const unsigned before = 2 * s->in_flight; /* are not counted: the session opens */
    VmafModel *more[ARGUMENT_MAX] = {NULL};
    char label[256];
    BenchContext context;
    int err = bench_context_open(&context, &subject);
    if (err)
        return err;
    err = use_more_models(s, context.context, more);
    if (!err)
        err = bench_clips_feed(clips, context.context, 0, before);
    const Span begin = span_begin();
    if (!err)
        err = bench_clips_feed(clips, context.context, before, before + s->frames);
    if (!err)
        err = vmaf_read_pictures(context.context, NULL, NULL, 0);
    if (!err)
        print_span(label_of(s, label, sizeof label), begin, s->frames);
    bench_context_close(&context);
    for (int i = 1; i < s->models.n; i++)
        vmaf_model_destroy(more[i]);
    return err;
}

/* -- without the library -- */

/* The work of one name, over all its entries. */
typedef struct Work {
    char name[64];
    double runs, seconds, bytes; /* bytes: of all runs */
} Work;

enum { WORK_MAX = 64 };

static unsigned gather(const Drive *drive, const VmafSdkProfile *profile, Work works[WORK_MAX])
{
    VmafSdkProfileEntry entry = {.struct_size = sizeof entry};
    unsigned n = 0;
    for (uint32_t i = 0; profile->entry(drive->session, i, &entry) == VMAF_BACKEND_OK; i++) {
        unsigned k = 0;
        while (k < n && strcmp(works[k].name, entry.name) != 0)
            k++;
        if (!entry.runs || k == WORK_MAX)
            continue;
        if (k == n) {
            works[n] = (Work){.runs = 0};
            snprintf(works[n++].name, sizeof works[0].name, "%s", entry.name);
        }
        works[k].runs += (double)entry.runs;
        works[k].seconds += 1e-9 * (double)entry.nanoseconds;
        works[k].bytes += (double)entry.bytes * (double)entry.runs;
    }
    return n;
}

static void print_works(const Work works[], unsigned n, unsigned frames)
{
    double seconds = 0.0;
    for (unsigned i = 0; i < n; i++)
        seconds += works[i].seconds;
    printf("\n%-28s %8s %12s %8s %8s %8s\n", "on the device", "runs", "ms per frame", "share", "MB",
           "GB/s");
    for (unsigned i = 0; i < n; i++)
        printf("%-28s %8.1f %12.3f %6.1f %% %8.2f %8.2f\n", works[i].name, works[i].runs / frames,
               1e3 * works[i].seconds / frames, 100.0 * works[i].seconds / seconds,
               1e-6 * works[i].bytes / frames,
               works[i].seconds > 0.0 ? 1e-9 * works[i].bytes / works[i].seconds : 0.0);
    printf("%-28s %8s %12.3f\n", "all", "", 1e3 * seconds / frames);
}

static void print_bandwidth(Drive *drive, const VmafSdkProfile *profile)
{
    static const char *const names[] = {"copy within the device", "copy to the device",
                                        "copy from the device"};
    printf("\n");
    for (uint32_t i = 0; i < 3; i++) {
        double bandwidth;
        if (profile->bandwidth(drive->device, i, &bandwidth) == VMAF_BACKEND_OK)
            printf("%-28s %8.2f GB/s%s\n", names[i], 1e-9 * bandwidth,
                   i ? "" : " read, and as much written");
    }
}

static int run_direct(const Settings *s, const BenchClips *clips, Drive *drive, bool profiling)
{
    const unsigned before = 2 * s->in_flight;
    if (drive_open(drive, s->device, profiling, clips, s->in_flight, s->features.items,
                   (unsigned)s->features.n))
        return -1;
    int err = drive_run(drive, clips, 0, before);
    const Span begin = span_begin();
    if (!err)
        err = drive_run(drive, clips, before, before + s->frames);
    if (err || !profiling) {
        if (!err) {
            print_span("features of the backend", begin, s->frames);
            printf("%-28s %9.2f s\n", "opening", drive->opening);
        }
        drive_close(drive);
        return err;
    }
    Work works[WORK_MAX];
    const VmafSdkProfile *profile =
        drive->backend->get_extension
            ? drive->backend->get_extension(VMAF_SDK_PROFILE_EXTENSION, VMAF_SDK_PROFILE_VERSION)
            : NULL;
    const unsigned n = profile ? gather(drive, profile, works) : 0;
    if (n) {
        print_works(works, n, s->frames + before);
        print_bandwidth(drive, profile);
    } else {
        printf("\nthe device has no timestamps\n");
    }
    drive_close(drive);
    return 0;
}

/* Makes the library search the plugin's own folder. */
static int point_library(const char *path)
{
    char *folder = realpath(path, NULL);
    if (!folder)
        return -1;
    *strrchr(folder, '/') = '\0';
    const int err =
        setenv("VMAF_BACKEND_PATH", folder, 1) || setenv("VMAF_BACKEND_PROBE", "inprocess", 1);
    free(folder);
    return err ? -1 : 0;
}

static int bench(const Settings *s, unsigned width, unsigned height)
{
    static Drive drive;
    BenchClips clips;
    if (point_library(s->plugin) || drive_load(&drive, s->plugin)) {
        fprintf(stderr, "vmaf-backend-bench: %s cannot be used\n", s->plugin);
        return 1;
    }
    int err = bench_clips_make(&clips, width, height, s->depth);
    if (err) {
        fprintf(stderr, "vmaf-backend-bench: %s\n", strerror(-err));
        return 1;
    }
    printf("%s, %ux%u, %u bits, %u frames\n", drive.backend->name, width, height, s->depth,
           s->frames);
    err = run_library(s, &clips, drive.backend->name);
    if (err)
        fprintf(stderr, "vmaf-backend-bench: the models: %s\n", strerror(-err));
    if (!err)
        err = run_direct(s, &clips, &drive, false);
    if (!err)
        err = run_direct(s, &clips, &drive, true);
    if (!err)
        printf("\ndevice: %s\n", drive.info.name);
    bench_clips_release(&clips);
    return err ? 1 : 0;
}

int main(int argc, char **argv)
{
    Settings s = {
        .size = "1920x1080", .device = -1, .depth = 8, .frames = 100, .in_flight = 4, .threads = 1};
    for (int i = 1; i < argc; i += 2) {
        if (i + 1 == argc || set(&s, argv[i], argv[i + 1])) {
            fprintf(stderr, "vmaf-backend-bench: %s\n\n%s", argv[i], usage);
            return 1;
        }
    }
    if (!s.models.n)
        argument_add(&s.models, "vmaf_v0.6.1");
    unsigned width, height;
    char rest;
    if (!s.plugin || sscanf(s.size, "%ux%u%c", &width, &height, &rest) != 2) {
        fputs(usage, stderr);
        return 1;
    }
    return bench(&s, width, height);
}
