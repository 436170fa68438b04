/* SPDX-License-Identifier: BSD-2-Clause-Patent */

#include "program.h"

#include <errno.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "calibrate.h"
#include "measure.h"
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

int program_run(const ProgramRun *run, ProgramFigures *best)
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
