/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "metrics/framework/extractor.h"
#include "model/builtin/builtin.h"
#include "model/model_internal.h"
#include "support/memory.h"

static const char *configured_name(const VmafModelConfig *cfg)
{
    return cfg->name ? cfg->name : "vmaf";
}

VmafModel *model_create(const VmafModelConfig *cfg, unsigned number)
{
    const char *base = configured_name(cfg);
    size_t size = strlen(base) + sizeof("_4294967295");
    VmafModel *model = memory_alloc_zeroed(1, sizeof(*model));
    if (!model)
        return NULL;
    model->name = malloc(size);
    if (!model->name) {
        memory_free(model);
        return NULL;
    }
    if (number)
        snprintf(model->name, size, "%s_%04u", base, number);
    else
        snprintf(model->name, size, "%s", base);
    return model;
}

void model_destroy(VmafModel *model)
{
    if (!model)
        return;
    for (unsigned i = 0; i < model->n_features; i++) {
        free(model->features[i].name);
        free(model->features[i].key);
        dictionary_destroy(model->features[i].options);
    }
    memory_free(model->features);
    svr_destroy(model->svr);
    free(model->name);
    memory_free(model);
}

int model_set_feature_count(VmafModel *model, unsigned count)
{
    if (count == 0)
        return 0;
    model->features = memory_alloc_zeroed(count, sizeof(*model->features));
    if (!model->features)
        return -ENOMEM;
    model->n_features = count;
    return 0;
}

int model_set_feature_name(VmafModel *model, unsigned i, const char *name)
{
    char *copy = strdup(name);
    if (!copy)
        return -ENOMEM;
    free(model->features[i].name);
    model->features[i].name = copy;
    return 0;
}

int model_set_feature_option(VmafModel *model, unsigned i, const char *name, const char *value)
{
    ModelFeature *feature = &model->features[i];
    if (!feature->options)
        feature->options = dictionary_create();
    return feature->options ? dictionary_set(feature->options, name, value) : -ENOMEM;
}

/* Makes the key of a feature, or stores why it has none. 0, -ENOMEM. */
static int make_key(ModelFeature *feature)
{
    free(feature->key);
    feature->key = NULL;
    const FeatureExtractor *extractor = registry_find_provider(feature->name);
    if (!extractor) {
        reason_set(&feature->why_no_key, -EINVAL, "no feature extractor provides \"%s\"",
                   feature->name);
        return 0;
    }

    void *options = memory_alloc_zeroed(1, extractor->options_size ? extractor->options_size : 1);
    if (!options)
        return -ENOMEM;
    char key[FEATURE_KEY_SIZE];
    int err = options_parse(options, extractor->options, feature->options, NULL, NULL,
                            &feature->why_no_key);
    if (err == 0) {
        feature_key(key, feature->name, extractor->options, options);
        feature->key = strdup(key);
    }
    memory_free(options);
    return err == 0 && !feature->key ? -ENOMEM : 0;
}

int model_complete(VmafModel *model, const VmafModelConfig *cfg)
{
    if (cfg->flags & VMAF_MODEL_FLAG_DISABLE_CLIP)
        model->parameters.has_clip = false;
    if (cfg->flags & VMAF_MODEL_FLAG_ENABLE_TRANSFORM)
        model->parameters.transform.enabled = true;

    for (unsigned i = 0; i < model->n_features; i++) {
        ModelFeature *feature = &model->features[i];
        if (strstr(feature->name, "speed_chroma"))
            feature->roles |= ROLE_CHROMA;
        if (strstr(feature->name, "adm3"))
            feature->roles |= ROLE_LUMA;
        int err = make_key(feature);
        if (err)
            return err;
    }
    return 0;
}

int model_overload(VmafModel *model, const char *extractor, const Dictionary *options)
{
    for (unsigned i = 0; i < model->n_features; i++) {
        ModelFeature *feature = &model->features[i];
        const FeatureExtractor *provider = registry_find_provider(feature->name);
        if (!provider || strcmp(provider->name, extractor) != 0)
            continue;
        if (!feature->options && !(feature->options = dictionary_create()))
            return -ENOMEM;
        int err = dictionary_merge(feature->options, options);
        if (!err)
            err = make_key(feature);
        if (err)
            return err;
    }
    return 0;
}

const char *model_name(const VmafModel *model)
{
    return model->name;
}

unsigned model_feature_count(const VmafModel *model)
{
    return model->n_features;
}

const char *model_feature_name(const VmafModel *model, unsigned i)
{
    return model->features[i].name;
}

const Dictionary *model_feature_options(const VmafModel *model, unsigned i)
{
    return model->features[i].options;
}

const char *model_feature_key(const VmafModel *model, unsigned i, Reason *why)
{
    if (!model->features[i].key && why)
        *why = model->features[i].why_no_key;
    return model->features[i].key;
}

VmafModelCollection *model_collection_create(const VmafModelConfig *cfg)
{
    VmafModelCollection *collection = memory_alloc_zeroed(1, sizeof(*collection));
    if (!collection)
        return NULL;
    collection->name = strdup(configured_name(cfg));
    if (!collection->name) {
        memory_free(collection);
        return NULL;
    }
    return collection;
}

void model_collection_destroy(VmafModelCollection *collection)
{
    if (!collection)
        return;
    for (unsigned i = 0; i < collection->n_members; i++)
        model_destroy(collection->members[i]);
    memory_free(collection->members);
    free(collection->name);
    memory_free(collection);
}

static int grow(VmafModelCollection *collection)
{
    unsigned capacity = collection->capacity ? 2 * collection->capacity : 32;
    VmafModel **members = memory_alloc(capacity, sizeof(VmafModel *));
    if (!members)
        return -ENOMEM;
    for (unsigned i = 0; i < collection->n_members; i++)
        members[i] = collection->members[i];
    memory_free(collection->members);
    collection->members = members;
    collection->capacity = capacity;
    return 0;
}

int model_collection_add(VmafModelCollection *collection, VmafModel *model, Reason *why)
{
    if (collection->n_members && collection->members[0]->parameters.type != model->parameters.type)
        return reason_set(why, -EINVAL, "members of the collection differ in model_type");
    if (collection->n_members == collection->capacity && grow(collection))
        return reason_set(why, -ENOMEM, "out of memory");
    collection->members[collection->n_members++] = model;
    return 0;
}

const char *model_collection_name(const VmafModelCollection *collection)
{
    return collection->name;
}

unsigned model_collection_size(const VmafModelCollection *collection)
{
    return collection->n_members;
}

VmafModel *model_collection_member(const VmafModelCollection *collection, unsigned i)
{
    return collection->members[i];
}

static const BuiltinVersion *version_at(unsigned index)
{
    const BuiltinVersion *version = builtin_versions;
    while (index > 0 && version->name) {
        version++;
        index--;
    }
    return version;
}

const char *builtin_model_sha256(unsigned index)
{
    return version_at(index)->sha256;
}

const char *builtin_model_name(unsigned index, int *is_collection)
{
    const BuiltinVersion *version = version_at(index);
    if (is_collection)
        *is_collection = version->is_collection;
    return version->name;
}

static SvrTable *unpack_svr(const BuiltinSvr *from)
{
    double *coefficients, *vectors;
    SvrTable *svr = svr_create(from->n_vectors, from->dimensions, &coefficients, &vectors);
    if (!svr)
        return NULL;
    svr->gamma = from->gamma;
    svr->rho = from->rho;
    memcpy(coefficients, from->coefficients, from->n_vectors * sizeof(*coefficients));
    for (unsigned k = 0; k < from->n_vectors; k++)
        for (unsigned i = 0; i < from->dimensions; i++)
            vectors[(size_t)i * svr->stride + k] = builtin_vectors[from->vectors[k]][i];
    return svr;
}

static int fill(VmafModel *model, const BuiltinModel *from)
{
    model->parameters = *from->parameters;
    model->svr = unpack_svr(from->svr);
    int err = model->svr ? model_set_feature_count(model, from->n_features) : -ENOMEM;
    for (unsigned i = 0; !err && i < from->n_features; i++) {
        err = model_set_feature_name(model, i, from->features[i].name);
        model->features[i].map = from->features[i].map;
        for (const BuiltinOption *o = from->features[i].options; !err && o && o->name; o++)
            err = model_set_feature_option(model, i, o->name, o->value);
    }
    return err;
}

static VmafModel *instantiate(const BuiltinModel *from, const VmafModelConfig *cfg, unsigned number)
{
    VmafModel *model = model_create(cfg, number);
    if (model && (fill(model, from) || model_complete(model, cfg))) {
        model_destroy(model);
        return NULL;
    }
    return model;
}

int model_load_builtin(VmafModel **model, VmafModelCollection **collection,
                       const VmafModelConfig *cfg, const char *version, Reason *why)
{
    VmafModel *base = NULL;
    VmafModelCollection *members = NULL;

    *model = NULL;
    if (collection)
        *collection = NULL;
    const BuiltinVersion *found = builtin_versions;
    while (found->name && strcmp(found->name, version) != 0)
        found++;
    if (!found->name)
        return -EINVAL;
    if (found->is_collection && !collection)
        return MODEL_IS_COLLECTION;
    if (!found->is_collection && collection)
        return reason_set(why, -EINVAL, "it is a single model");

    base = instantiate(&found->models[0], cfg, 0);
    if (!base)
        goto fail;
    if (collection) {
        members = model_collection_create(cfg);
        if (!members)
            goto fail;
        for (unsigned i = 1; i < found->n_models; i++) {
            VmafModel *member = instantiate(&found->models[i], cfg, i);
            if (!member || model_collection_add(members, member, why)) {
                model_destroy(member);
                goto fail;
            }
        }
        *collection = members;
    }
    *model = base;
    return 0;

fail:
    model_destroy(base);
    model_collection_destroy(members);
    return reason_set(why, -ENOMEM, "out of memory");
}
