/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/measure/score_context.h"

#include "platform/machine.h"
#include "platform/path.h"

#include "libvmaf/libvmaf_ext.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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
                       "--score-backend %s is not available: %s", options->backend,
                       status.reason ? status.reason : strerror(-err));
}

int score_context_failed(ScoreContext *context, int err, char distrusted[32], Message *why)
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
                           "--vmaf-model is to be a name, version=NAME or path=FILE, not \"%s\"",
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

int score_context_open(ScoreContext *context, const ScoreOptions *options, const char *excluded,
                       Message *why)
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

void score_context_close(ScoreContext *context)
{
    if (context->vmaf)
        vmaf_close(context->vmaf);
    if (context->collection)
        vmaf_model_collection_destroy(context->collection);
    if (context->model)
        vmaf_model_destroy(context->model);
    *context = (ScoreContext){0};
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

int score_context_collect(ScoreContext *context, size_t frames, EncodeScores *scores, Message *why)
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
