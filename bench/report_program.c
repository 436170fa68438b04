/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* What the whole program `vmaf` costs. */
#include <errno.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"
#include "report.h"
#include "support/synth.h"

extern char **environ;

static int write_video(const SynthClip *clip, const char *path)
{
    FILE *file = fopen(path, "wb");
    if (!file)
        return -errno;
    const int err = synth_write(clip, SYNTH_Y4M, file);
    return fclose(file) && !err ? -EIO : err;
}

int program_videos_make(ProgramVideos *v, const char *parent, unsigned width, unsigned height,
                        unsigned depth, unsigned frames)
{
    const int n = snprintf(v->folder, sizeof v->folder, "%s/vmaf-bench-XXXXXX", parent);
    if (n < 0 || n >= (int)sizeof v->folder)
        return -ENAMETOOLONG;
    if (!mkdtemp(v->folder))
        return -errno;
    snprintf(v->reference, sizeof v->reference, "%s/reference.y4m", v->folder);
    snprintf(v->distorted, sizeof v->distorted, "%s/distorted.y4m", v->folder);
    snprintf(v->report, sizeof v->report, "%s/report.json", v->folder);

    SynthClip clip = {
        .scene = SYNTH_TEXTURE,
        .distortion = SYNTH_DISTORT_IDENTICAL,
        .strength = 2,
        .width = width,
        .height = height,
        .format = SYNTH_420,
        .depth = depth,
        .frames = frames,
        .seed = 1,
    };
    int err = write_video(&clip, v->reference);
    clip.distortion = SYNTH_DISTORT_HADAMARD;
    if (!err)
        err = write_video(&clip, v->distorted);
    if (err)
        program_videos_remove(v);
    return err;
}

void program_videos_remove(const ProgramVideos *v)
{
    unlink(v->reference);
    unlink(v->distorted);
    unlink(v->report);
    rmdir(v->folder);
}

static double milliseconds(struct timeval t)
{
    return 1e3 * (double)t.tv_sec + 1e-3 * (double)t.tv_usec;
}

static void keep_smaller(double *best, double value)
{
    if (*best <= 0 || value < *best)
        *best = value;
}

int program_run(const ProgramRun *run, ProgramResult *best)
{
    char threads[16], cpumask[24], frames[16];
    snprintf(threads, sizeof threads, "%u", run->threads);
    snprintf(cpumask, sizeof cpumask, "%" PRIu64, run->cpumask);
    snprintf(frames, sizeof frames, "%u", run->frames);
    const char *arguments[32 + 2 * PROGRAM_MAX_ENCODES] = {
        run->vmaf,
        "--reference",
        run->videos->reference,
        "--threads",
        threads,
        "--cpumask",
        cpumask,
        "--frame_cnt",
        frames,
        "--backend",
        "cpu",
        "--json",
        "--output",
        run->videos->report,
        "--quiet",
    };
    unsigned n = 0;
    while (arguments[n])
        n++;
    for (unsigned i = 0; i == 0 || i < run->encodes; i++) {
        arguments[n++] = "--distorted";
        arguments[n++] = run->videos->distorted;
    }

    /* Until it executes another program, a new process counts the memory of this one as its own. */
    bench_peak_reset();
    const double start = bench_wall_ms();
    pid_t process;
    const int err = posix_spawn(&process, run->vmaf, NULL, NULL, (char **)arguments, environ);
    if (err)
        return -err;
    int status;
    struct rusage usage;
    while (wait4(process, &status, 0, &usage) < 0)
        if (errno != EINTR)
            return -errno;
    const double wall = bench_wall_ms() - start;
    if (!WIFEXITED(status) || WEXITSTATUS(status))
        return -EIO;
    keep_smaller(&best->wall, wall);
    keep_smaller(&best->cpu, milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime));
    keep_smaller(&best->memory, (double)usage.ru_maxrss / 1024.0);
    return 0;
}

static int complain(const Report *report, int err)
{
    if (err)
        fprintf(stderr, "vmaf-bench-report: %s: error %d\n", report->vmaf, err);
    return err;
}

/* The best of all rounds for each run; a round runs each once. */
static int best_of(const Report *report, const ProgramRun *runs, unsigned n, ProgramResult *best)
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
    ProgramResult best[MAX_RUNS];
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
    ProgramResult best[N];
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
    ProgramResult best[N];
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
