/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* A backend on its own: pictures go in, records come out. Its speed is compared with what is
 * expected of a card, and what each kernel does with what the device could do. */
#include <libvmaf/backend_profile.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend_bench.h"
#include "speed_model.h"

/* ---- Speed ---- */

static int open_drive(const BackendRows *rows, const BenchClips *clips, Drive *drive,
                      bool profiling)
{
    const BackendSettings *s = rows->settings;
    return drive_open(drive, s->device, profiling, clips, s->in_flight, s->subject->features.items,
                      (unsigned)s->subject->features.n);
}

static json_t *accepted_features(const Drive *drive)
{
    json_t *list = json_array();
    for (unsigned i = 0; i < drive->n_features; i++) {
        if (drive->accepted[i])
            json_array_append_new(list, json_string(drive->requests[i].request.feature));
    }
    return list;
}

static const char *label_of(const BackendSettings *s, char *label, unsigned size)
{
    if (s->subject->is_known)
        return backend_settings_label(&s->subject->models, label, size);
    return s->subject->features.n ? backend_settings_label(&s->subject->features, label, size)
                                  : "all features";
}

static json_t *describe(const BackendRows *rows, bool offered)
{
    const BackendSettings *s = rows->settings;
    char label[256];
    return json_pack("{s:s,s:s,s:b,s:s,s:s,s:o}", "path", "backend", "source",
                     s->from_device ? "device" : "host", "offered", (int)offered, "subject",
                     label_of(s, label, sizeof label), "chosen", rows->drive->backend->name,
                     "on_backend", accepted_features(rows->drive));
}

/* Sorts the latencies, and adds the percentiles. */
static void add_latency(json_t *members, double latency[], unsigned n)
{
    static const struct {
        const char *key;
        double part;
    } points[] = {{"latency_p50_ms", 0.5},
                  {"latency_p90_ms", 0.9},
                  {"latency_p99_ms", 0.99},
                  {"latency_max_ms", 1.0}};
    bench_sort(latency, n);
    printf("%-28s", "latency of a frame");
    for (unsigned i = 0; i < 4; i++) {
        unsigned rank = (unsigned)(points[i].part * n + 0.999999); /* the nearest rank, from 1 */
        rank = rank < 1 ? 1 : rank > n ? n : rank;
        const double ms = 1e3 * latency[rank - 1];
        json_object_set_new(members, points[i].key, json_real(ms));
        if (points[i].part < 1.0)
            printf(" %9.3f ms (%.0f %%)", ms, 100.0 * points[i].part);
        else
            printf(" %9.3f ms (longest)\n", ms);
    }
}

/* What share of the model of a known card this is; nothing where the model says nothing. */
static void print_distance(const BackendRows *rows, double fps)
{
    const BackendSettings *s = rows->settings;
    const SpeedModel *model = speed_model_find(rows->drive->info.name);
    const double expected = model ? speed_model_fps(model, s->width, s->height, s->depth) : 0.0;
    if (!(expected > 0.0))
        return;
    printf(
        "%-28s %9.1f frames/s derived for %s with the default model's features; this is %.0f %%\n",
        "distance to the model", expected, model->card, 100.0 * fps / expected);
    json_t *members = describe(rows, true);
    json_t *more = json_pack("{s:s,s:f,s:f,s:f}", "card", model->card, "model_fps", expected, "fps",
                             fps, "ratio", fps / expected);
    json_object_update(members, more);
    json_decref(more);
    backend_row(rows, "distance", members);
}

/* The model is about what the default model needs. */
static bool is_default_model(const BackendSubject *subject)
{
    return subject->is_known && subject->models.n == 1 &&
           !strcmp(subject->models.items[0], "vmaf_v0.6.1");
}

static int run_speed(const BackendRows *rows, const BenchClips *clips, Drive *drive,
                     double latency[])
{
    const BackendSettings *s = rows->settings;
    DriveRun warming = {.end = 2 * s->in_flight, .limit = s->limit};
    if (drive_run(drive, clips, &warming))
        return -1;
    DriveRun run = {.first = warming.end,
                    .end = warming.end + s->frames,
                    .limit = s->limit,
                    .latency = latency};
    BackendSpan span = backend_span_begin();
    if (drive_run(drive, clips, &run))
        return -1;
    span = backend_span_end(span);
    json_t *members = describe(rows, true);
    json_t *results = backend_span_print(
        s->from_device ? "features, from the device" : "features of the backend", span, run.done);
    json_object_update(members, results);
    json_decref(results);
    add_latency(members, latency, run.done);
    json_object_set_new(members, "opening_s", json_real(drive->opening));
    printf("%-28s %9.2f s\n", "opening", drive->opening);
    backend_row(rows, "speed", members);
    if (is_default_model(s->subject))
        print_distance(rows, run.done / span.wall);
    return 0;
}

/* Where the settings want it, puts the pictures onto the device. As drive_upload. */
static int place_pictures(const BackendRows *rows, const BenchClips *clips, Drive *drive)
{
    char reason[VMAF_BACKEND_TEXT_SIZE] = "";
    const int result = rows->settings->from_device ? drive_upload(drive, clips, reason) : 0;
    if (result != 1)
        return result;
    printf("%-28s not offered: %s\n", "features, from the device", reason);
    json_t *members = describe(rows, false);
    json_object_set_new(members, "reason", json_string(reason));
    backend_row(rows, "speed", members);
    return 1;
}

int backend_direct_speed(const BackendRows *rows, const BenchClips *clips, Drive *drive)
{
    double *latency = calloc(rows->settings->frames, sizeof *latency);
    if (!latency || open_drive(rows, clips, drive, false)) {
        free(latency);
        return -1;
    }
    int result = place_pictures(rows, clips, drive);
    if (!result)
        result = run_speed(rows, clips, drive, latency);
    drive_close(drive);
    free(latency);
    return result < 0 ? -1 : 0;
}

/* ---- What the device does ---- */

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

/* What the device could do at most; 0 where that is unknown. Copies: bytes copied per second. */
typedef struct Limits {
    double copies[3], operations;
} Limits;

static double issue_rate(const BackendRows *rows)
{
    double lanes = 0.0;
    /* Operations that a unit begins in a cycle: four warps of 32 lanes. */
    if (strstr(rows->drive->info.vendor, "NVIDIA") || strstr(rows->drive->info.name, "NVIDIA"))
        lanes = 128.0 * rows->drive->info.compute_units;
    return lanes * rows->settings->clock;
}

static void measure_limits(const BackendRows *rows, Drive *drive, const VmafSdkProfile *profile,
                           Limits *limits)
{
    static const char *const names[] = {"copy within the device", "copy to the device",
                                        "copy from the device"};
    static const char *const keys[] = {"within", "to", "from"};
    *limits = (Limits){.operations = issue_rate(rows)};
    for (uint32_t i = 0; i < 3; i++) {
        if (profile->bandwidth(drive->device, i, &limits->copies[i]) != VMAF_BACKEND_OK) {
            limits->copies[i] = 0.0;
            continue;
        }
        printf("%-28s %8.2f GB/s%s\n", names[i], 1e-9 * limits->copies[i],
               i ? "" : " read, and as much written");
        backend_row(rows, "bandwidth",
                    json_pack("{s:s,s:f}", "copy", keys[i], "gb_per_s", 1e-9 * limits->copies[i]));
    }
}

/* Bytes per second that this work could move: kernels and copies within the device read and write.
 */
static double byte_limit(const Limits *limits, const char *name)
{
    if (!strcmp(name, "upload"))
        return limits->copies[1];
    if (!strcmp(name, "read-back"))
        return limits->copies[2];
    return 2.0 * limits->copies[0];
}

/* A ratio, or null where one of the two is unknown. */
static json_t *ratio(double value, double limit)
{
    return value > 0.0 && limit > 0.0 ? json_real(value / limit) : json_null();
}

static void print_ratio(double value, double limit)
{
    if (value > 0.0 && limit > 0.0)
        printf(" %8.1f %%", 100.0 * value / limit);
    else
        printf(" %10s", "");
}

static void print_work(const BackendRows *rows, const Work *work, unsigned frames, double all,
                       const Limits *limits, const KernelOperations *list)
{
    const BackendSettings *s = rows->settings;
    const double rate = work->seconds > 0.0 ? work->bytes / work->seconds : 0.0;
    const double operations =
        kernel_operations_of(list, work->name) * s->width * s->height * frames;
    const double issued = work->seconds > 0.0 ? operations / work->seconds : 0.0;
    const double bytes_at_most = byte_limit(limits, work->name);
    printf("%-28s %8.1f %12.3f %6.1f %% %8.2f %8.2f", work->name, work->runs / frames,
           1e3 * work->seconds / frames, 100.0 * work->seconds / all, 1e-6 * work->bytes / frames,
           1e-9 * rate);
    print_ratio(rate, bytes_at_most);
    if (operations > 0.0)
        printf(" %8.1f", 1e-9 * issued);
    else
        printf(" %8s", "");
    print_ratio(issued, limits->operations);
    printf("\n");
    char label[256];
    json_t *members = json_pack(
        "{s:s,s:s,s:s,s:f,s:f,s:f,s:f,s:f}", "subject", label_of(s, label, sizeof label), "source",
        s->from_device ? "device" : "host", "stage", work->name, "runs_per_frame",
        work->runs / frames, "ms_per_frame", 1e3 * work->seconds / frames, "share",
        work->seconds / all, "mb_per_frame", 1e-6 * work->bytes / frames, "gb_per_s", 1e-9 * rate);
    json_object_set_new(members, "of_bandwidth", ratio(rate, bytes_at_most));
    json_object_set_new(members, "gop_per_s",
                        operations > 0.0 ? json_real(1e-9 * issued) : json_null());
    json_object_set_new(members, "of_issue_rate", ratio(issued, limits->operations));
    backend_row(rows, "stage", members);
}

static void print_works(const BackendRows *rows, const Work works[], unsigned n, unsigned frames,
                        const Limits *limits)
{
    KernelOperations list = {.n = 0};
    double all = 0.0;
    for (unsigned i = 0; i < n; i++)
        all += works[i].seconds;
    if (rows->settings->operations)
        kernel_operations_read(&list, rows->settings->operations);
    printf("\n%-28s %8s %12s %8s %8s %8s %10s %8s %10s\n", "on the device", "runs", "ms per frame",
           "share", "MB", "GB/s", "of copying", "Gop/s", "of issuing");
    for (unsigned i = 0; i < n; i++)
        print_work(rows, &works[i], frames, all, limits, &list);
    printf("%-28s %8s %12.3f\n", "all", "", 1e3 * all / frames);
    if (!list.n)
        printf("operations are not listed: there is no file of them (--operations)\n");
    if (!(limits->operations > 0.0))
        printf("of issuing is left out: the units and the clock of the device are not known\n");
}

int backend_direct_stages(const BackendRows *rows, const BenchClips *clips, Drive *drive)
{
    const BackendSettings *s = rows->settings;
    if (open_drive(rows, clips, drive, true))
        return -1;
    DriveRun run = {.end = 2 * s->in_flight + s->frames, .limit = s->limit};
    int result = place_pictures(rows, clips, drive);
    if (!result)
        result = drive_run(drive, clips, &run);
    Work works[WORK_MAX];
    const VmafSdkProfile *profile =
        drive->backend->get_extension
            ? drive->backend->get_extension(VMAF_SDK_PROFILE_EXTENSION, VMAF_SDK_PROFILE_VERSION)
            : NULL;
    const unsigned n = profile && !result ? gather(drive, profile, works) : 0;
    if (n) {
        Limits limits;
        printf("\n");
        measure_limits(rows, drive, profile, &limits);
        print_works(rows, works, n, run.done, &limits);
    } else if (!result) {
        printf("\nthe device has no timestamps\n");
    }
    drive_close(drive);
    return result < 0 ? -1 : 0;
}
