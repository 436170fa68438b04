/* SPDX-License-Identifier: BSD-2-Clause-Patent */

#include "report.h"

#include <stdio.h>
#include <string.h>

#include "program.h"

static int complain(const Report *report, int err)
{
    if (err)
        fprintf(stderr, "vmaf-bench-report: %s: error %d\n", report->vmaf, err);
    return err;
}

/* The best of all rounds for each run; a round runs each once. */
static int best_of(const Report *report, const ProgramRun *runs, unsigned n, ProgramFigures *best)
{
    int err = 0;
    memset(best, 0, n * sizeof *best);
    for (unsigned round = 0; !err && round < report->rounds; ++round)
        for (unsigned i = 0; !err && i < n; ++i)
            err = program_run(&runs[i], &best[i]);
    return complain(report, err);
}

/* Enough frames to measure a rate, few enough for the page cache. */
static unsigned frames_of(unsigned width, unsigned height)
{
    const double fitting = 50e6 / ((double)width * height);
    return fitting < 8 ? 8 : fitting > 128 ? 128 : (unsigned)fitting;
}

/* Videos of a size and depth to run the program on. */
typedef struct Clip {
    unsigned width, height, bits, frames;
    ProgramVideos videos;
} Clip;

static int make_clip(const Report *report, const char *size, const char *depth, Clip *clip)
{
    int err = report_parse_format(size, depth, &clip->width, &clip->height, &clip->bits);
    if (err)
        return err;
    clip->frames = frames_of(clip->width, clip->height);
    report_progress("making videos");
    err = program_videos_make(&clip->videos, report->folder, clip->width, clip->height, clip->bits,
                              clip->frames);
    return complain(report, err);
}

static int print_format(const Report *report, const char *size, const char *depth)
{
    Clip clip;
    int err = make_clip(report, size, depth, &clip);
    if (err)
        return err;

    enum { MAX_RUNS = MACHINE_MAX_KERNELS + 1 };
    ProgramRun runs[MAX_RUNS];
    ProgramFigures best[MAX_RUNS];
    const unsigned n = report->n_kernels;
    for (unsigned i = 0; i <= n; ++i)
        runs[i] = (ProgramRun){
            .vmaf = report->vmaf,
            .videos = &clip.videos,
            .cpumask = i < n ? report->kernels[i].cpumask : 0,
            .threads = i < n ? 1 : report->cores,
            .frames = clip.frames,
        };
    report_progress(size);
    err = best_of(report, runs, n + 1, best);
    program_videos_remove(&clip.videos);
    if (err)
        return err;

    printf("| %s, %u bits |", size, clip.bits);
    for (unsigned i = 0; i < n; ++i)
        report_cell(best[i].cpu / clip.frames);
    report_cell(best[n - 1].cpu / clip.frames / (1e-6 * clip.width * clip.height));
    report_cell(best[n].wall / clip.frames);
    report_cell(best[n - 1].wall / best[n].wall);
    printf(" %.0f | %.0f |\n", best[n - 1].memory, best[n].memory);
    return 0;
}

static int print_formats(const Report *report)
{
    printf("\n### Whole program, default model: ms per frame, reading included\n\n");
    int err = machine_print_calibration();
    printf("| |");
    for (unsigned i = 0; i < report->n_kernels; ++i)
        printf(" %s |", report->kernels[i].name);
    printf(" per megapixel | %u threads | gain | MiB | MiB, %u threads |\n", report->cores,
           report->cores);
    report_columns(report->n_kernels + 5);
    for (int i = 0; !err && i < report->sizes.n; ++i)
        for (int j = 0; !err && j < report->depths.n; ++j)
            err = print_format(report, report->sizes.items[i], report->depths.items[j]);
    return err;
}

static int print_growth_on(const Report *report, const ProgramVideos *videos, unsigned threads)
{
    static const unsigned lengths[] = {30, 100, 300};
    enum { N = sizeof lengths / sizeof lengths[0] };
    ProgramRun runs[N];
    ProgramFigures best[N];
    for (unsigned i = 0; i < N; ++i)
        runs[i] = (ProgramRun){
            .vmaf = report->vmaf,
            .videos = videos,
            .threads = threads,
            .frames = lengths[i],
        };
    const int err = best_of(report, runs, N, best);
    for (unsigned i = 0; !err && i < N; ++i) {
        printf("| %u | %u |", threads, lengths[i]);
        report_cell(best[i].cpu / lengths[i]);
        report_cell(best[i].wall / lengths[i]);
        printf(" %.1f |\n", best[i].memory);
    }
    return err;
}

/* With the smallest pictures, of which a video of a given size has most. */
static int print_growth(const Report *report)
{
    unsigned width, height, bits;
    int err = report_parse_format(report->sizes.items[0], report->depths.items[0], &width, &height,
                                  &bits);
    if (err)
        return err;
    printf("\n### Whole program by length and threads, %ux%u, %u bits\n\n", width, height, bits);
    err = machine_print_calibration();
    ProgramVideos videos;
    report_progress("making videos");
    if (!err)
        err = program_videos_make(&videos, report->folder, width, height, bits, 300);
    if (err)
        return complain(report, err);
    printf("| threads | frames | processor, ms per frame | clock, ms per frame | MiB |\n");
    report_columns(4);
    report_progress("whole program");
    unsigned threads = 1;
    for (;;) {
        err = print_growth_on(report, &videos, threads);
        if (err || threads == report->cores)
            break;
        threads = 2 * threads < report->cores ? 2 * threads : report->cores;
    }
    program_videos_remove(&videos);
    return err;
}

/* What a further distorted video costs, in parts of a run for one. */
static int print_encodes(const Report *report)
{
    static const unsigned encodes[] = {1, 2, 5, 10};
    enum { N = sizeof encodes / sizeof encodes[0] };
    Clip clip;
    int err = make_clip(report, report->sizes.items[0], report->depths.items[0], &clip);
    if (err)
        return err;
    ProgramRun runs[N];
    ProgramFigures best[N];
    for (unsigned i = 0; i < N; ++i)
        runs[i] = (ProgramRun){
            .vmaf = report->vmaf,
            .videos = &clip.videos,
            .threads = 1,
            .frames = clip.frames,
            .encodes = encodes[i],
        };
    report_progress("several distorted videos");
    err = best_of(report, runs, N, best);
    program_videos_remove(&clip.videos);
    if (err)
        return err;
    printf("\n### Several distorted videos, %ux%u, %u bits, one thread\n\n", clip.width,
           clip.height, clip.bits);
    err = machine_print_calibration();
    printf(
        "| distorted videos | processor, ms per frame | each further one, of the first | MiB |\n");
    report_columns(3);
    for (unsigned i = 0; i < N; ++i) {
        printf("| %u |", encodes[i]);
        report_cell(best[i].cpu / clip.frames);
        report_cell(i ? (best[i].cpu - best[0].cpu) / (encodes[i] - 1) / best[0].cpu : 1);
        printf(" %.1f |\n", best[i].memory);
    }
    return err;
}

int report_program(const Report *report)
{
    if (!report->vmaf) {
        printf("\nWhole program: left out, --vmaf does not say where it is.\n");
        return 0;
    }
    int err = print_formats(report);
    if (!err)
        err = print_growth(report);
    return err ? err : print_encodes(report);
}
