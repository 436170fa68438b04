/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/measure/scorer.h"

#include "libvmaf/libvmaf.h"
#include "libvmaf/libvmaf_ext.h"
#include "media/match.h"
#include "platform/machine.h"
#include "platform/path.h"
#include "platform/time.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- scores of frames -- */

void encode_scores_free(EncodeScores *scores)
{
    for (size_t i = 0; i < scores->n_series; i++) {
        free(scores->series[i].name);
        free(scores->series[i].values);
    }
    free(scores->series);
    free(scores->backend);
    free(scores->device);
    *scores = (EncodeScores){0};
}

const ScoreSeries *encode_scores_find(const EncodeScores *scores, const char *name)
{
    for (size_t i = 0; i < scores->n_series; i++)
        if (!strcmp(scores->series[i].name, name))
            return &scores->series[i];
    for (size_t i = 0; i < scores->n_series; i++)
        if (!strcmp(score_plain_name(scores->series[i].name), score_plain_name(name)))
            return &scores->series[i];
    return NULL;
}

ScoreSeries *encode_scores_add(EncodeScores *scores, const char *name)
{
    ScoreSeries *grown = realloc(scores->series, (scores->n_series + 1) * sizeof(*scores->series));
    if (!grown)
        return NULL;
    scores->series = grown;
    ScoreSeries *series = &grown[scores->n_series++];
    *series = (ScoreSeries){strdup(name), calloc(scores->frames + 1, sizeof(*series->values))};
    return series->name && series->values ? series : NULL;
}

/* -- a context of libvmaf with a model and features -- */

typedef struct ScoreContext {
    VmafContext *vmaf;
    VmafModel *model;
    VmafModelCollection *collection; /* NULL: the model is a single one */
} ScoreContext;

static VmafBackendStatus status_of(VmafContext *vmaf)
{
    VmafBackendStatus status = {.struct_size = sizeof(status)};
    vmaf_backend_status(vmaf, &status);
    return status;
}

/* -- the backend -- */

static int choose_backend(VmafContext *vmaf, const ScoreOptions *options, const char *excluded,
                          Message *why)
{
    if (excluded && *excluded)
        vmaf_backend_exclude(vmaf, excluded);
    if (!options->backend)
        return 0;
    const int err = vmaf_backend_select(vmaf, options->backend, -1);
    if (!err)
        return 0;
    const VmafBackendStatus status = status_of(vmaf);
    return message_set(why, score_needs_device(options) ? -ENODEV : err,
                       "--backend %s is not available: %s", options->backend,
                       status.reason ? status.reason : strerror(-err));
}

/* -- the model -- */

/* A single model, else a collection of them. */
static int load(ScoreContext *context, VmafModelConfig *config, const char *name, bool is_path)
{
    const int err = is_path ? vmaf_model_load_from_path(&context->model, config, name)
                            : vmaf_model_load(&context->model, config, name);
    if (!err || err == -ENOMEM)
        return err;
    return is_path
               ? vmaf_model_collection_load_from_path(&context->model, &context->collection, config,
                                                      name)
               : vmaf_model_collection_load(&context->model, &context->collection, config, name);
}

static int load_model(ScoreContext *context, const char *spec, Message *why)
{
    VmafModelConfig config = {.name = "vmaf"};
    const bool is_path = !strncmp(spec, "path=", 5), is_version = !strncmp(spec, "version=", 8);
    if (!is_path && !is_version && strchr(spec, '='))
        return message_set(why, -EINVAL,
                           "--model is to be a name, version=NAME or path=FILE, not \"%s\"", spec);
    const char *name = is_path || is_version ? strchr(spec, '=') + 1 : spec;
    int err = load(context, &config, name, is_path);
    if (!err)
        err = vmaf_use_features_from_model(context->vmaf, context->model);
    if (!err && context->collection)
        err = vmaf_use_features_from_model_collection(context->vmaf, context->collection);
    return err ? message_set(why, err, "model \"%s\" cannot be loaded: %s", spec, strerror(-err))
               : 0;
}

/* -- features -- */

/* "name" or "name=a=1:b=2". */
static int use_feature(VmafContext *vmaf, const char *spec, Message *why)
{
    VmafFeatureDictionary *dictionary = NULL;
    char *name = strdup(spec), *options = name ? strchr(name, '=') : NULL;
    int err = name ? 0 : -ENOMEM;
    if (options)
        *options++ = '\0';
    for (char *item; !err && options && (item = vmaf_path_next_part(&options));) {
        char *value = strchr(item, '=');
        if (value)
            *value++ = '\0';
        err = value ? vmaf_feature_dictionary_set(&dictionary, item, value) : -EINVAL;
    }
    if (!err)
        err = vmaf_use_feature(vmaf, name, dictionary);
    if (err && dictionary)
        vmaf_feature_dictionary_free(&dictionary);
    free(name);
    return err ? message_set(why, err, "feature \"%s\" cannot be used: %s", spec,
                             err == -EINVAL ? "there is none of that name, or an option is wrong"
                                            : strerror(-err))
               : 0;
}

static void score_context_close(ScoreContext *context)
{
    if (context->vmaf)
        vmaf_close(context->vmaf);
    if (context->collection)
        vmaf_model_collection_destroy(context->collection);
    if (context->model)
        vmaf_model_destroy(context->model);
    *context = (ScoreContext){0};
}

/* `excluded`: a backend that is not to be used, or NULL. 0; -EINVAL; -ENODEV; -ENOMEM; and why. */
static int score_context_open(ScoreContext *context, const ScoreOptions *options,
                              const char *excluded, Message *why)
{
    const unsigned wanted =
        options->threads > 0 ? (unsigned)options->threads : vmaf_processors_usable();
    const VmafConfiguration config = {
        .log_level = VMAF_LOG_LEVEL_NONE,
        .n_threads = wanted > 1 ? wanted : 0,
    };
    *context = (ScoreContext){0};
    int err = vmaf_init(&context->vmaf, config);
    if (err)
        return message_set(why, -ENOMEM, "out of memory");
    vmaf_keep_last_pair(context->vmaf);
    err = choose_backend(context->vmaf, options, excluded, why);
    if (!err)
        err = load_model(context, options->model, why);
    for (size_t i = 0; i < options->n_features && !err; i++)
        err = use_feature(context->vmaf, options->features[i], why);
    if (err)
        score_context_close(context);
    return err;
}

/* -- what it computed -- */

static int pool_model(const ScoreContext *context, unsigned last)
{
    double score;
    VmafModelCollectionScore scores;
    const int err =
        vmaf_score_pooled(context->vmaf, context->model, VMAF_POOL_METHOD_MEAN, &score, 0, last);
    if (err || !context->collection)
        return err;
    return vmaf_score_pooled_model_collection(context->vmaf, context->collection,
                                              VMAF_POOL_METHOD_MEAN, &scores, 0, last);
}

static int collect_all(VmafContext *vmaf, EncodeScores *scores)
{
    for (unsigned i = 0;; i++) {
        VmafScoreInfo info = {.struct_size = sizeof(info)};
        int err = vmaf_score_info(vmaf, i, &info);
        if (err)
            return err == -ERANGE ? 0 : err;
        const ScoreSeries *series = encode_scores_add(scores, info.name);
        if (!series)
            return -ENOMEM;
        for (size_t k = 0; k < scores->frames && !err; k++)
            err = vmaf_feature_score_at_index(vmaf, info.key, &series->values[k], (unsigned)k);
        if (err)
            return err;
    }
}

/* Once all pairs were read: their scores. 0; negative errno and why. */
static int score_context_collect(ScoreContext *context, size_t frames, EncodeScores *scores,
                                 Message *why)
{
    *scores = (EncodeScores){.frames = frames};
    int err = pool_model(context, (unsigned)frames - 1);
    if (!err)
        err = collect_all(context->vmaf, scores);
    const VmafBackendStatus status = status_of(context->vmaf);
    const bool is_active = status.phase == VMAF_BACKEND_PHASE_ACTIVE;
    scores->backend = strdup(is_active ? status.name : "cpu");
    scores->device = strdup(is_active && status.device ? status.device : "");
    if (!err && (!scores->backend || !scores->device))
        err = -ENOMEM;
    if (err)
        encode_scores_free(scores);
    return err ? message_set(why, err, "scores could not be collected: %s", strerror(-err)) : 0;
}

/* -- comparisons -- */

ScoreOptions score_share(const ScoreOptions *options, int jobs)
{
    ScoreOptions share = *options;
    const int processors = (int)vmaf_processors_usable();
    if (share.threads <= 0)
        share.threads = jobs > 0 && processors > jobs ? (processors + jobs - 1) / jobs : 1;
    return share;
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

/* -- pairs of frames -- */

typedef struct FramePairs {
    VideoReader reader; /* of the encode */
    ReadAhead *ahead;
    ReferenceCursor *cursor;
} FramePairs;

/* Close them in either case. */
static int open_pairs(FramePairs *frames, const ScorePairs *pairs, Message *why)
{
    const MediaSettings settings = {
        .stream = -1, .threads = 2, .no_film_grain = pairs->options->no_film_grain};
    const MatchOptions options = {0};
    const VideoReader *reference = reference_format(pairs->reference);
    VideoReader *reader = &frames->reader;
    int err = video_reader_open(reader, pairs->encode);
    if (!err)
        err = video_reader_start_media(reader, &settings);
    if (err)
        return video_failed(reader, pairs->encode, err, why);
    err = match_distorted(reader, reference, &options, why);
    if (err)
        return err;
    const ReadAheadConfig config = {
        .depth = REFERENCE_AHEAD,
        .max_buffers = REFERENCE_BUFFERS,
        .wanted_planes = reference_planes(pairs->reference),
        .output_depth = match_depth(reference, reader),
    };
    err = read_ahead_start(&frames->ahead, reader, &config);
    if (err)
        return message_set(why, err, "%s", strerror(-err));
    return reference_cursor_open(pairs->reference, config.output_depth, match_rgb_matrix(reader),
                                 &frames->cursor, why);
}

/* 1; 0 at the end; -ERANGE: one ends before the other; another negative errno; and why. */
static int next_pair(FramePairs *frames, bool may_differ, size_t taken, VmafPicture *reference,
                     VmafPicture *distorted, Message *why)
{
    const int first = reference_cursor_next(frames->cursor, reference, why);
    if (first < 0)
        return first;
    const int second = next_picture(frames->ahead, distorted, why);
    if (first == 1 && second != 1)
        vmaf_picture_unref(reference);
    if (second == 1 && first != 1)
        vmaf_picture_unref(distorted);
    if (second < 0 || first == second)
        return second;
    if (may_differ && taken)
        return 0;
    return message_set(why, -ERANGE,
                       "frame_count_mismatch: the %s ends after %zu frames, the other goes on",
                       first ? "encode" : "reference", taken);
}

int score_pairs(const ScorePairs *pairs, Message *why)
{
    const ScoreControl *control = pairs->control;
    const bool may_differ = pairs->options->allows_frame_mismatch;
    FramePairs frames = {.ahead = NULL};
    VmafPicture first, second;
    size_t taken = 0;
    int err = open_pairs(&frames, pairs, why), got = 1;
    while (!err && got) {
        got = next_pair(&frames, may_differ, taken, &first, &second, why);
        err = got > 0 ? pairs->take(pairs->cookie, &first, &second, taken++, why) : got;
        if (!err && got && control->on_progress)
            control->on_progress(control->cookie, taken);
        if (!err && control->stop && atomic_load(control->stop))
            err = message_set(why, -ECANCELED, "interrupted");
    }
    if (!err && !taken)
        err = message_set(why, -ENODATA, "%s: there are no frames", pairs->encode);
    read_ahead_stop(frames.ahead);
    err = pairs->finish(pairs->cookie, err, taken, why);
    reference_cursor_close(frames.cursor);
    read_ahead_destroy(frames.ahead);
    video_reader_close(&frames.reader);
    return err;
}

/* -- comparisons in this process -- */

typedef struct Comparison {
    ScoreContext context;
    EncodeScores *scores;
    char distrusted[32]; /* the backend whose scores are wrong; "" */
} Comparison;

/* Why a pair, or the end, was rejected: the library tells it to its log, which would be in the way
 * here. -ENODEV: a backend was lost that was named; -EAGAIN: one is distrusted; else `err`. */
static int reading_failed(Comparison *comparison, int err, const VmafPicture *picture, Message *why)
{
    const VmafBackendStatus status = status_of(comparison->context.vmaf);
    const char *reason =
        status.reason ? status.reason : strerror(status.error ? -status.error : -err);
    if (status.phase == VMAF_BACKEND_PHASE_FAILED)
        return message_set(why, -ENODEV, "score backend %s was lost at frame %u: %s", status.name,
                           status.frame, reason);
    if (status.spot_check_failed) {
        snprintf(comparison->distrusted, sizeof comparison->distrusted, "%s", status.name);
        return message_set(why, -EAGAIN, "score backend %s computes wrong scores", status.name);
    }
    if (err == -EINVAL && picture)
        return message_set(
            why, err,
            "a metric cannot score pictures of %ux%u samples: VMAF needs 17x17, others more",
            picture->w[0], picture->h[0]);
    return message_set(why, err, "scoring failed: %s", strerror(-err));
}

static int read_pair(void *cookie, VmafPicture *reference, VmafPicture *distorted, size_t index,
                     Message *why)
{
    Comparison *comparison = cookie;
    int err = vmaf_read_pictures(comparison->context.vmaf, reference, distorted, (unsigned)index);
    if (err) {
        err = reading_failed(comparison, err, reference, why);
        vmaf_picture_unref(reference);
        vmaf_picture_unref(distorted);
    }
    return err;
}

static int collect_scores(void *cookie, int err, size_t frames, Message *why)
{
    Comparison *comparison = cookie;
    if (!err && (err = vmaf_read_pictures(comparison->context.vmaf, NULL, NULL, 0)))
        err = reading_failed(comparison, err, NULL, why);
    if (!err)
        err = score_context_collect(&comparison->context, frames, comparison->scores, why);
    score_context_close(&comparison->context);
    return err;
}

/* `excluded` becomes the backend whose scores are wrong. */
static int compare(ScorePairs pairs, char excluded[32], EncodeScores *scores, Message *why)
{
    Comparison comparison = {.scores = scores};
    int err = score_context_open(&comparison.context, pairs.options, excluded, why);
    if (err)
        return err;
    pairs.take = read_pair;
    pairs.finish = collect_scores;
    pairs.cookie = &comparison;
    err = score_pairs(&pairs, why);
    strcpy(excluded, comparison.distrusted);
    return err;
}

int score_encode(TuneReference *reference, const char *encode, const ScoreOptions *options,
                 const ScoreControl *control, EncodeScores *scores, Message *why)
{
    const ScorePairs pairs = {
        .reference = reference, .encode = encode, .options = options, .control = control};
    const int64_t start = vmaf_steady_ns();
    char excluded[32] = "";
    int err = options->program ? score_by_program(pairs, scores, why)
                               : compare(pairs, excluded, scores, why);
    if (err == -EAGAIN) /* once more without a backend whose scores are wrong */
        err = compare(pairs, excluded, scores, why);
    scores->ms = err ? 0 : (double)(vmaf_steady_ns() - start) * 1e-6;
    return err == -EAGAIN ? -EIO : err;
}
