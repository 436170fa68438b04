/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include <errno.h>
#include <string.h>

#include "api/api.h"
#include "libvmaf/libvmaf_ext.h"
#include "libvmaf/model.h"
#include "model/model.h"
#include "support/log.h"

static int report_builtin(int err, const char *kind, const char *version, const Reason *why)
{
    if (err == MODEL_IS_COLLECTION) {
        log_message(NULL, VMAF_LOG_LEVEL_WARNING,
                    "no such built-in model: \"%s\", it is a collection", version);
        return -EINVAL;
    }
    if (err == -EINVAL)
        log_message(NULL, VMAF_LOG_LEVEL_WARNING, "no such built-in %s: \"%s\"%s%s", kind, version,
                    *why->text ? ", " : "", why->text);
    else if (err)
        log_message(NULL, VMAF_LOG_LEVEL_ERROR, "could not load built-in %s \"%s\": %s", kind,
                    version, why->text);
    return err;
}

static int report_file(int err, const char *kind, const char *path, const Reason *why)
{
    static const char pickled[] = ".pkl";
    if (!err)
        return 0;
    if (err == MODEL_IS_COLLECTION) {
        log_message(NULL, VMAF_LOG_LEVEL_ERROR,
                    "could not read model from path: \"%s\" (it is a collection of models, which "
                    "vmaf_model_collection_load_from_path reads)",
                    path);
        return -EINVAL;
    }
    log_message(NULL, VMAF_LOG_LEVEL_ERROR, "could not read %s from path: \"%s\" (%s)", kind, path,
                why->text);
    size_t length = strlen(path), suffix = sizeof(pickled) - 1;
    if (length >= suffix && !strcmp(path + length - suffix, pickled))
        log_message(NULL, VMAF_LOG_LEVEL_ERROR,
                    "pickled models are not supported, use the JSON file of the same model");
    return err;
}

VMAF_API int vmaf_model_load(VmafModel **model, VmafModelConfig *cfg, const char *version)
{
    Reason why = {""};
    if (model)
        *model = NULL;
    if (!model || !cfg || !version)
        return -EINVAL;
    int err = model_load_builtin(model, NULL, cfg, version, &why);
    return report_builtin(err, "model", version, &why);
}

VMAF_API int vmaf_model_load_from_path(VmafModel **model, VmafModelConfig *cfg, const char *path)
{
    Reason why = {""};
    if (model)
        *model = NULL;
    if (!model || !cfg || !path)
        return -EINVAL;
    int err = model_load_file(model, NULL, cfg, path, &why);
    return report_file(err, "model", path, &why);
}

VMAF_API int vmaf_model_load_text(VmafModel **model, VmafModelCollection **model_collection,
                                  VmafModelConfig *cfg, const char *text, size_t size)
{
    Reason why = {""};
    if (model)
        *model = NULL;
    if (model_collection)
        *model_collection = NULL;
    if (!model || !model_collection || !cfg || !text)
        return -EINVAL;
    const int err = model_load_text(model, model_collection, cfg, text, size, &why);
    if (err)
        log_message(NULL, VMAF_LOG_LEVEL_ERROR, "could not read model \"%s\" from text (%s)",
                    cfg->name ? cfg->name : "vmaf", why.text);
    return err;
}

VMAF_API int vmaf_model_feature_overload(VmafModel *model, const char *feature_name,
                                         VmafFeatureDictionary *opts_dict)
{
    if (!model || !feature_name || !opts_dict)
        return -EINVAL;
    int err = model_overload(model, feature_name, opts_dict);
    dictionary_destroy(opts_dict);
    return err;
}

VMAF_API void vmaf_model_destroy(VmafModel *model)
{
    model_destroy(model);
}

VMAF_API int vmaf_model_collection_load(VmafModel **model, VmafModelCollection **model_collection,
                                        VmafModelConfig *cfg, const char *version)
{
    Reason why = {""};
    if (model)
        *model = NULL;
    if (model_collection)
        *model_collection = NULL;
    if (!model || !model_collection || !cfg || !version)
        return -EINVAL;
    int err = model_load_builtin(model, model_collection, cfg, version, &why);
    return report_builtin(err, "model collection", version, &why);
}

VMAF_API int vmaf_model_collection_load_from_path(VmafModel **model,
                                                  VmafModelCollection **model_collection,
                                                  VmafModelConfig *cfg, const char *path)
{
    Reason why = {""};
    if (model)
        *model = NULL;
    if (model_collection)
        *model_collection = NULL;
    if (!model || !model_collection || !cfg || !path)
        return -EINVAL;
    int err = model_load_file(model, model_collection, cfg, path, &why);
    return report_file(err, "model collection", path, &why);
}

VMAF_API int vmaf_model_collection_feature_overload(VmafModel *model,
                                                    VmafModelCollection **model_collection,
                                                    const char *feature_name,
                                                    VmafFeatureDictionary *opts_dict)
{
    if (!model || !model_collection || !*model_collection || !feature_name || !opts_dict)
        return -EINVAL;
    int err = 0;
    for (unsigned i = 0; !err && i < model_collection_size(*model_collection); i++)
        err =
            model_overload(model_collection_member(*model_collection, i), feature_name, opts_dict);
    if (!err)
        err = model_overload(model, feature_name, opts_dict);
    dictionary_destroy(opts_dict);
    return err;
}

VMAF_API void vmaf_model_collection_destroy(VmafModelCollection *model_collection)
{
    model_collection_destroy(model_collection);
}
