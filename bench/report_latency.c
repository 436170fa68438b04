/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Times that do not depend on the length of the video. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "libvmaf/libvmaf_ext.h"
#include "model/model.h"
#include "report.h"

/* Plausible scores of a frame, different in each call. */
static void make_scores(double scores[], unsigned n, unsigned call)
{
    for (unsigned i = 0; i < n; ++i)
        scores[i] = 0.4 + 0.001 * (double)((call * 7 + i * 131) % 500);
}

static int predict_one(const VmafModel *model, unsigned call, double *raw)
{
    double scores[MODEL_MAX_FEATURES], score;
    make_scores(scores, model_feature_count(model), call);
    return model_predict(model, scores, raw, &score);
}

static int predict(const BenchContext *c, unsigned call)
{
    double raw[MODEL_MAX_FEATURES];
    VmafModelCollectionScore combined;
    int err = predict_one(c->model, call, &raw[0]);
    if (!c->collection)
        return err;
    const unsigned n = model_collection_size(c->collection);
    if (n > MODEL_MAX_FEATURES)
        return -EINVAL;
    for (unsigned i = 0; !err && i < n; ++i)
        err = predict_one(model_collection_member(c->collection, i), call, &raw[i]);
    return err ? err : model_collection_combine(c->collection, raw, &combined);
}

static int print_prediction(const Report *report, const char *model)
{
    enum { CALLS = 4000 };
    const BenchSubject subject = {.name = model};
    BenchContext c;
    int err = bench_context_open(&c, &subject);
    if (err)
        return err;
    double best = 0;
    for (unsigned round = 0; !err && round < report->rounds; ++round) {
        const double start = bench_cpu_ms();
        for (unsigned call = 0; !err && call < CALLS; ++call)
            err = predict(&c, call);
        const double us = (bench_cpu_ms() - start) / CALLS * 1e3;
        if (round == 0 || us < best)
            best = us;
    }
    const unsigned n = 1 + (c.collection ? model_collection_size(c.collection) : 0);
    bench_context_close(&c);
    if (err)
        return err;
    printf("| prediction of a frame, `%s`, %u model%s | %.1f µs |\n", model, n, n > 1 ? "s" : "",
           best);
    return 0;
}

/* Time from the submission of the first pair to its score, with as many later pairs as it needs. */
static int first_score(const BenchClips *clips, unsigned threads, double *ms)
{
    enum { MOST_PAIRS = 4 };
    const BenchSubject subject = {.name = "vmaf_v0.6.1", .threads = threads};
    BenchContext c;
    int err = bench_context_open(&c, &subject);
    if (err)
        return err;
    const double start = bench_wall_ms();
    double score;
    int missing = -EINVAL;
    for (unsigned i = 0; !err && missing && i < MOST_PAIRS; ++i) {
        err = bench_clips_feed(clips, c.context, i, i + 1);
        if (!err)
            missing = vmaf_score_at_index(c.context, c.model, &score, 0);
    }
    *ms = bench_wall_ms() - start;
    bench_context_close(&c);
    return err ? err : missing;
}

/* A live stream: a pair is submitted when the score of the one before is there. Motion looks one
 * frame ahead, so the score is that of the frame before. */
enum { LIVE_FRAMES = 24, LIVE_WARM = 4 };

static int live_scores(const BenchClips *clips, unsigned threads, double ms[LIVE_FRAMES])
{
    const BenchSubject subject = {.name = "vmaf_v0.6.1", .threads = threads};
    BenchContext c;
    int err = bench_context_open(&c, &subject);
    if (err)
        return err;
    for (unsigned i = 0; !err && i < LIVE_WARM + LIVE_FRAMES; ++i) {
        const double start = bench_wall_ms();
        double score;
        err = bench_clips_feed(clips, c.context, i, i + 1);
        if (!err && i)
            err = vmaf_score_at_index(c.context, c.model, &score, i - 1);
        if (i >= LIVE_WARM)
            ms[i - LIVE_WARM] = bench_wall_ms() - start;
    }
    bench_context_close(&c);
    return err;
}

/* The least, and the least median of a round. */
static int print_live(const Report *report, const BenchClips *clips, const char *size)
{
    const unsigned threads[] = {1, report->cores};
    double least[2] = {0, 0}, median[2] = {0, 0};
    for (unsigned round = 0; round < 3 * report->rounds; ++round)
        for (unsigned i = 0; i < 2; ++i) {
            double ms[LIVE_FRAMES];
            const int err = live_scores(clips, threads[i], ms);
            if (err)
                return err;
            bench_sort(ms, LIVE_FRAMES);
            if (round == 0 || ms[0] < least[i])
                least[i] = ms[0];
            if (round == 0 || ms[LIVE_FRAMES / 2] < median[i])
                median[i] = ms[LIVE_FRAMES / 2];
        }
    for (unsigned i = 0; i < 2; ++i) {
        printf("| score of a live frame, %s, %u thread%s: least, median | %.2f, %.2f |\n", size,
               threads[i], threads[i] > 1 ? "s" : "", least[i], median[i]);
    }
    return 0;
}

static int print_first_score(const Report *report, const char *size)
{
    BenchClips clips;
    int err = report_make_clips(&clips, size, report->depths.items[0]);
    if (err)
        return err;
    const unsigned threads[] = {0, report->cores};
    double best[2] = {0, 0};
    for (unsigned round = 0; !err && round < 3 * report->rounds; ++round)
        for (unsigned i = 0; !err && i < 2; ++i) {
            double ms = 0;
            err = first_score(&clips, threads[i], &ms);
            if (round == 0 || ms < best[i])
                best[i] = ms;
        }
    if (err) {
        bench_clips_release(&clips);
        return err;
    }
    printf("| first score of a new context, %s, one thread |", size);
    report_cell(best[0]);
    printf("\n| the same, %u threads |", report->cores);
    report_cell(best[1]);
    printf("\n");
    err = print_live(report, &clips, size);
    bench_clips_release(&clips);
    return err;
}

/* The program without scoring: the pair is so small that scoring it takes no time. */
static int print_start(const Report *report)
{
    ProgramVideos videos;
    int err = program_videos_make(&videos, report->folder, 64, 64, 8, 1);
    if (err)
        return err;
    const ProgramRun run = {.vmaf = report->vmaf, .videos = &videos, .threads = 1, .frames = 1};
    ProgramResult best = {0, 0, 0};
    for (unsigned i = 0; !err && i < 10 * report->rounds; ++i)
        err = program_run(&run, &best);
    program_videos_remove(&videos);
    if (err)
        return err;
    printf("| whole program, one frame of 64x64, from exec to exit |");
    report_cell(best.wall);
    printf("\n| the same, processor time |");
    report_cell(best.cpu);
    printf("\n");
    return 0;
}

int report_latency(const Report *report)
{
    printf("\n### Start, first score, prediction\n\n");
    int err = machine_print_calibration();
    printf("| | ms, unless another unit is given |\n");
    report_columns(1);
    if (!err && report->vmaf)
        err = print_start(report);
    for (int i = 0; !err && i < report->sizes.n; ++i)
        err = print_first_score(report, report->sizes.items[i]);
    if (!err)
        err = print_prediction(report, "vmaf_v0.6.1");
    if (!err)
        err = print_prediction(report, "vmaf_b_v0.6.3");
    if (err)
        fprintf(stderr, "vmaf-bench-report: latency: error %d\n", err);
    return err;
}
