/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "loaded_model.h"

#include "catalogue.h"
#include "common/messages.h"
#include "model_file_kind.h"

#include "libvmaf/libvmaf_ext.h"

#include <errno.h>

static int load(const ModelSpec *spec, StoredModel *made)
{
    VmafModelConfig config = {.name = spec->name, .flags = spec->flags};
    if (spec->version) {
        if (catalogue_is_collection(spec->version)) {
            return vmaf_model_collection_load(&made->model, &made->collection, &config,
                                              spec->version);
        }
        return vmaf_model_load(&made->model, &config, spec->version);
    }
    if (spec->content)
        return vmaf_model_load_text(&made->model, &made->collection, &config, spec->content,
                                    spec->content_size);
    if (model_file_is_collection(spec->path)) {
        return vmaf_model_collection_load_from_path(&made->model, &made->collection, &config,
                                                    spec->path);
    }
    return vmaf_model_load_from_path(&made->model, &config, spec->path);
}

static int overload(StoredModel *made, const ModelOverload *change)
{
    VmafFeatureDictionary *options = NULL;
    int err = vmaf_feature_dictionary_set(&options, change->option, change->value);
    if (err)
        return err;
    /* Both calls take the dictionary over. */
    if (made->collection) {
        return vmaf_model_collection_feature_overload(made->model, &made->collection,
                                                      change->extractor, options);
    }
    return vmaf_model_feature_overload(made->model, change->extractor, options);
}

static int load_and_overload(const ModelSpec *spec, StoredModel *made)
{
    int err = load(spec, made);
    if (err) {
        say("problem loading model: %s%s", model_spec_label(spec), if_out_of_memory(err));
        const char *nearest =
            spec->version && err != -ENOMEM ? catalogue_suggest_model(spec->version) : NULL;
        if (nearest)
            say("did you mean \"%s\"?", nearest);
        return err;
    }
    for (unsigned i = 0; i < spec->n_overloads && !err; i++) {
        err = overload(made, &spec->overloads[i]);
        if (err) {
            say("problem overloading feature extractor \"%s\" of model: %s%s",
                spec->overloads[i].extractor, model_spec_label(spec), if_out_of_memory(err));
        }
    }
    return err;
}

static int register_features(const LoadedModel *loaded, VmafContext *vmaf)
{
    int err = vmaf_use_features_from_model(vmaf, loaded->model);
    if (!err && loaded->collection)
        err = vmaf_use_features_from_model_collection(vmaf, loaded->collection);
    return err;
}

int loaded_model_load(LoadedModel *loaded, const ModelSpec *spec, const char *version,
                      ModelStore *store, VmafContext *vmaf)
{
    StoredModel made = {0};
    *loaded = (LoadedModel){.spec = spec, .is_stored = store != NULL};
    if (spec->is_auto) {
        loaded->chosen = *spec;
        loaded->chosen.version = version;
        loaded->spec = spec = &loaded->chosen;
    }
    int err = store ? model_store_get(store, spec, load_and_overload, &made)
                    : load_and_overload(spec, &made);
    loaded->model = made.model;
    loaded->collection = made.collection;
    if (!err) {
        err = register_features(loaded, vmaf);
        if (err) {
            say("problem loading feature extractors from model: %s%s", model_spec_label(spec),
                if_out_of_memory(err));
        }
    }
    if (err)
        loaded_model_free(loaded);
    return err;
}

void loaded_model_free(LoadedModel *loaded)
{
    if (!loaded->is_stored) {
        vmaf_model_collection_destroy(loaded->collection);
        vmaf_model_destroy(loaded->model);
    }
    *loaded = (LoadedModel){0};
}
