/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The cost of threads: processor time and voluntary context switches, by number of threads. */

#include "report.h"

#include <errno.h>
#include <stdio.h>

#include "calibrate.h"
#include "measure.h"

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
    unsigned width, height, bits;
    BenchClips clips;
    int err = report_parse_format(size, report->depths.items[0], &width, &height, &bits);
    report_progress("making pictures");
    if (!err)
        err = bench_clips_make(&clips, width, height, bits);
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
