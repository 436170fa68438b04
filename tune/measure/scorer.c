/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/measure/scorer.h"

#include "tune/measure/frame_pairs.h"
#include "tune/measure/score_context.h"
#include "tune/measure/score_program.h"

#include "platform/machine.h"
#include "platform/time.h"

#include "libvmaf/libvmaf_ext.h"

#include <errno.h>
#include <string.h>

enum { HEIGHT_4K = 2160 };

const char *model_for_height(unsigned height)
{
    return height >= HEIGHT_4K ? "vmaf_4k_v0.6.1" : "vmaf_v0.6.1";
}

ScoreOptions score_share(const ScoreOptions *options, int jobs)
{
    ScoreOptions share = *options;
    const int processors = (int)vmaf_processors_usable();
    if (share.threads <= 0)
        share.threads = jobs > 0 && processors > jobs ? (processors + jobs - 1) / jobs : 1;
    return share;
}

const char *score_version(const ScoreOptions *options)
{
    return options->program ? options->program->version : vmaf_version();
}

bool score_needs_device(const ScoreOptions *options)
{
    return options->backend && strcmp(options->backend, "auto") && strcmp(options->backend, "cpu");
}

int scorer_check(const ScoreOptions *options, const VideoFormat *format, unsigned *planes,
                 Message *why)
{
    ScoreContext context;
    if (options->program) { /* what it looks at is its own affair, and what it knows as well */
        *planes = ALL_PLANES;
        return 0;
    }
    int err = score_context_open(&context, options, NULL, why);
    if (err)
        return err;
    err = vmaf_planes_needed(context.vmaf, format->pixel_format, planes);
    score_context_close(&context);
    return err ? message_set(why, err, "this pixel format cannot be scored") : 0;
}

/* One comparison. */
typedef struct Comparison {
    const ScoreOptions *options;
    const ScoreControl *control;
    ScoreContext context;
    FramePairs pairs;
} Comparison;

static bool is_stopped(const ScoreControl *control)
{
    return control->stop && atomic_load(control->stop);
}

/* The library tells its reason to its log, which would be in the way here. */
static int reading_failed(Comparison *comparison, int err, const VmafPicture *picture,
                          char distrusted[32], Message *why)
{
    const int failed = score_context_failed(&comparison->context, err, distrusted, why);
    if (failed == -EINVAL)
        message_set(
            why, 0,
            "a metric cannot score pictures of %ux%u samples: VMAF needs 17x17, others more",
            picture->w[0], picture->h[0]);
    return failed;
}

static int score_pairs(Comparison *comparison, char distrusted[32], Message *why)
{
    const ScoreControl *control = comparison->control;
    FramePairs *pairs = &comparison->pairs;
    VmafPicture reference, distorted;
    for (;;) {
        if (is_stopped(control))
            return message_set(why, -ECANCELED, "interrupted");
        const int got = frame_pairs_next(pairs, &reference, &distorted, why);
        if (got <= 0)
            return got;
        const int err = vmaf_read_pictures(comparison->context.vmaf, &reference, &distorted,
                                           (unsigned)pairs->taken - 1);
        if (err) {
            const int failed = reading_failed(comparison, err, &reference, distrusted, why);
            vmaf_picture_unref(&reference);
            vmaf_picture_unref(&distorted);
            return failed;
        }
        if (control->on_progress)
            control->on_progress(control->cookie, pairs->taken);
    }
}

static int open_pairs(Comparison *comparison, TuneReference *reference, const char *encode,
                      Message *why)
{
    unsigned planes;
    const int err = vmaf_planes_needed(comparison->context.vmaf,
                                       reference_format(reference)->format.pixel_format, &planes);
    if (err)
        return message_set(why, err, "%s", strerror(-err));
    return frame_pairs_open(&comparison->pairs, reference, encode, planes,
                            comparison->options->allows_frame_mismatch, why);
}

static int compare(Comparison *comparison, TuneReference *reference, const char *encode,
                   const char *excluded, char distrusted[32], EncodeScores *scores, Message *why)
{
    int err = score_context_open(&comparison->context, comparison->options, excluded, why);
    if (!err)
        err = open_pairs(comparison, reference, encode, why);
    if (!err)
        err = score_pairs(comparison, distrusted, why);
    if (!err && !comparison->pairs.taken)
        err = message_set(why, -ENODATA, "%s: there are no frames", encode);
    if (err)
        return err;
    err = vmaf_read_pictures(comparison->context.vmaf, NULL, NULL, 0);
    if (err)
        return score_context_failed(&comparison->context, err, distrusted, why);
    return score_context_collect(&comparison->context, comparison->pairs.taken, scores, why);
}

static void end_comparison(Comparison *comparison)
{
    frame_pairs_stop(&comparison->pairs);
    score_context_close(&comparison->context);
    frame_pairs_close(&comparison->pairs);
}

static int score_here(TuneReference *reference, const char *encode, const ScoreOptions *options,
                      const ScoreControl *control, EncodeScores *scores, Message *why)
{
    char excluded[32] = "", distrusted[32] = "";
    int err;
    do { /* a second time only without a backend whose scores are wrong */
        strcpy(excluded, distrusted);
        *distrusted = '\0';
        Comparison comparison = {.options = options, .control = control};
        err = compare(&comparison, reference, encode, excluded, distrusted, scores, why);
        end_comparison(&comparison);
    } while (err == -EAGAIN && !*excluded);
    return err == -EAGAIN ? -EIO : err;
}

int score_encode(TuneReference *reference, const char *encode, const ScoreOptions *options,
                 const ScoreControl *control, EncodeScores *scores, Message *why)
{
    const int64_t start = vmaf_steady_ns();
    const int err = options->program
                        ? score_by_program(reference, encode, options, control, scores, why)
                        : score_here(reference, encode, options, control, scores, why);
    if (!err)
        scores->ms = (double)(vmaf_steady_ns() - start) * 1e-6;
    return err;
}
