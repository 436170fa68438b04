/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* One golden run: a fresh context, in the order of calls that README.md states. */

#include <errno.h>
#include <string.h>

#include "golden/golden.h"

static const char *text(const json_t *object, const char *name)
{
    return json_string_value(json_object_get(object, name));
}

static int failed(GoldenOutcome *outcome, const char *stage, int code)
{
    if (code) {
        outcome->stage = stage;
        outcome->code = code;
    }
    return code;
}

static uint64_t flags_of(const json_t *model)
{
    uint64_t flags = VMAF_MODEL_FLAGS_DEFAULT;
    size_t i;
    json_t *flag;
    json_array_foreach(json_object_get(model, "flags"), i, flag)
    {
        if (!strcmp(json_string_value(flag), "disable_clip"))
            flags |= VMAF_MODEL_FLAG_DISABLE_CLIP;
        if (!strcmp(json_string_value(flag), "enable_transform"))
            flags |= VMAF_MODEL_FLAG_ENABLE_TRANSFORM;
    }
    return flags;
}

static int load_model(GoldenOutcome *o, const json_t *description)
{
    const unsigned n = o->n_models;
    const char *version = text(description, "version");
    VmafModelConfig config = {.name = text(description, "name"), .flags = flags_of(description)};
    int err = vmaf_model_load(&o->model[n], &config, version);
    if (err)
        err = vmaf_model_collection_load(&o->model[n], &o->collection[n], &config, version);
    if (!err)
        ++o->n_models;
    return err;
}

static int overload(GoldenOutcome *o, unsigned n, const json_t *overload)
{
    VmafFeatureDictionary *options = NULL;
    const char *feature = text(overload, "feature");
    const int err =
        vmaf_feature_dictionary_set(&options, text(overload, "option"), text(overload, "value"));
    if (err)
        return err;
    return o->collection[n] ? vmaf_model_collection_feature_overload(o->model[n], &o->collection[n],
                                                                     feature, options)
                            : vmaf_model_feature_overload(o->model[n], feature, options);
}

static int use_model(GoldenOutcome *o, const json_t *description)
{
    const unsigned n = o->n_models;
    if (n == GOLDEN_MAX_MODELS)
        return failed(o, "model_load", -E2BIG);
    if (failed(o, "model_load", load_model(o, description)))
        return -1;
    size_t i;
    json_t *change;
    json_array_foreach(json_object_get(description, "overloads"), i, change)
    {
        if (failed(o, "model_overload", overload(o, n, change)))
            return -1;
    }
    if (failed(o, "use_features_from_model", vmaf_use_features_from_model(o->context, o->model[n])))
        return -1;
    return o->collection[n]
               ? failed(o, "use_features_from_model",
                        vmaf_use_features_from_model_collection(o->context, o->collection[n]))
               : 0;
}

static int use_feature(GoldenOutcome *o, const json_t *feature)
{
    VmafFeatureDictionary *options = NULL;
    const char *name;
    json_t *value;
    json_object_foreach(json_object_get(feature, "options"), name, value)
    {
        if (failed(o, "use_feature",
                   vmaf_feature_dictionary_set(&options, name, json_string_value(value))))
            return -1;
    }
    const int err = vmaf_use_feature(o->context, text(feature, "name"), options);
    if (err)
        vmaf_feature_dictionary_free(&options);
    return failed(o, "use_feature", err);
}

static int set_up(GoldenOutcome *o, const json_t *run)
{
    size_t i;
    json_t *item;
    json_array_foreach(json_object_get(run, "models"), i, item)
    {
        if (use_model(o, item))
            return -1;
    }
    json_array_foreach(json_object_get(run, "features"), i, item)
    {
        if (use_feature(o, item))
            return -1;
    }
    json_array_foreach(json_object_get(run, "imports"), i, item)
    {
        const double value = json_number_value(json_object_get(item, "value"));
        const json_int_t index = json_integer_value(json_object_get(item, "index"));
        if (failed(
                o, "import_feature_score",
                vmaf_import_feature_score(o->context, text(item, "name"), value, (unsigned)index)))
            return -1;
    }
    return 0;
}

/* After a rejection the caller still owns both pictures: releasing them must work. */
static int read_pair(GoldenOutcome *o, const GoldenClip *ref, const GoldenClip *dis)
{
    VmafPicture pictures[2];
    int err = golden_clip_picture(ref, o->frames, &pictures[0]);
    if (err)
        return err;
    err = golden_clip_picture(dis, o->frames, &pictures[1]);
    if (err) {
        vmaf_picture_unref(&pictures[0]);
        return err;
    }
    err = vmaf_read_pictures(o->context, &pictures[0], &pictures[1], o->frames);
    if (!err) {
        ++o->frames;
        return 0;
    }
    for (int i = 0; i < 2; ++i)
        if (vmaf_picture_unref(&pictures[i]))
            return -EBADF;
    return err;
}

static int read_all(GoldenOutcome *o, const GoldenClip *ref, const GoldenClip *dis)
{
    const unsigned frames = ref->frames < dis->frames ? ref->frames : dis->frames;
    while (o->frames < frames)
        if (failed(o, "read_pictures", read_pair(o, ref, dis)))
            return -1;
    return failed(o, "flush", vmaf_read_pictures(o->context, NULL, NULL, 0));
}

static int pool_models(GoldenOutcome *o)
{
    for (unsigned i = 0; i < o->n_models; ++i) {
        double score;
        if (failed(o, "score_pooled",
                   vmaf_score_pooled(o->context, o->model[i], VMAF_POOL_METHOD_MEAN, &score, 0,
                                     o->frames - 1)))
            return -1;
    }
    for (unsigned i = 0; i < o->n_models; ++i) {
        VmafModelCollectionScore score;
        if (o->collection[i] && failed(o, "score_pooled_model_collection",
                                       vmaf_score_pooled_model_collection(
                                           o->context, o->collection[i], VMAF_POOL_METHOD_MEAN,
                                           &score, 0, o->frames - 1)))
            return -1;
    }
    return 0;
}

void golden_run(GoldenOutcome *outcome, const json_t *run, const GoldenClip *ref,
                const GoldenClip *dis, const GoldenSettings *settings)
{
    const VmafConfiguration configuration = {
        .log_level = VMAF_LOG_LEVEL_NONE,
        .n_threads = settings->threads,
        .n_subsample = (unsigned)json_integer_value(json_object_get(run, "subsample")),
        .cpumask = settings->cpumask,
    };
    memset(outcome, 0, sizeof *outcome);
    if (failed(outcome, "init", vmaf_init(&outcome->context, configuration)))
        return;
    if (!set_up(outcome, run) && !read_all(outcome, ref, dis))
        pool_models(outcome);
}

void golden_outcome_release(GoldenOutcome *outcome)
{
    for (unsigned i = 0; i < outcome->n_models; ++i) {
        vmaf_model_destroy(outcome->model[i]);
        vmaf_model_collection_destroy(outcome->collection[i]);
    }
    outcome->close_code = vmaf_close(outcome->context);
    outcome->context = NULL;
    outcome->n_models = 0;
}
