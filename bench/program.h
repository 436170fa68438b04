/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef BENCH_PROGRAM_H
#define BENCH_PROGRAM_H

#include <stdint.h>

/* The program `vmaf` with the default model, on videos in the page cache. */

typedef struct ProgramVideos {
    char folder[256], reference[300], distorted[300], report[300];
} ProgramVideos;

/* Writes a pair of Y4M files into a new folder inside `parent`. 0 or a negative errno. */
int program_videos_make(ProgramVideos *videos, const char *parent, unsigned width, unsigned height,
                        unsigned depth, unsigned frames);
void program_videos_remove(const ProgramVideos *videos);

typedef struct ProgramRun {
    const char *vmaf;
    const ProgramVideos *videos;
    uint64_t cpumask;
    unsigned threads, frames;
    unsigned encodes; /* how often the distorted video is given; 0: once */
} ProgramRun;

enum { PROGRAM_MAX_ENCODES = 16 };

/* Milliseconds of the whole process, and its peak of resident memory, in MiB. */
typedef struct ProgramFigures {
    double cpu, wall, memory;
} ProgramFigures;

/* Runs the program once and lowers the numbers of `best` to those of the run. 0 or a negative
 * errno; -EIO if the program fails. */
int program_run(const ProgramRun *run, ProgramFigures *best);

#endif
