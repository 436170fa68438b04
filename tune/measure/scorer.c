/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/measure/scorer.h"

#include "common/json.h"
#include "libvmaf/libvmaf.h"
#include "libvmaf/libvmaf_ext.h"
#include "platform/machine.h"
#include "platform/path.h"
#include "platform/time.h"
#include "tune/measure/reference.h"

#include <errno.h>
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

static json_t *series_to_json(const ScoreSeries *series, size_t frames)
{
    json_t *values = json_array();
    for (size_t i = 0; i < frames; i++)
        if (json_array_append_new(values, json_real(series->values[i]))) {
            json_decref(values);
            return NULL;
        }
    return values;
}

json_t *encode_scores_to_json(const EncodeScores *scores)
{
    json_t *all = json_object();
    for (size_t i = 0; i < scores->n_series; i++)
        if (json_object_set_new(all, scores->series[i].name,
                                series_to_json(&scores->series[i], scores->frames))) {
            json_decref(all);
            return NULL;
        }
    return json_pack("{s:I, s:s, s:s, s:f, s:o}", "frames", (json_int_t)scores->frames, "backend",
                     scores->backend, "device", scores->device, "score_time_ms", scores->ms,
                     "scores", all);
}

static int series_from_json(ScoreSeries *series, const char *name, const json_t *values,
                            size_t frames)
{
    if (json_array_size(values) != frames)
        return -EINVAL;
    series->name = strdup(name);
    series->values = malloc(frames * sizeof(*series->values));
    if (!series->name || !series->values)
        return -ENOMEM;
    return json_numbers_of(values, frames, series->values);
}

static int all_from_json(EncodeScores *scores, json_t *all)
{
    const char *name;
    json_t *values;
    scores->series = calloc(json_object_size(all), sizeof(*scores->series));
    if (!scores->series)
        return -ENOMEM;
    json_object_foreach(all, name, values)
    {
        const int err =
            series_from_json(&scores->series[scores->n_series++], name, values, scores->frames);
        if (err)
            return err;
    }
    return 0;
}

int encode_scores_from_json(EncodeScores *scores, const json_t *json)
{
    json_int_t frames;
    const char *backend, *device;
    json_t *all;
    *scores = (EncodeScores){0};
    if (json_unpack((json_t *)json, "{s:I, s:s, s:s, s:F, s:o}", "frames", &frames, "backend",
                    &backend, "device", &device, "score_time_ms", &scores->ms, "scores", &all) ||
        frames <= 0 || scores->ms < 0 || !json_object_size(all))
        return -EINVAL;
    scores->frames = (size_t)frames;
    scores->backend = strdup(backend);
    scores->device = strdup(device);
    const int err = scores->backend && scores->device ? all_from_json(scores, all) : -ENOMEM;
    if (err)
        encode_scores_free(scores);
    return err;
}

/* -- a context of libvmaf with a model and features -- */

typedef struct ScoreContext {
    VmafContext *vmaf;
    VmafModel *model;
    VmafModelCollection *collection; /* NULL: the model is a single one */
} ScoreContext;

static int out_of_memory(Message *why)
{
    return message_set(why, -ENOMEM, "out of memory");
}

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

/* Why a pair, or the end, was rejected. -ENODEV: a backend was lost that was named; -EAGAIN: the
 * scores of the backend whose name is in `distrusted` are wrong; else `err`. */
static int score_context_failed(ScoreContext *context, int err, char distrusted[32], Message *why)
{
    const VmafBackendStatus status = status_of(context->vmaf);
    const char *reason =
        status.reason ? status.reason : strerror(status.error ? -status.error : -err);
    if (status.phase == VMAF_BACKEND_PHASE_FAILED)
        return message_set(why, -ENODEV, "score backend %s was lost at frame %u: %s", status.name,
                           status.frame, reason);
    if (status.spot_check_failed) {
        snprintf(distrusted, 32, "%s", status.name);
        return message_set(why, -EAGAIN, "score backend %s computes wrong scores", status.name);
    }
    return message_set(why, err, "scoring failed: %s", strerror(-err));
}

/* -- the model -- */

static bool is_collection(const char *version)
{
    for (unsigned i = 0;; i++) {
        VmafBuiltinModelInfo info = {.struct_size = sizeof(info)};
        if (vmaf_builtin_model_info(i, &info))
            return false;
        if (!strcmp(info.name, version))
            return info.is_collection;
    }
}

static int load_version(ScoreContext *context, VmafModelConfig *config, const char *version)
{
    return is_collection(version)
               ? vmaf_model_collection_load(&context->model, &context->collection, config, version)
               : vmaf_model_load(&context->model, config, version);
}

static int load_path(ScoreContext *context, VmafModelConfig *config, const char *path)
{
    const int err = vmaf_model_load_from_path(&context->model, config, path);
    if (!err || err == -ENOMEM)
        return err;
    return vmaf_model_collection_load_from_path(&context->model, &context->collection, config,
                                                path);
}

static int load_model(ScoreContext *context, const char *spec, Message *why)
{
    VmafModelConfig config = {.name = "vmaf"};
    const char *path = strncmp(spec, "path=", 5) ? NULL : spec + 5;
    const char *version = strncmp(spec, "version=", 8) ? spec : spec + 8;
    if (!path && strchr(version, '='))
        return message_set(why, -EINVAL,
                           "--model is to be a name, version=NAME or path=FILE, not \"%s\"",
                           spec);
    int err = path ? load_path(context, &config, path) : load_version(context, &config, version);
    if (!err)
        err = vmaf_use_features_from_model(context->vmaf, context->model);
    if (!err && context->collection)
        err = vmaf_use_features_from_model_collection(context->vmaf, context->collection);
    return err ? message_set(why, err, "model \"%s\" cannot be loaded: %s", spec, strerror(-err))
               : 0;
}

/* -- features -- */

/* Options "a=1:b=2", which are changed. */
static int parse_options(char *text, VmafFeatureDictionary **dictionary)
{
    int err = 0;
    for (char *item; !err && (item = vmaf_path_next_part(&text));) {
        char *value = strchr(item, '=');
        if (!value)
            return -EINVAL;
        *value++ = '\0';
        err = vmaf_feature_dictionary_set(dictionary, item, value);
    }
    return err;
}

static int use_feature(VmafContext *vmaf, const char *spec, Message *why)
{
    char *name = strdup(spec);
    if (!name)
        return out_of_memory(why);
    VmafFeatureDictionary *dictionary = NULL;
    char *options = strchr(name, '=');
    if (options)
        *options++ = '\0';
    int err = options ? parse_options(options, &dictionary) : 0;
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
        return out_of_memory(why);
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

static int collect_series(VmafContext *vmaf, const VmafScoreInfo *info, size_t frames,
                          ScoreSeries *series)
{
    series->name = strdup(info->name);
    series->values = malloc(frames * sizeof(*series->values));
    if (!series->name || !series->values)
        return -ENOMEM;
    for (size_t i = 0; i < frames; i++) {
        const int err =
            vmaf_feature_score_at_index(vmaf, info->key, &series->values[i], (unsigned)i);
        if (err)
            return err;
    }
    return 0;
}

static int collect_all(VmafContext *vmaf, EncodeScores *scores)
{
    for (unsigned i = 0;; i++) {
        VmafScoreInfo info = {.struct_size = sizeof(info)};
        int err = vmaf_score_info(vmaf, i, &info);
        if (err == -ERANGE)
            return 0;
        ScoreSeries *grown =
            err ? NULL : realloc(scores->series, (i + 1) * sizeof(*scores->series));
        if (!grown)
            return err ? err : -ENOMEM;
        scores->series = grown;
        grown[i] = (ScoreSeries){0};
        scores->n_series = i + 1;
        err = collect_series(vmaf, &info, scores->frames, &grown[i]);
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
                            comparison->options->allows_frame_mismatch,
                            comparison->options->no_film_grain, why);
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
