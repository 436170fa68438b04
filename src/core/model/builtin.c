/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "model/builtin/builtin.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

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

static int fill(VmafModel *model, const BuiltinModel *from)
{
    model->parameters = from->parameters;
    model->svr = from->svr;
    int err = model_set_feature_count(model, from->n_features);
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
        return refuse(why, -EINVAL, "it is a single model");

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
    return refuse(why, -ENOMEM, "out of memory");
}
