/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The program `vmaf-bench`: processor time and memory of features and models. See README.md. */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "libvmaf/libvmaf_ext.h"

/* ---- Results as JSON, and as lines ---- */

/* {"calibration": {...}, "results": [{...}, ...]}; NULL if memory runs out. */
static json_t *bench_results_new(const BenchCalibration *c)
{
    return json_pack("{s:{s:f,s:f,s:f},s:[]}", "calibration", "scalar_ms", c->scalar, "vector_ms",
                     c->vector, "copy_ms", c->copy, "results");
}

static double calibration_of(const json_t *results, const char *name)
{
    return json_number_value(json_object_get(json_object_get(results, "calibration"), name));
}

static void bench_results_print_head(const BenchCalibration *c, const json_t *earlier)
{
    printf("calibration: scalar %.2f ms, vector %.2f ms, copy %.2f ms\n", c->scalar, c->vector,
           c->copy);
    if (earlier)
        printf("compared with: scalar %.2f ms, vector %.2f ms, copy %.2f ms\n",
               calibration_of(earlier, "scalar_ms"), calibration_of(earlier, "vector_ms"),
               calibration_of(earlier, "copy_ms"));
    printf("\n%-16s %-10s %5s %7s %7s | %9s %9s | %9s %9s | %8s%s\n", "ms per frame", "size",
           "depth", "threads", "cpumask", "cpu min", "median", "wall min", "median", "MiB",
           earlier ? " | ratio" : "");
}

/* True if the members that identify a measurement are equal. */
static int is_same_subject(const json_t *a, const json_t *b)
{
    static const char *const members[] = {"subject", "size", "depth", "threads", "cpumask"};
    for (size_t i = 0; i < sizeof members / sizeof members[0]; ++i)
        if (!json_equal(json_object_get(a, members[i]), json_object_get(b, members[i])))
            return 0;
    return 1;
}

/*
 * Processor time now over processor time then, each in units of the vector calibration: 1 means as
 * fast as before, whatever the machines. 0 if there is no earlier measurement.
 */
static double ratio_of(const json_t *results, const json_t *earlier, const json_t *line)
{
    size_t i;
    json_t *old;
    json_array_foreach(json_object_get(earlier, "results"), i, old)
    {
        const double unit_now = calibration_of(results, "vector_ms");
        const double unit_then = calibration_of(earlier, "vector_ms");
        const double now = json_number_value(json_object_get(line, "cpu_median_ms"));
        const double then = json_number_value(json_object_get(old, "cpu_median_ms"));
        if (is_same_subject(line, old) && then > 0 && unit_now > 0)
            return now / unit_now / (then / unit_then);
    }
    return 0;
}

/* Adds a line, and prints it. `earlier`: results to compare with, or NULL. */
static int bench_results_add(json_t *results, const json_t *earlier, const BenchSubject *subject,
                             const SynthClip *clip, const BenchResult *result)
{
    char size[32];
    snprintf(size, sizeof size, "%ux%u", clip->width, clip->height);
    json_t *line = json_pack("{s:s,s:s,s:i,s:i,s:I,s:i,s:f,s:f,s:f,s:f,s:f}", "subject",
                             subject->name, "size", size, "depth", (int)clip->depth, "threads",
                             (int)subject->threads, "cpumask", (json_int_t)subject->cpumask,
                             "frames", (int)subject->frames, "cpu_min_ms", result->cpu_min,
                             "cpu_median_ms", result->cpu_median, "wall_min_ms", result->wall_min,
                             "wall_median_ms", result->wall_median, "memory_mib", result->memory);
    if (!line)
        return -ENOMEM;
    printf("%-16s %-10s %5u %7u %7llu | %9.3f %9.3f | %9.3f %9.3f | %8.1f", subject->name, size,
           clip->depth, subject->threads, (unsigned long long)subject->cpumask, result->cpu_min,
           result->cpu_median, result->wall_min, result->wall_median, result->memory);
    const double ratio = ratio_of(results, earlier, line);
    if (ratio > 0)
        printf(" | %5.2f", ratio);
    printf("\n");
    fflush(stdout);
    return json_array_append_new(json_object_get(results, "results"), line) ? -ENOMEM : 0;
}

/* ---- The program ---- */

static const char usage[] =
    "usage: vmaf-bench [options]\n"
    "\n"
    "Measures processor time per frame on generated pictures in memory.\n"
    "\n"
    "  --only NAME      a feature, as `vmaf --feature` takes it, or a model; repeatable\n"
    "                   (default: every extractor, and vmaf_v0.6.1 serially and on all cores)\n"
    "  --size WxH       repeatable (default 576x324)\n"
    "  --depth N        repeatable (default 8 and 10)\n"
    "  --threads N      worker threads for everything (default as above)\n"
    "  --cpumask N      instruction sets not to be used; 63 leaves plain C (default 0)\n"
    "  --frames N       pairs per run (default 48 at 576x324, fewer for larger pictures)\n"
    "  --runs N         runs that count (default 5)\n"
    "  --json FILE      write the results to a file as well\n"
    "  --compare FILE   print the ratio to the results in a file\n";

typedef struct Settings {
    ArgumentList only, sizes, depths;
    int threads; /* -1: not given */
    uint64_t cpumask;
    unsigned frames, runs;
    const char *json, *compare;
} Settings;

static int set(Settings *s, const char *name, const char *value)
{
    long n = 0;
    int err = 0;
    if (!strcmp(name, "--only"))
        err = argument_add(&s->only, value);
    else if (!strcmp(name, "--size"))
        err = argument_add(&s->sizes, value);
    else if (!strcmp(name, "--depth"))
        err = argument_add(&s->depths, value);
    else if (!strcmp(name, "--json"))
        s->json = value;
    else if (!strcmp(name, "--compare"))
        s->compare = value;
    else if (!strcmp(name, "--threads") && !(err = argument_number(value, 0, 1024, &n)))
        s->threads = (int)n;
    else if (!strcmp(name, "--cpumask") && !(err = argument_number(value, 0, 0xffff, &n)))
        s->cpumask = (uint64_t)n;
    else if (!strcmp(name, "--frames") && !(err = argument_number(value, 1, 100000, &n)))
        s->frames = (unsigned)n;
    else if (!strcmp(name, "--runs") && !(err = argument_number(value, 1, BENCH_MAX_RUNS, &n)))
        s->runs = (unsigned)n;
    else
        err = -1;
    return err;
}

static int parse(Settings *s, int argc, char **argv)
{
    *s = (Settings){.threads = -1, .runs = 5};
    for (int i = 1; i < argc; i += 2)
        if (i + 1 == argc || set(s, argv[i], argv[i + 1])) {
            fprintf(stderr, "vmaf-bench: %s\n\n%s", argv[i], usage);
            return -1;
        }
    if (!s->sizes.n)
        argument_add(&s->sizes, "576x324");
    if (!s->depths.n) {
        argument_add(&s->depths, "8");
        argument_add(&s->depths, "10");
    }
    return 0;
}

typedef struct Bench {
    const Settings *settings;
    const BenchClips *clips;
    json_t *results, *earlier;
} Bench;

static int measure(const Bench *bench, const char *name, unsigned threads)
{
    const SynthClip *clip = &bench->clips->synth;
    /* About nine million samples, a second or so of plain C, within reasonable bounds. */
    const unsigned fitting = 9000000 / (clip->width * clip->height) + 2;
    const BenchSubject subject = {
        .name = name,
        .threads = bench->settings->threads < 0 ? threads : (unsigned)bench->settings->threads,
        .cpumask = bench->settings->cpumask,
        .frames = bench->settings->frames ? bench->settings->frames
                  : fitting < 48          ? fitting
                                          : 48,
        .runs = bench->settings->runs,
    };
    BenchResult result;
    const int err = bench_measure(&subject, bench->clips, &result);
    if (err) {
        fprintf(stderr, "vmaf-bench: %s: error %d\n", name, err);
        return err;
    }
    return bench_results_add(bench->results, bench->earlier, &subject, clip, &result);
}

static int measure_defaults(const Bench *bench)
{
    VmafExtractorInfo info = {.struct_size = sizeof info};
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    int err = 0;
    for (unsigned i = 0; !err && !vmaf_extractor_info(i, &info); ++i)
        err = measure(bench, info.name, 0);
    if (!err)
        err = measure(bench, "vmaf_v0.6.1", 0);
    if (!err && bench->settings->threads < 0)
        err = measure(bench, "vmaf_v0.6.1", cores > 0 ? (unsigned)cores : 1);
    return err;
}

static int measure_clips(Bench *bench, const char *size, const char *depth)
{
    SynthClip clip = synth_default();
    if (synth_set(&clip, "size", size) || synth_set(&clip, "depth", depth)) {
        fprintf(stderr, "vmaf-bench: bad size or depth: %s, %s\n", size, depth);
        return -EINVAL;
    }
    BenchClips clips;
    int err = bench_clips_make(&clips, clip.width, clip.height, clip.depth);
    if (err)
        return err;
    bench->clips = &clips;
    if (!bench->settings->only.n)
        err = measure_defaults(bench);
    for (int i = 0; !err && i < bench->settings->only.n; ++i)
        err = measure(bench, bench->settings->only.items[i], 0);
    bench_clips_release(&clips);
    return err;
}

static int measure_all(const Settings *settings, json_t *earlier)
{
    BenchCalibration calibration;
    int err = bench_calibrate(&calibration);
    if (err)
        return err;
    Bench bench = {settings, NULL, bench_results_new(&calibration), earlier};
    if (!bench.results)
        return -ENOMEM;
    bench_results_print_head(&calibration, earlier);
    for (int i = 0; !err && i < settings->sizes.n; ++i)
        for (int j = 0; !err && j < settings->depths.n; ++j)
            err = measure_clips(&bench, settings->sizes.items[i], settings->depths.items[j]);
    if (!err && settings->json &&
        json_dump_file(bench.results, settings->json, JSON_INDENT(1) | JSON_REAL_PRECISION(6))) {
        fprintf(stderr, "vmaf-bench: cannot write %s\n", settings->json);
        err = -EIO;
    }
    json_decref(bench.results);
    return err;
}

int main(int argc, char **argv)
{
    Settings settings;
    json_t *earlier = NULL;
    if (argc == 2 && !strcmp(argv[1], "--help")) {
        fputs(usage, stdout);
        return 0;
    }
    if (parse(&settings, argc, argv))
        return 1;
    if (settings.compare && !(earlier = json_load_file(settings.compare, 0, NULL))) {
        fprintf(stderr, "vmaf-bench: cannot read %s\n", settings.compare);
        return 1;
    }
    const int err = measure_all(&settings, earlier);
    json_decref(earlier);
    return err != 0;
}
