/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_MEASURE_SCORE_CONTEXT_H
#define TUNE_MEASURE_SCORE_CONTEXT_H

/* A context of libvmaf with a model and features, and what it has computed. */

#include "tune/measure/scorer.h"

#include "libvmaf/libvmaf.h"

typedef struct ScoreContext {
    VmafContext *vmaf;
    VmafModel *model;
    VmafModelCollection *collection; /* NULL: the model is a single one */
} ScoreContext;

/* `excluded`: a backend that is not to be used, or NULL. 0; -EINVAL; -ENODEV; -ENOMEM; and why. */
int score_context_open(ScoreContext *context, const ScoreOptions *options, const char *excluded,
                       Message *why);
/* Once all pairs were read: their scores. 0; negative errno and why. */
int score_context_collect(ScoreContext *context, size_t frames, EncodeScores *scores, Message *why);
/* Why a pair, or the end, was refused. -ENODEV: a backend was lost that was named; -EAGAIN: the
 * scores of the backend whose name is in `distrusted` are wrong; else `err`. */
int score_context_failed(ScoreContext *context, int err, char distrusted[32], Message *why);
void score_context_close(ScoreContext *context);

#endif
