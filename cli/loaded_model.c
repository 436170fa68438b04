/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "loaded_model.h"

#include "catalogue.h"
#include "model_file_kind.h"
#include "text/say.h"

#include "libvmaf/libvmaf_ext.h"

#include <errno.h>

static int load(LoadedModel *loaded)
{
    const ModelSpec *spec = loaded->spec;
    VmafModelConfig config = {.name = spec->name, .flags = spec->flags};
    if (spec->version) {
        if (catalogue_is_collection(spec->version)) {
            return vmaf_model_collection_load(&loaded->model, &loaded->collection, &config,
                                              spec->version);
        }
        return vmaf_model_load(&loaded->model, &config, spec->version);
    }
    if (spec->content)
        return vmaf_model_load_text(&loaded->model, &loaded->collection, &config, spec->content,
                                    spec->content_size);
    if (model_file_is_collection(spec->path)) {
        return vmaf_model_collection_load_from_path(&loaded->model, &loaded->collection, &config,
                                                    spec->path);
    }
    return vmaf_model_load_from_path(&loaded->model, &config, spec->path);
}

static int overload(LoadedModel *loaded, const ModelOverload *change)
{
    VmafFeatureDictionary *options = NULL;
    int err = vmaf_feature_dictionary_set(&options, change->option, change->value);
    if (err)
        return err;
    /* Both calls take the dictionary over. */
    if (loaded->collection) {
        return vmaf_model_collection_feature_overload(loaded->model, &loaded->collection,
                                                      change->extractor, options);
    }
    return vmaf_model_feature_overload(loaded->model, change->extractor, options);
}

static int register_features(const LoadedModel *loaded, VmafContext *vmaf)
{
    int err = vmaf_use_features_from_model(vmaf, loaded->model);
    if (!err && loaded->collection)
        err = vmaf_use_features_from_model_collection(vmaf, loaded->collection);
    return err;
}

int loaded_model_load(LoadedModel *loaded, const ModelSpec *spec, const char *version,
                      VmafContext *vmaf)
{
    *loaded = (LoadedModel){.spec = spec};
    if (spec->is_auto) {
        loaded->chosen = *spec;
        loaded->chosen.version = version;
        loaded->spec = spec = &loaded->chosen;
    }
    int err = load(loaded);
    if (err) {
        say("problem loading model: %s%s", model_spec_label(spec), if_out_of_memory(err));
        const char *nearest =
            spec->version && err != -ENOMEM ? catalogue_suggest_model(spec->version) : NULL;
        if (nearest)
            say("did you mean \"%s\"?", nearest);
        return err;
    }
    for (unsigned i = 0; i < spec->n_overloads && !err; i++) {
        err = overload(loaded, &spec->overloads[i]);
        if (err) {
            say("problem overloading feature extractor \"%s\" of model: %s%s",
                spec->overloads[i].extractor, model_spec_label(spec), if_out_of_memory(err));
        }
    }
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
    vmaf_model_collection_destroy(loaded->collection);
    vmaf_model_destroy(loaded->model);
    *loaded = (LoadedModel){0};
}
