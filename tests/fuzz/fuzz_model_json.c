/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Input: the text of a model file. What loads is used: features are registered, a frame is
 * predicted. */
#include "fuzz.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "libvmaf/libvmaf_ext.h"

/* Base names that the seeds use; any other feature is missing, which is an error. */
static const char *const keys[] = {
    "VMAF_integer_feature_adm2_score",
    "VMAF_integer_feature_motion2_score",
    "VMAF_integer_feature_vif_scale0_score",
    "integer_adm2_egl_1",
    "integer_motion2_mmxv_50",
    "Speed_chroma_feature_speed_chroma_uv_score",
    "VMAF_integer_feature_adm3_score",
};

static VmafContext *open_context(void)
{
    VmafContext *vmaf;
    if (vmaf_init(&vmaf, (VmafConfiguration){.log_level = VMAF_LOG_LEVEL_NONE}))
        abort();
    for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++)
        vmaf_import_feature_score(vmaf, keys[k], 0.9 - 0.1 * (double)k, 0);
    return vmaf;
}

static void overload(VmafModel *model, VmafModelCollection **collection)
{
    VmafFeatureDictionary *dict = NULL;
    if (vmaf_feature_dictionary_set(&dict, "adm_enhn_gain_limit", "1.2"))
        return;
    if (collection)
        vmaf_model_collection_feature_overload(model, collection, "adm", dict);
    else
        vmaf_model_feature_overload(model, "adm", dict);
}

static void try_single(VmafModel *model)
{
    double score;
    VmafContext *vmaf = open_context();
    vmaf_use_features_from_model(vmaf, model);
    vmaf_score_at_index(vmaf, model, &score, 0);
    overload(model, NULL);
    vmaf_use_features_from_model(vmaf, model);
    vmaf_score_pooled(vmaf, model, VMAF_POOL_METHOD_HARMONIC_MEAN, &score, 0, 0);
    vmaf_close(vmaf);
}

static void try_collection(VmafModel *base, VmafModelCollection **collection)
{
    VmafModelCollectionScore score;
    VmafContext *vmaf = open_context();
    vmaf_use_features_from_model_collection(vmaf, *collection);
    vmaf_score_at_index_model_collection(vmaf, *collection, &score, 0);
    overload(base, collection);
    vmaf_score_pooled_model_collection(vmaf, *collection, VMAF_POOL_METHOD_MEAN, &score, 0, 0);
    vmaf_close(vmaf);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool is_silent;
    if (!is_silent)
        vmaf_close(open_context()); /* loading follows the log level of the last context */
    is_silent = true;

    /* The size selects the flags. */
    VmafModelConfig cfg = {.name = "m",
                           .flags = size % 2 ? VMAF_MODEL_FLAG_DISABLE_CLIP |
                                                   VMAF_MODEL_FLAG_ENABLE_TRANSFORM
                                             : VMAF_MODEL_FLAGS_DEFAULT};
    VmafModel *model;
    VmafModelCollection *collection;
    if (vmaf_model_load_text(&model, &collection, &cfg, (const char *)data, size)) {
        if (model || collection)
            abort();
        return 0;
    }
    if (collection)
        try_collection(model, &collection);
    else
        try_single(model);
    vmaf_model_collection_destroy(collection);
    vmaf_model_destroy(model);
    return 0;
}
