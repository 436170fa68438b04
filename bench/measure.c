/* SPDX-License-Identifier: BSD-2-Clause-Patent */

#include "measure.h"

#include <malloc.h>
#include <stdio.h>
#include <string.h>

#include "calibrate.h"

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

/* Make the peak of resident memory start again from the present. */
static double reset_peak(void)
{
    malloc_trim(0);
    FILE *file = fopen("/proc/self/clear_refs", "w");
    if (file) {
        fputs("5", file);
        fclose(file);
    }
    return status_mib("RssAnon");
}

static int feed(VmafContext *context, const BenchClips *clips, unsigned frames)
{
    for (unsigned i = 0; i < frames; ++i) {
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
    return vmaf_read_pictures(context, NULL, NULL, 0);
}

static int run(const BenchSubject *subject, const BenchClips *clips, double *cpu, double *wall)
{
    const VmafConfiguration configuration = {
        .log_level = VMAF_LOG_LEVEL_WARNING,
        .n_threads = subject->threads,
        .cpumask = subject->cpumask,
    };
    VmafContext *context = NULL;
    VmafModel *model = NULL;
    VmafModelConfig model_configuration = {.name = "vmaf"};
    int err = vmaf_init(&context, configuration);
    if (err)
        return err;
    if (subject->is_model) {
        err = vmaf_model_load(&model, &model_configuration, subject->name);
        if (!err)
            err = vmaf_use_features_from_model(context, model);
    } else {
        err = vmaf_use_feature(context, subject->name, NULL);
    }

    *cpu = bench_cpu_ms();
    *wall = bench_wall_ms();
    if (!err)
        err = feed(context, clips, subject->frames);
    if (!err && model) {
        double score;
        err = vmaf_score_pooled(context, model, VMAF_POOL_METHOD_MEAN, &score, 0,
                                subject->frames - 1);
    }
    *cpu = (bench_cpu_ms() - *cpu) / subject->frames;
    *wall = (bench_wall_ms() - *wall) / subject->frames;
    vmaf_model_destroy(model);
    vmaf_close(context);
    return err;
}

int bench_measure(const BenchSubject *subject, const BenchClips *clips, BenchFigures *figures)
{
    double cpu[BENCH_MAX_RUNS], wall[BENCH_MAX_RUNS];
    const int n = (int)(subject->runs < BENCH_MAX_RUNS ? subject->runs : BENCH_MAX_RUNS);

    /* The run that does not count warms the caches up and shows how much memory is needed. */
    const double before = reset_peak();
    int err = run(subject, clips, &cpu[0], &wall[0]);
    const double peak = status_mib("VmHWM") - status_mib("RssFile") - status_mib("RssShmem");
    for (int i = 0; !err && i < n; ++i)
        err = run(subject, clips, &cpu[i], &wall[i]);
    if (err)
        return err;

    figures->memory = before > 0 && peak > before ? peak - before : 0;
    figures->cpu_median = bench_median(cpu, n);
    figures->cpu_min = cpu[0];
    figures->wall_median = bench_median(wall, n);
    figures->wall_min = wall[0];
    return 0;
}
