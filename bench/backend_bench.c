/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The program `vmaf-backend-bench`: speed of a backend, and where its time goes. See README.md.
 * Here: its options, its rows of JSON, how long it takes to start, and the order of its tables. */
#include "backend_bench.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

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
    "  --limit SECONDS  for the frames of a result: fewer of them if they take longer\n"
    "  --model NAME     or feature that the library computes; repeatable (default vmaf_v0.6.1)\n"
    "  --feature NAME[=OPTION=VALUE:...]\n"
    "                   that the backend computes on its own; repeatable (default: all it has)\n"
    "  --subject NAME   instead of --model and --feature, what one model needs or psnr: "
    "vmaf_v0.6.1,\n"
    "                   vmaf_v0.6.1neg (with vmaf_v0.6.1), vmaf_4k_v0.6.1, vmaf_b_v0.6.3 or psnr;\n"
    "                   repeatable\n"
    "  --source WHERE   pictures for the backend on its own are in memory of the host or of the\n"
    "                   device, or both (default host)\n"
    "  --in-flight N    frames at once (default 4)\n"
    "  --threads N      of the library (default 1)\n"
    "  --table NAME     library, backend, stages, opening, auto or selftest; repeatable\n"
    "                   (default: the first three)\n"
    "  --operations FILE\n"
    "                   lines KERNEL OPERATIONS: integer operations per luma sample of a frame\n"
    "  --clock MHZ      of the device's compute units, for the rate at which it issues operations\n"
    "  --json FILE      append the results, one JSON object a line\n";

static int add_table(BackendSettings *s, const char *name)
{
    static const char *const names[] = {"library", "backend", "stages",
                                        "opening", "auto",    "selftest"};
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (!strcmp(name, names[i])) {
            s->tables |= 1u << i;
            return 0;
        }
    }
    return -1;
}

/* The models of a subject for the library, and the features that they take for the backend. */
static const struct {
    ArgumentList features, models;
} known_subjects[] = {
    {{.items = {"adm", "motion", "vif"}, .n = 3}, {.items = {"vmaf_v0.6.1"}, .n = 1}},
    {{.items = {"adm", "adm=adm_enhn_gain_limit=1", "motion", "vif", "vif=vif_enhn_gain_limit=1"},
      .n = 5},
     {.items = {"vmaf_v0.6.1", "vmaf_v0.6.1neg"}, .n = 2}},
    {{.items = {"adm", "motion", "vif"}, .n = 3}, {.items = {"vmaf_4k_v0.6.1"}, .n = 1}},
    {{.items = {"adm", "motion", "vif"}, .n = 3}, {.items = {"vmaf_b_v0.6.3"}, .n = 1}},
    {{.items = {"psnr"}, .n = 1}, {.items = {"psnr"}, .n = 1}},
};

/* A subject is named after the last of its models. */
static int add_subject(BackendSettings *s, const char *name)
{
    for (size_t i = 0; i < sizeof known_subjects / sizeof known_subjects[0]; i++) {
        const ArgumentList *models = &known_subjects[i].models;
        if (!strcmp(name, models->items[models->n - 1]) && s->n_subjects < SUBJECTS_MAX) {
            s->subjects[s->n_subjects++] =
                (BackendSubject){known_subjects[i].features, known_subjects[i].models, true};
            return 0;
        }
    }
    return -1;
}

static int set_source(BackendSettings *s, const char *where)
{
    static const char *const names[] = {"host", "device", "both"};
    for (unsigned i = 0; i < 3; i++) {
        if (!strcmp(where, names[i])) {
            s->sources = i + 1;
            return 0;
        }
    }
    return -1;
}

static int set_text(BackendSettings *s, BackendSubject *own, const char *name, const char *value)
{
    if (!strcmp(name, "--plugin"))
        s->plugin = value;
    else if (!strcmp(name, "--size"))
        s->size = value;
    else if (!strcmp(name, "--json"))
        s->json = value;
    else if (!strcmp(name, "--operations"))
        s->operations = value;
    else if (!strcmp(name, "--model"))
        return argument_add(&own->models, value);
    else if (!strcmp(name, "--feature"))
        return own->features.n == DRIVE_MAX_FEATURES ? -1 : argument_add(&own->features, value);
    else if (!strcmp(name, "--subject"))
        return add_subject(s, value);
    else if (!strcmp(name, "--table"))
        return add_table(s, value);
    else if (!strcmp(name, "--source"))
        return set_source(s, value);
    else
        return 1;
    return 0;
}

static int set(BackendSettings *s, BackendSubject *own, const char *name, const char *value)
{
    const int err = set_text(s, own, name, value);
    long n = 0;
    if (err <= 0)
        return err;
    if (!strcmp(name, "--device") && !argument_number(value, 0, 63, &n))
        s->device = (int)n;
    else if (!strcmp(name, "--depth") && !argument_number(value, 8, 16, &n))
        s->depth = (unsigned)n;
    else if (!strcmp(name, "--frames") && !argument_number(value, 1, 1000000, &n))
        s->frames = (unsigned)n;
    else if (!strcmp(name, "--in-flight") && !argument_number(value, 1, 64, &n))
        s->in_flight = (unsigned)n;
    else if (!strcmp(name, "--threads") && !argument_number(value, 0, 1024, &n))
        s->threads = (unsigned)n;
    else if (!strcmp(name, "--limit") && !argument_number(value, 1, 86400, &n))
        s->limit = (double)n;
    else if (!strcmp(name, "--clock") && !argument_number(value, 1, 100000, &n))
        s->clock = 1e6 * (double)n;
    else
        return -1;
    return 0;
}

static int complain(const char *what)
{
    fprintf(stderr, "vmaf-backend-bench: %s\n\n%s", what, usage);
    return -1;
}

/* 0; or -1 with the usage on stderr. */
static int backend_settings_read(BackendSettings *s, int argc, char **argv)
{
    BackendSubject own = {.models = {.n = 0}};
    *s = (BackendSettings){.size = "1920x1080",
                           .device = -1,
                           .depth = 8,
                           .frames = 100,
                           .in_flight = 4,
                           .threads = 1,
                           .sources = SOURCE_HOST};
    for (int i = 1; i < argc; i += 2) {
        if (i + 1 == argc || set(s, &own, argv[i], argv[i + 1]))
            return complain(argv[i]);
    }
    if (s->n_subjects && (own.models.n || own.features.n))
        return complain("--subject stands for models and features");
    if (!s->n_subjects) {
        if (!own.models.n)
            argument_add(&own.models, "vmaf_v0.6.1");
        s->subjects[s->n_subjects++] = own;
    }
    s->subject = &s->subjects[0];
    if (!s->tables)
        s->tables = TABLE_LIBRARY | TABLE_BACKEND | TABLE_STAGES;
    char rest;
    if (!s->plugin)
        return complain("--plugin is missing");
    if (sscanf(s->size, "%ux%u%c", &s->width, &s->height, &rest) != 2)
        return complain("--size");
    return 0;
}

const char *backend_settings_label(const ArgumentList *list, char *label, unsigned size)
{
    size_t length = 0;
    label[0] = '\0';
    for (int i = 0; i < list->n && length < size; i++)
        length +=
            (size_t)snprintf(label + length, size - length, "%s%s", i ? " + " : "", list->items[i]);
    return label;
}

/* ---- Rows ---- */

static int backend_rows_open(BackendRows *rows, const BackendSettings *settings, const Drive *drive)
{
    *rows = (BackendRows){.settings = settings, .drive = drive};
    if (!settings->json)
        return 0;
    rows->file = fopen(settings->json, "a");
    if (!rows->file)
        perror(settings->json);
    return rows->file ? 0 : -1;
}

/* 0, or -1 with a message on stderr if not all could be written. */
static int backend_rows_close(BackendRows *rows)
{
    if (!rows->file)
        return 0;
    const int failed = ferror(rows->file);
    if (!fclose(rows->file) && !failed)
        return 0;
    perror(rows->settings->json);
    return -1;
}

void backend_row(const BackendRows *rows, const char *kind, json_t *members)
{
    const BackendSettings *s = rows->settings;
    json_t *line = json_pack("{s:s,s:s,s:s,s:s,s:i,s:i,s:i}", "row", kind, "backend",
                             rows->drive->backend->name, "device", rows->drive->info.name, "driver",
                             rows->drive->info.driver, "width", (int)s->width, "height",
                             (int)s->height, "depth", (int)s->depth);
    if (rows->file && line && members && !json_object_update(line, members)) {
        json_dumpf(line, rows->file, JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(6));
        fputc('\n', rows->file);
        fflush(rows->file);
    }
    json_decref(line);
    json_decref(members);
}

static double cpu_seconds(void)
{
    struct rusage usage_now;
    getrusage(RUSAGE_SELF, &usage_now);
    return (double)(usage_now.ru_utime.tv_sec + usage_now.ru_stime.tv_sec) +
           1e-6 * (double)(usage_now.ru_utime.tv_usec + usage_now.ru_stime.tv_usec);
}

BackendSpan backend_span_begin(void)
{
    return (BackendSpan){drive_now(), cpu_seconds()};
}

BackendSpan backend_span_end(BackendSpan begin)
{
    return (BackendSpan){drive_now() - begin.wall, cpu_seconds() - begin.cpu};
}

json_t *backend_span_print(const char *what, BackendSpan span, unsigned frames)
{
    printf("%-28s %9.1f frames/s   %8.3f ms per frame   processor %5.1f %% of one core\n", what,
           frames / span.wall, 1e3 * span.wall / frames, 100.0 * span.cpu / span.wall);
    fflush(stdout);
    return json_pack("{s:i,s:f,s:f,s:f,s:f}", "frames", (int)frames, "fps", frames / span.wall,
                     "ms_per_frame", 1e3 * span.wall / frames, "host_cores", span.cpu / span.wall,
                     "host_cores_per_1000_fps", 1e3 * span.cpu / frames);
}

/* ---- How long it takes to start ---- */

/* What a process waits for, seconds; cold, warm. */
typedef struct BackendOpening {
    double opened[2], first_record[2];
} BackendOpening;

/* Where drivers, loaders and backends keep what they have compiled. */
static const char *const cache_variables[] = {
    "XDG_CACHE_HOME", "CUDA_CACHE_PATH", "MESA_SHADER_CACHE_DIR", "__GL_SHADER_DISK_CACHE_PATH",
    "NEO_CACHE_DIR",  "SYCL_CACHE_DIR",  "AMD_COMGR_CACHE_DIR",
};

static int measure_here(const BackendSettings *s, const char *cache, double seconds[2])
{
    static Drive drive;
    BenchClips clips;
    for (size_t i = 0; i < sizeof cache_variables / sizeof cache_variables[0]; i++)
        setenv(cache_variables[i], cache, 1);
    if (bench_clips_make(&clips, s->width, s->height, s->depth))
        return -1;
    const double begin = drive_now();
    int err = drive_load(&drive, s->plugin);
    if (!err)
        err = drive_open(&drive, s->device, false, &clips, s->in_flight, s->subject->features.items,
                         (unsigned)s->subject->features.n);
    seconds[0] = drive_now() - begin;
    DriveRun run = {.end = 1};
    if (!err)
        err = drive_run(&drive, &clips, &run);
    seconds[1] = drive_now() - begin;
    if (!err)
        drive_close(&drive); /* may write what was compiled */
    return err;
}

/* Measures in a process of its own, since a driver is started once in a process. */
static int measure_in_child(const BackendSettings *s, const char *cache, double seconds[2])
{
    int ends[2], status = 0;
    if (pipe(ends))
        return -1;
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        const int err = measure_here(s, cache, seconds);
        const ssize_t size = (ssize_t)(2 * sizeof seconds[0]);
        const int sent = !err && write(ends[1], seconds, (size_t)size) == size;
        fflush(NULL);
        _exit(sent ? 0 : 1);
    }
    close(ends[1]);
    const ssize_t size = child < 0 ? 0 : read(ends[0], seconds, 2 * sizeof seconds[0]);
    close(ends[0]);
    if (child > 0)
        waitpid(child, &status, 0);
    return size == (ssize_t)(2 * sizeof seconds[0]) ? 0 : -1;
}

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *where)
{
    (void)info;
    (void)kind;
    (void)where;
    return remove(path);
}

/* How long it takes to open everything and to have the first record, in processes that begin with
 * empty caches and with those of the first. To be called before this process has used a driver. */
static int backend_opening_measure(const BackendSettings *s, BackendOpening *opening)
{
    const char *folder = getenv("TMPDIR");
    char cache[512];
    const int length = snprintf(cache, sizeof cache, "%s/vmaf-backend-bench-XXXXXX",
                                folder && *folder ? folder : "/tmp");
    if (length >= (int)sizeof cache || !mkdtemp(cache)) {
        perror(cache);
        return -1;
    }
    int err = 0;
    for (unsigned i = 0; i < 2 && !err; i++) {
        double seconds[2];
        err = measure_in_child(s, cache, seconds);
        opening->opened[i] = err ? 0.0 : seconds[0];
        opening->first_record[i] = err ? 0.0 : seconds[1];
    }
    nftw(cache, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    if (err)
        fprintf(stderr, "vmaf-backend-bench: the backend does not open in a process of its own\n");
    return err;
}

static void backend_opening_print(const BackendRows *rows, const BackendOpening *opening)
{
    static const char *const states[] = {"cold", "warm"};
    for (unsigned i = 0; i < 2; i++) {
        printf("%s%-22s %9.3f s, first record after %.3f s\n", "start, ", states[i],
               opening->opened[i], opening->first_record[i]);
        backend_row(rows, "opening",
                    json_pack("{s:s,s:f,s:f}", "state", states[i], "opened_s", opening->opened[i],
                              "first_record_s", opening->first_record[i]));
    }
}

/* ---- The program ---- */

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

/* The tables about a backend on its own, for each place where pictures are to be. */
static int print_direct(BackendSettings *s, const BackendRows *rows, const BenchClips *clips,
                        Drive *drive)
{
    int err = 0;
    for (unsigned source = SOURCE_HOST; source <= SOURCE_DEVICE && !err; source *= 2) {
        if (!(s->sources & source))
            continue;
        s->from_device = source == SOURCE_DEVICE;
        if (s->tables & TABLE_BACKEND)
            err = backend_direct_speed(rows, clips, drive);
        /* Kernels take the same time wherever the pictures come from. */
        const bool is_first = !(s->sources & (source - 1));
        if (!err && s->tables & TABLE_STAGES && is_first)
            err = backend_direct_stages(rows, clips, drive);
    }
    return err;
}

/* The tables that were asked for. As backend_library_self_test. */
static int print_tables(BackendSettings *s, const BackendRows *rows, const BenchClips *clips,
                        Drive *drive)
{
    int rejected = 0, err = 0;
    if (s->tables & TABLE_SELF_TEST)
        rejected = backend_library_self_test(rows, clips);
    if (rejected < 0)
        return -1;
    for (unsigned i = 0; i < s->n_subjects && !err; i++) {
        s->subject = &s->subjects[i];
        if (s->tables & TABLE_LIBRARY)
            err = backend_library_speed(rows, clips);
        if (!err && s->tables & TABLE_AUTO)
            err = backend_library_auto(rows, clips);
        if (!err)
            err = print_direct(s, rows, clips, drive);
    }
    return err ? -1 : rejected;
}

static int bench(BackendSettings *s)
{
    static Drive drive;
    BackendOpening opening;
    BackendRows rows;
    BenchClips clips;
    if (s->tables & TABLE_OPENING && backend_opening_measure(s, &opening))
        return -1;
    if (point_library(s->plugin) || drive_load(&drive, s->plugin) ||
        drive_describe(&drive, s->device)) {
        fprintf(stderr, "vmaf-backend-bench: %s cannot be used\n", s->plugin);
        return -1;
    }
    int result = bench_clips_make(&clips, s->width, s->height, s->depth);
    if (result) {
        fprintf(stderr, "vmaf-backend-bench: %s\n", strerror(-result));
        return -1;
    }
    result = backend_rows_open(&rows, s, &drive);
    if (!result) {
        printf("%s, %ux%u, %u bits, %u frames\n", drive.backend->name, s->width, s->height,
               s->depth, s->frames);
        if (s->tables & TABLE_OPENING)
            backend_opening_print(&rows, &opening);
        result = print_tables(s, &rows, &clips, &drive);
        if (backend_rows_close(&rows))
            result = -1;
    }
    if (result >= 0)
        printf("\ndevice: %s\n", drive.info.name);
    bench_clips_release(&clips);
    return result;
}

int main(int argc, char **argv)
{
    BackendSettings settings;
    if (backend_settings_read(&settings, argc, argv))
        return 1;
    return bench(&settings) ? 1 : 0;
}
