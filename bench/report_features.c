/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What features and models cost, and what threads cost. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "libvmaf/libvmaf_ext.h"
#include "report.h"

/* ---- What features and models cost ---- */

enum {
    MAX_COLUMNS = MACHINE_MAX_KERNELS + 1,
    MAX_ROWS = 64,
    LEAST_FRAMES = 4,
    MOST_FRAMES = 64,
};

typedef struct Row {
    BenchSubject subjects[MAX_COLUMNS]; /* kernels on one thread, then the fastest on all cores */
    double best[MAX_COLUMNS];           /* ms per frame; elapsed time for the last column */
    double memory[MAX_COLUMNS];         /* MiB */
    unsigned n;
    int rejected; /* the library cannot score pictures of this size */
} Row;

typedef struct FeatureTable {
    const char *title;
    Row rows[MAX_ROWS];
    unsigned n;
} FeatureTable;

static Row row_of(const Report *report, const char *name)
{
    Row row = {.n = 0};
    for (unsigned i = 0; i < report->n_kernels; ++i)
        row.subjects[row.n++] = (BenchSubject){.name = name, .cpumask = report->kernels[i].cpumask};
    row.subjects[row.n++] = (BenchSubject){.name = name, .threads = report->cores};
    return row;
}

/* The result of a column: processor time on one thread, otherwise elapsed time. */
static int run(const BenchSubject *subject, const BenchClips *clips, double *ms)
{
    double cpu, wall;
    const int err = bench_run(subject, clips, &cpu, &wall);
    *ms = subject->threads ? wall : cpu;
    return err;
}

/* A short uncounted run warms up, and shows memory and how many frames fit the budget. */
static int prepare(const Report *report, const BenchClips *clips, Row *row, unsigned i)
{
    BenchSubject *subject = &row->subjects[i];
    double ms = 0;
    subject->frames = 2 * (1 + subject->threads);
    const double before = bench_peak_reset();
    const int err = run(subject, clips, &ms);
    const double after = bench_peak();
    row->memory[i] = before > 0 && after > before ? after - before : 0;

    const unsigned least = subject->threads > 1 ? LEAST_FRAMES * subject->threads : LEAST_FRAMES;
    const double fitting = report->budget / report->rounds / (ms > 0.001 ? ms : 0.001);
    subject->frames = fitting < least         ? least
                      : fitting > MOST_FRAMES ? MOST_FRAMES
                                              : (unsigned)fitting;
    return err;
}

static int prepare_row(const Report *report, const BenchClips *clips, Row *row)
{
    int err = 0;
    for (unsigned i = 0; !err && i < row->n; ++i)
        err = prepare(report, clips, row, i);
    row->rejected = err == -EINVAL;
    return row->rejected ? 0 : err;
}

static int measure_row(const BenchClips *clips, Row *row, unsigned round)
{
    int err = 0;
    for (unsigned i = 0; !err && !row->rejected && i < row->n; ++i) {
        double ms = 0;
        err = run(&row->subjects[i], clips, &ms);
        if (round == 0 || ms < row->best[i])
            row->best[i] = ms;
    }
    return err;
}

/* Each round runs everything once, so that the runs of a result lie far apart and a busy period of
 * the machine does not affect all of them. */
static int measure_table(const Report *report, const BenchClips *clips, FeatureTable *table)
{
    int err = 0;
    for (unsigned round = 0; round <= report->rounds; ++round)
        for (unsigned i = 0; i < table->n; ++i) {
            Row *row = &table->rows[i];
            const char *name = row->subjects[0].name;
            report_progress(name);
            err = round ? measure_row(clips, row, round - 1) : prepare_row(report, clips, row);
            if (err) {
                fprintf(stderr, "vmaf-bench-report: %s: error %d\n", name, err);
                return err;
            }
        }
    return 0;
}

static void print_row(const Row *row)
{
    printf("| `%s` |", row->subjects[0].name);
    for (unsigned i = 0; i < row->n; ++i) {
        if (row->rejected)
            printf(" |");
        else
            report_cell(row->best[i]);
    }
    if (row->rejected)
        printf(" | |\n");
    else
        printf(" %.1f | %.1f |\n", row->memory[row->n - 2], row->memory[row->n - 1]);
}

static int print_table(const Report *report, const BenchClips *clips, FeatureTable *table)
{
    const SynthClip *clip = &clips->synth;
    printf("\n### %s, %ux%u, %u bits: ms per frame\n\n", table->title, clip->width, clip->height,
           clip->depth);
    int err = machine_print_calibration();
    if (!err)
        err = measure_table(report, clips, table);
    if (err)
        return err;
    printf("| |");
    for (unsigned i = 0; i < report->n_kernels; ++i)
        printf(" %s |", report->kernels[i].name);
    printf(" %u threads | MiB | MiB, %u threads |\n", report->cores, report->cores);
    report_columns(report->n_kernels + 3);
    for (unsigned i = 0; i < table->n; ++i)
        print_row(&table->rows[i]);
    return 0;
}

static void add_row(const Report *report, FeatureTable *table, const char *name)
{
    if (table->n < MAX_ROWS)
        table->rows[table->n++] = row_of(report, name);
}

static void add_all_features(const Report *report, FeatureTable *table)
{
    VmafExtractorInfo info = {.struct_size = sizeof info};
    add_row(report, table, "vmaf_v0.6.1");
    for (unsigned i = 0; !vmaf_extractor_info(i, &info); ++i) {
        if (!strcmp(info.name, "null"))
            continue;
        add_row(report, table, info.name);
        /* The automatic scale for large pictures would hide the cost of the metric. */
        if (!strcmp(info.name, "float_ssim"))
            add_row(report, table, "float_ssim=scale=1");
    }
}

static int features_of_format(const Report *report, const char *size, const char *depth)
{
    FeatureTable table = {.title = "Features"};
    BenchClips clips;
    int err = report_make_clips(&clips, size, depth);
    if (err)
        return err;
    if (!report->only.n)
        add_all_features(report, &table);
    for (int i = 0; i < report->only.n; ++i)
        add_row(report, &table, report->only.items[i]);
    err = print_table(report, &clips, &table);
    bench_clips_release(&clips);
    return err;
}

int report_features(const Report *report)
{
    int err = 0;
    for (int i = 0; !err && i < report->sizes.n; ++i)
        for (int j = 0; !err && j < report->depths.n; ++j)
            err = features_of_format(report, report->sizes.items[i], report->depths.items[j]);
    return err;
}

int report_models(const Report *report)
{
    const char *size = report->sizes.items[0];
    for (int i = 0; i < report->sizes.n; ++i)
        if (!strcmp(report->sizes.items[i], "1920x1080"))
            size = report->sizes.items[i];
    FeatureTable table = {.title = "Models"};
    BenchClips clips;
    int err = report_make_clips(&clips, size, report->depths.items[0]);
    if (err)
        return err;
    VmafBuiltinModelInfo info = {.struct_size = sizeof info};
    for (unsigned i = 0; !vmaf_builtin_model_info(i, &info); ++i)
        add_row(report, &table, info.name);
    err = print_table(report, &clips, &table);
    bench_clips_release(&clips);
    return err;
}

/* ---- What threads cost ---- */

static const unsigned counts[] = {0, 1, 2, 8, 64};
enum { N_COUNTS = sizeof counts / sizeof counts[0], FRAMES_MIN = 60, FRAMES_MAX = 2000 };

/* As many frames as the budget allows, but enough that the end of the run matters little. */
static int choose_frames(const Report *report, const BenchClips *clips, BenchSubject *subject)
{
    double cpu = 0;
    subject->frames = 4;
    const int err = bench_run(subject, clips, &cpu, NULL);
    const double n = cpu > 0 ? report->budget / cpu : FRAMES_MAX;
    subject->frames = n < FRAMES_MIN ? FRAMES_MIN : n > FRAMES_MAX ? FRAMES_MAX : (unsigned)n;
    return err;
}

static int print_subject(const Report *report, const BenchClips *clips, const char *name,
                         const char *size)
{
    double cpu[N_COUNTS] = {0}, switches[N_COUNTS] = {0};
    BenchSubject subject = {.name = name};
    int err = choose_frames(report, clips, &subject);
    for (unsigned round = 0; !err && round < report->rounds; ++round)
        for (unsigned i = 0; !err && i < N_COUNTS; ++i) {
            double run = 0;
            const double before = machine_voluntary_switches();
            subject.threads = counts[i];
            err = bench_run(&subject, clips, &run, NULL);
            const double waits = (machine_voluntary_switches() - before) / subject.frames;
            if (round == 0 || run < cpu[i])
                cpu[i] = run;
            if (round == 0 || waits < switches[i])
                switches[i] = waits;
        }
    if (err)
        return err;
    printf("| `%s`, %s, ms |", name, size);
    for (unsigned i = 0; i < N_COUNTS; ++i)
        report_cell(cpu[i]);
    printf("\n| the same, waits |");
    for (unsigned i = 0; i < N_COUNTS; ++i)
        report_cell(switches[i]);
    printf("\n");
    return 0;
}

static int print_size(const Report *report, const char *size)
{
    BenchClips clips;
    int err = report_make_clips(&clips, size, report->depths.items[0]);
    if (err)
        return err;
    err = print_subject(report, &clips, "psnr", size);
    if (!err)
        err = print_subject(report, &clips, "vmaf_v0.6.1", size);
    bench_clips_release(&clips);
    return err;
}

int report_threads(const Report *report)
{
    printf("\n### Processor time, and voluntary waits of all threads, per frame, by worker "
           "threads\n\n");
    int err = machine_print_calibration();
    printf("| worker threads |");
    for (unsigned i = 0; i < N_COUNTS; ++i)
        printf(" %u |", counts[i]);
    printf("\n");
    report_columns(N_COUNTS);
    for (int i = 0; !err && i < report->sizes.n; ++i)
        err = print_size(report, report->sizes.items[i]);
    if (err)
        fprintf(stderr, "vmaf-bench-report: threads: error %d\n", err);
    return err;
}
