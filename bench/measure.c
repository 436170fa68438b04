/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What the programs of this folder share: options, pictures in memory, how fast the machine is, and
 * the cost of a feature or a model. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "bench.h"
#include "libvmaf/libvmaf_ext.h"
#include "support/cpu.h"

/* ---- Options ---- */

int argument_add(ArgumentList *list, const char *value)
{
    if (list->n == ARGUMENT_MAX)
        return -1;
    list->items[list->n++] = value;
    return 0;
}

int argument_number(const char *text, long min, long max, long *value)
{
    char *end;
    *value = strtol(text, &end, 0);
    return *end || end == text || *value < min || *value > max ? -1 : 0;
}

/* ---- Pictures in memory ---- */

/* At least a cache line of common machines, and the widest vectors. */
enum { ALIGNMENT = 64 };

static size_t round_up(size_t n)
{
    return (n + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static void store_row(unsigned char *row, const uint16_t *samples, unsigned width, unsigned depth)
{
    if (depth > 8)
        memcpy(row, samples, width * sizeof *samples);
    else
        for (unsigned x = 0; x < width; ++x)
            row[x] = (unsigned char)samples[x];
}

static int make_plane(const SynthClip *synth, unsigned frame, unsigned plane, ptrdiff_t stride,
                      uint16_t *samples, void **data)
{
    const unsigned width = synth_plane_width(synth, plane);
    const unsigned height = synth_plane_height(synth, plane);
    unsigned char *rows = aligned_alloc(ALIGNMENT, (size_t)stride * height);
    if (!rows)
        return -ENOMEM;
    *data = rows;
    const int err = synth_plane(synth, frame, plane, samples);
    for (unsigned y = 0; !err && y < height; ++y)
        store_row(rows + (ptrdiff_t)y * stride, samples + (size_t)y * width, width, synth->depth);
    return err;
}

int bench_clips_make(BenchClips *clips, unsigned width, unsigned height, unsigned depth)
{
    memset(clips, 0, sizeof *clips);
    clips->synth = (SynthClip){
        .scene = SYNTH_TEXTURE,
        .distortion = SYNTH_DISTORT_IDENTICAL,
        .strength = 2,
        .width = width,
        .height = height,
        .format = SYNTH_420,
        .depth = depth,
        .frames = BENCH_DISTINCT_FRAMES,
        .seed = 1,
    };
    for (unsigned p = 0; p < 3; ++p)
        clips->stride[p] =
            (ptrdiff_t)round_up(synth_plane_width(&clips->synth, p) * (depth > 8 ? 2U : 1U));

    uint16_t *samples = malloc((size_t)width * height * sizeof *samples);
    int err = samples ? 0 : -ENOMEM;
    SynthClip synth = clips->synth;
    for (unsigned side = 0; side < 2; ++side) {
        for (unsigned t = 0; !err && t < BENCH_DISTINCT_FRAMES; ++t)
            for (unsigned p = 0; !err && p < 3; ++p)
                err =
                    make_plane(&synth, t, p, clips->stride[p], samples, &clips->planes[side][t][p]);
        synth.distortion = SYNTH_DISTORT_HADAMARD;
    }
    free(samples);
    if (err)
        bench_clips_release(clips);
    return err;
}

void bench_clips_release(BenchClips *clips)
{
    for (unsigned side = 0; side < 2; ++side)
        for (unsigned t = 0; t < BENCH_DISTINCT_FRAMES; ++t)
            for (unsigned p = 0; p < 3; ++p)
                free(clips->planes[side][t][p]);
    memset(clips, 0, sizeof *clips);
}

static int wrap(const BenchClips *clips, unsigned side, unsigned t, VmafPicture *picture)
{
    return vmaf_picture_wrap(picture, VMAF_PIX_FMT_YUV420P, clips->synth.depth, clips->synth.width,
                             clips->synth.height, clips->planes[side][t], clips->stride, NULL,
                             NULL);
}

unsigned bench_clips_index(unsigned index)
{
    const unsigned period = 2 * BENCH_DISTINCT_FRAMES - 2;
    const unsigned phase = index % period;
    return phase < BENCH_DISTINCT_FRAMES ? phase : period - phase;
}

int bench_clips_pair(const BenchClips *clips, unsigned index, VmafPicture *ref, VmafPicture *dis)
{
    const unsigned t = bench_clips_index(index);
    int err = wrap(clips, 0, t, ref);
    if (err)
        return err;
    err = wrap(clips, 1, t, dis);
    if (err)
        vmaf_picture_unref(ref);
    return err;
}

int bench_clips_feed(const BenchClips *clips, VmafContext *context, unsigned first, unsigned end)
{
    for (unsigned i = first; i < end; ++i) {
        VmafPicture ref, dis;
        int err = bench_clips_pair(clips, i, &ref, &dis);
        if (err)
            return err;
        err = vmaf_read_pictures(context, &ref, &dis, i);
        if (err) {
            vmaf_picture_unref(&ref);
            vmaf_picture_unref(&dis);
            return err;
        }
    }
    return 0;
}

/* ---- How fast the machine is ---- */

/* True if the processor has the instructions that calibrate_vector.c is compiled for. */
static int has_vectors(void)
{
#if defined(__x86_64__)
    return (cpu_flags(0) & CPU_AVX2) != 0;
#else
    return 1;
#endif
}

enum { RUNS = 7, COPY_SIZE = 64 << 20 };

static double clock_ms(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

double bench_cpu_ms(void)
{
    return clock_ms(CLOCK_PROCESS_CPUTIME_ID);
}

double bench_wall_ms(void)
{
    return clock_ms(CLOCK_MONOTONIC);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void bench_sort(double *values, unsigned n)
{
    qsort(values, n, sizeof *values, ascending);
}

/* Median of n values, which it sorts. */
static double bench_median(double *values, int n)
{
    bench_sort(values, (unsigned)n);
    return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

typedef struct Buffers {
    char *from, *to; /* for copying */
    uint8_t *plane;  /* for filtering */
    uint32_t *filtered;
    volatile uint64_t sink; /* keeps results alive */
} Buffers;

/* Each step depends on the one before it: only the clock rate of the core matters. */
static void work_scalar(Buffers *b)
{
    uint64_t v = b->sink | 1;
    for (int i = 0; i < 14000000; ++i) {
        v ^= v >> 12;
        v *= UINT64_C(0x2545f4914f6cdd1d);
    }
    b->sink = v;
}

static void work_vector(Buffers *b)
{
    calibrate_vector(b->plane, b->filtered);
}

static void work_copy(Buffers *b)
{
    memcpy(b->to, b->from, COPY_SIZE);
    b->from[0] = b->to[COPY_SIZE - 1];
}

static double time_of(void (*work)(Buffers *), Buffers *buffers)
{
    double ms[RUNS];
    work(buffers);
    for (int i = 0; i < RUNS; ++i) {
        const double start = bench_cpu_ms();
        work(buffers);
        ms[i] = bench_cpu_ms() - start;
    }
    return bench_median(ms, RUNS);
}

int bench_calibrate(BenchCalibration *calibration)
{
    const size_t n_plane = (size_t)FILTER_WIDTH * (FILTER_HEIGHT + FILTER_TAPS);
    const size_t n_filtered = (size_t)FILTER_WIDTH * FILTER_HEIGHT * sizeof(uint32_t);
    Buffers buffers = {malloc(COPY_SIZE), malloc(COPY_SIZE), malloc(n_plane), malloc(n_filtered),
                       1};
    const int err = buffers.from && buffers.to && buffers.plane && buffers.filtered ? 0 : -ENOMEM;
    if (!err) {
        memset(buffers.from, 1, COPY_SIZE);
        memset(buffers.plane, 100, n_plane);
        calibration->scalar = time_of(work_scalar, &buffers);
        calibration->vector = has_vectors() ? time_of(work_vector, &buffers) : 0;
        calibration->copy = time_of(work_copy, &buffers);
    }
    free(buffers.from);
    free(buffers.to);
    free(buffers.plane);
    free(buffers.filtered);
    return err;
}

/* ---- What a feature or a model costs ---- */

/* A member of /proc/self/status in MiB; 0 where there is none. */
static double status_mib(const char *name)
{
    char line[256];
    long kib = 0;
    const size_t n = strlen(name);
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        if (!strncmp(line, name, n) && line[n] == ':')
            sscanf(line + n + 1, "%ld", &kib);
    if (file)
        fclose(file);
    return (double)kib / 1024.0;
}

double bench_peak_reset(void)
{
#ifdef __GLIBC__ /* which keeps what was freed */
    malloc_trim(0);
#endif
    FILE *file = fopen("/proc/self/clear_refs", "w");
    if (file) {
        fputs("5", file);
        fclose(file);
    }
    return status_mib("RssAnon");
}

double bench_peak(void)
{
    return status_mib("VmHWM") - status_mib("RssFile") - status_mib("RssShmem");
}

/* NAME, or NAME=OPTION=VALUE:OPTION=VALUE. */
static int use_feature(VmafContext *context, const char *spec)
{
    char text[256];
    VmafFeatureDictionary *options = NULL;
    if (snprintf(text, sizeof text, "%s", spec) >= (int)sizeof text)
        return -EINVAL;
    char *rest = text;
    const char *name = strsep(&rest, "=");
    int err = 0;
    while (!err && rest) {
        char *value = strsep(&rest, ":");
        const char *option = strsep(&value, "=");
        err = value ? vmaf_feature_dictionary_set(&options, option, value) : -EINVAL;
    }
    if (err) {
        vmaf_feature_dictionary_free(&options);
        return err;
    }
    return vmaf_use_feature(context, name, options);
}

static int use_model(BenchContext *c, const char *name, int is_collection)
{
    VmafModelConfig configuration = {.name = "vmaf"};
    if (!is_collection) {
        const int err = vmaf_model_load(&c->model, &configuration, name);
        return err ? err : vmaf_use_features_from_model(c->context, c->model);
    }
    int err = vmaf_model_collection_load(&c->model, &c->collection, &configuration, name);
    if (!err)
        err = vmaf_use_features_from_model(c->context, c->model);
    if (!err)
        err = vmaf_use_features_from_model_collection(c->context, c->collection);
    return err;
}

static int choose(VmafContext *context, const BenchSubject *subject)
{
    if (!subject->backend)
        return vmaf_backend_select(context, "cpu", -1);
    if (!subject->joining)
        return vmaf_backend_select(context, subject->backend, subject->device);
    const int err = vmaf_backend_consider(context, subject->backend, subject->device);
    return err ? err : vmaf_backend_select(context, "auto", -1);
}

int bench_context_open(BenchContext *c, const BenchSubject *subject)
{
    const VmafConfiguration configuration = {
        .log_level = VMAF_LOG_LEVEL_WARNING,
        .n_threads = subject->threads,
        .cpumask = subject->cpumask,
    };
    memset(c, 0, sizeof *c);
    int err = vmaf_init(&c->context, configuration);
    if (err)
        return err;
    /* Without spot checks: the backend alone is measured. */
    const VmafBackendTuning tuning = {.struct_size = sizeof(tuning),
                                      .spot_check = VMAF_SPOT_CHECK_OFF};
    err = vmaf_backend_tune(c->context, &tuning);
    if (!err)
        err = choose(c->context, subject);
    VmafBuiltinModelInfo info = {.struct_size = sizeof info};
    int found = 0;
    for (unsigned i = 0; !found && !vmaf_builtin_model_info(i, &info); ++i)
        found = !strcmp(info.name, subject->name);
    if (!err)
        err = found ? use_model(c, subject->name, info.is_collection)
                    : use_feature(c->context, subject->name);
    if (err)
        bench_context_close(c);
    return err;
}

void bench_context_close(BenchContext *c)
{
    vmaf_model_destroy(c->model);
    vmaf_model_collection_destroy(c->collection);
    vmaf_close(c->context);
    memset(c, 0, sizeof *c);
}

static int pool(const BenchContext *c, unsigned last)
{
    double mean;
    VmafModelCollectionScore means;
    int err = 0;
    if (c->model)
        err = vmaf_score_pooled(c->context, c->model, VMAF_POOL_METHOD_MEAN, &mean, 0, last);
    if (!err && c->collection)
        err = vmaf_score_pooled_model_collection(c->context, c->collection, VMAF_POOL_METHOD_MEAN,
                                                 &means, 0, last);
    return err;
}

int bench_run(const BenchSubject *subject, const BenchClips *clips, double *cpu, double *wall)
{
    BenchContext c;
    int err = bench_context_open(&c, subject);
    if (err)
        return err;

    /* The first pair touches fresh memory, and motion has nothing to compare it with. With workers
     * it cannot be told apart from the next. */
    const unsigned n = subject->frames, first = subject->threads || n < 2 ? 0 : 1;
    err = bench_clips_feed(clips, c.context, 0, first);
    const double cpu_start = bench_cpu_ms(), wall_start = bench_wall_ms();
    if (!err)
        err = bench_clips_feed(clips, c.context, first, n);
    if (!err)
        err = vmaf_read_pictures(c.context, NULL, NULL, 0);
    if (!err)
        err = pool(&c, n - 1);
    if (cpu)
        *cpu = (bench_cpu_ms() - cpu_start) / (n - first);
    if (wall)
        *wall = (bench_wall_ms() - wall_start) / (n - first);
    bench_context_close(&c);
    return err;
}

int bench_measure(const BenchSubject *subject, const BenchClips *clips, BenchResult *result)
{
    double cpu[BENCH_MAX_RUNS], wall[BENCH_MAX_RUNS];
    const int n = (int)(subject->runs < BENCH_MAX_RUNS ? subject->runs : BENCH_MAX_RUNS);

    /* The uncounted run warms up the caches and shows how much memory is needed. */
    const double before = bench_peak_reset();
    int err = bench_run(subject, clips, NULL, NULL);
    const double peak = bench_peak();
    for (int i = 0; !err && i < n; ++i)
        err = bench_run(subject, clips, &cpu[i], &wall[i]);
    if (err)
        return err;

    result->memory = before > 0 && peak > before ? peak - before : 0;
    result->cpu_median = bench_median(cpu, n);
    result->cpu_min = cpu[0];
    result->wall_median = bench_median(wall, n);
    result->wall_min = wall[0];
    return 0;
}
