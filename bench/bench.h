/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

/* What the programs of this folder share (measure.c). */

#include <stdbool.h>
#include <stdint.h>

#include "libvmaf/libvmaf.h"
#include "support/synth.h"

/* ---- Options: each takes a value, and some may be repeated ---- */

enum { ARGUMENT_MAX = 32 };

typedef struct ArgumentList {
    const char *items[ARGUMENT_MAX];
    int n;
} ArgumentList;

/* 0; -1 if the list is full. */
int argument_add(ArgumentList *list, const char *value);

/* 0; -1 if the text is no number, or one out of range. */
int argument_number(const char *text, long min, long max, long *value);

/* ---- Pairs of frames in memory, passed to the library without copying or reading files ---- */

enum { BENCH_DISTINCT_FRAMES = 8 };

typedef struct BenchClips {
    SynthClip synth; /* of the reference */
    void *planes[2][BENCH_DISTINCT_FRAMES][3];
    ptrdiff_t stride[3];
} BenchClips;

/*
 * Generate a moving texture, and the same after coarse transform coding. Returns 0 or a negative
 * errno value.
 */
int bench_clips_make(BenchClips *clips, unsigned width, unsigned height, unsigned depth);

void bench_clips_release(BenchClips *clips);

/* Index of the distinct frames that pair number `index` consists of. */
unsigned bench_clips_index(unsigned index);

/* Pair number `index`: the frames are played forwards and backwards, over and over. */
int bench_clips_pair(const BenchClips *clips, unsigned index, VmafPicture *ref, VmafPicture *dis);

/* Passes pairs `first` to `end` - 1 to the context. Returns 0 or a negative errno value. */
int bench_clips_feed(const BenchClips *clips, VmafContext *context, unsigned first, unsigned end);

/* ---- How fast the machine is ---- */

/*
 * How fast this machine is at the moment: three fixed workloads independent of the library; results
 * of two machines are compared after dividing by them. Milliseconds of processor time, the median
 * of several runs.
 */
typedef struct BenchCalibration {
    double scalar; /* 14 million dependent steps of two operations and a multiplication */
    double vector; /* filtering a plane with AVX2, or the vectors of other machines; see
                      calibrate_vector; 0: an x86 processor without AVX2 */
    double copy;   /* copying 64 MiB */
} BenchCalibration;

/* Returns 0 or -ENOMEM. */
int bench_calibrate(BenchCalibration *calibration);

/* Milliseconds of processor time that the process has used. */
double bench_cpu_ms(void);

/* Milliseconds of a monotonic clock. */
double bench_wall_ms(void);

/* Ascending. */
void bench_sort(double *values, unsigned n);

/*
 * 17 symmetric taps down the columns of an 8-bit plane, in 32-bit integers: a typical image filter.
 * `plane` is FILTER_WIDTH wide and FILTER_HEIGHT + FILTER_TAPS high, `out` receives a value for
 * each of FILTER_WIDTH x FILTER_HEIGHT samples.
 */
enum { FILTER_TAPS = 17, FILTER_WIDTH = 1920, FILTER_HEIGHT = 1080 };

void calibrate_vector(const uint8_t *plane, uint32_t *out);

/* ---- What a feature or a model costs ---- */

typedef struct BenchSubject {
    const char *name;    /* of a built-in model, or a feature as `vmaf --feature` takes it: with
                            options, "float_ssim=scale=1" */
    unsigned threads;    /* worker threads, 0 for none */
    uint64_t cpumask;    /* as in VmafConfiguration */
    unsigned frames;     /* pairs per run */
    unsigned runs;       /* after one that is not counted */
    const char *backend; /* NULL: the CPU */
    int device;          /* of the backend, or -1 */
    bool joining;        /* the backend is the only candidate of "auto" */
} BenchSubject;

/* Milliseconds per frame, and MiB. */
typedef struct BenchResult {
    double cpu_min, cpu_median, wall_min, wall_median;
    double memory; /* peak of anonymous memory besides the frames; 0: unknown */
} BenchResult;

enum { BENCH_MAX_RUNS = 100 };

/* Returns 0 or the error of the library. */
int bench_measure(const BenchSubject *subject, const BenchClips *clips, BenchResult *result);

/* One run: milliseconds per frame of processor time, and of elapsed time; both optional. */
int bench_run(const BenchSubject *subject, const BenchClips *clips, double *cpu, double *wall);

/* A context as bench_run uses it. `model` is NULL for a feature, `collection` unless the subject is
 * a collection, whose base model is `model`. Returns 0 or the error of the library, having opened
 * nothing. */
typedef struct BenchContext {
    VmafContext *context;
    VmafModel *model;
    VmafModelCollection *collection;
} BenchContext;
int bench_context_open(BenchContext *context, const BenchSubject *subject);
void bench_context_close(BenchContext *context);

/* Returns free memory to the system and resets the peak of resident memory to its present value,
 * which is returned: anonymous memory in MiB. */
double bench_peak_reset(void);
/* The peak of anonymous memory since then. Both are 0 on systems other than Linux. */
double bench_peak(void);

#endif
