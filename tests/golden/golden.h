/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TESTS_GOLDEN_GOLDEN_H
#define TESTS_GOLDEN_GOLDEN_H

/*
 * Runs golden cases through the public interface and compares the results bit for bit. README.md
 * describes the files.
 */

#include <jansson.h>

#include "libvmaf/libvmaf.h"

/* ---- Clips ---- */

/* A clip in memory: the bytes of its Y4M file, and where the samples are. */
typedef struct GoldenClip {
    unsigned char *file;
    size_t header_size, frame_size; /* of the first line; of a frame with its line */
    unsigned frames;
    enum VmafPixelFormat format;
    unsigned depth;
    unsigned width[3], height[3]; /* of the planes in the file: chroma is rounded up */
} GoldenClip;

/*
 * Generate a clip and check that it is the one that the golden scores were computed from. Returns
 * 0, -EINVAL for a bad description or a wrong check sum, -ENOMEM.
 */
int golden_clip_make(GoldenClip *clip, const json_t *description);

void golden_clip_release(GoldenClip *clip);

/* A new picture of one frame; the last column and row of odd chroma planes are dropped. */
int golden_clip_picture(const GoldenClip *clip, unsigned frame, VmafPicture *picture);

/* ---- Exceptions ---- */

/* Replace golden outcomes by those of the exceptions. Returns the number of exceptions used. */
size_t golden_apply_exceptions(json_t *golden, const json_t *exceptions);

/* ---- Runs ---- */

typedef struct GoldenSettings {
    unsigned threads;
    unsigned long long cpumask;
} GoldenSettings;

enum { GOLDEN_MAX_MODELS = 8 };

/* The outcome of a run: how far it got, and the context with its scores. */
typedef struct GoldenOutcome {
    VmafContext *context;
    VmafModel *model[GOLDEN_MAX_MODELS];
    VmafModelCollection *collection[GOLDEN_MAX_MODELS]; /* NULL for a single model */
    unsigned n_models;
    unsigned frames;   /* pairs that were accepted */
    const char *stage; /* call that failed, as named in the golden files; NULL if none */
    int code;          /* what it returned */
    int close_code;    /* what vmaf_close returned, once released */
} GoldenOutcome;

/* Do everything up to the pooled scores of the models. */
void golden_run(GoldenOutcome *outcome, const json_t *run, const GoldenClip *ref,
                const GoldenClip *dis, const GoldenSettings *settings);

void golden_outcome_release(GoldenOutcome *outcome);

/* ---- Comparison ---- */

/* Differences found so far; each is printed as it is found. */
typedef struct GoldenDifferences {
    unsigned n;
} GoldenDifferences;

void golden_compare(GoldenDifferences *differences, const json_t *run, GoldenOutcome *outcome,
                    const GoldenSettings *settings);

/* Print a difference (the first few of them) and count it. */
void golden_differs(GoldenDifferences *differences, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A score of a golden file: a number, or the text inf, -inf or nan. */
double golden_number(const json_t *value);

/* Equal bit for bit, except that all NaN are equal. */
int golden_same(double a, double b);

/* The JSON report at full precision, to be released with json_decref; NULL if there is none. */
json_t *golden_report(GoldenOutcome *outcome);

/* Compare the JSON report: order of columns, frames, pooled figures, aggregates. */
void golden_compare_report(GoldenDifferences *differences, const json_t *run,
                           GoldenOutcome *outcome);

#endif
