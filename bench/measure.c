/* SPDX-License-Identifier: BSD-2-Clause-Patent */

#include "measure.h"

#include <errno.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <stdio.h>
#include <string.h>

#include "calibrate.h"

#include "libvmaf/libvmaf_ext.h"

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

int bench_measure(const BenchSubject *subject, const BenchClips *clips, BenchFigures *figures)
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

    figures->memory = before > 0 && peak > before ? peak - before : 0;
    figures->cpu_median = bench_median(cpu, n);
    figures->cpu_min = cpu[0];
    figures->wall_median = bench_median(wall, n);
    figures->wall_min = wall[0];
    return 0;
}
