/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/* Under which keys a model looks up its features, and how overloads change them. */

#include <errno.h>
#include <string.h>

#include "model/model_internal.h"
#include "support/cases.h"

static VmafModel *load(const char *version)
{
    VmafModelConfig cfg = {0};
    VmafModel *model = NULL;
    assert_int_equal(vmaf_model_load(&model, &cfg, version), 0);
    return model;
}

static VmafFeatureDictionary *option(const char *name, const char *value)
{
    VmafFeatureDictionary *dict = NULL;
    assert_int_equal(vmaf_feature_dictionary_set(&dict, name, value), 0);
    return dict;
}

static void overload(VmafModel *model, const char *feature, const char *name, const char *value)
{
    assert_int_equal(vmaf_model_feature_overload(model, feature, option(name, value)), 0);
}

static void assert_keys(const VmafModel *model, const char *const keys[])
{
    for (unsigned i = 0; i < model_feature_count(model); i++) {
        Reason why;
        const char *key = model_feature_key(model, i, &why);
        if (!key)
            fail_msg("%s: %s", model_feature_name(model, i), why.text);
        assert_string_equal(key, keys[i]);
    }
}

static const char *const classic_keys[] = {
    "VMAF_integer_feature_adm2_score",       "VMAF_integer_feature_motion2_score",
    "VMAF_integer_feature_vif_scale0_score", "VMAF_integer_feature_vif_scale1_score",
    "VMAF_integer_feature_vif_scale2_score", "VMAF_integer_feature_vif_scale3_score",
};

static const char *const neg_keys[] = {
    "integer_adm2_egl_1",       "VMAF_integer_feature_motion2_score", "integer_vif_scale0_egl_1",
    "integer_vif_scale1_egl_1", "integer_vif_scale2_egl_1",           "integer_vif_scale3_egl_1",
};

CASE(options_of_the_model_show_in_keys)
{
    VmafModel *classic = load("vmaf_v0.6.1"), *neg = load("vmaf_v0.6.1neg");
    assert_keys(classic, classic_keys);
    assert_keys(neg, neg_keys);
    assert_null(model_feature_options(classic, 0));
    assert_string_equal(dictionary_get(model_feature_options(neg, 0), "adm_enhn_gain_limit"), "1");
    assert_null(model_feature_options(neg, 1));
    vmaf_model_destroy(classic);
    vmaf_model_destroy(neg);
}

CASE(v1_models_name_their_viewing_conditions)
{
    static const char *const expected[][3] = {
        {"vmaf_v1.0.16_3d0h", "integer_adm3_csf_2_dlmw_0.7_egl_1_min_0.5_nw_0.02",
         "integer_motion3_mmxv_18"},
        {"vmaf_v1.0.16_hfr_3d0h_2160", "integer_adm3_csf_2_dlmw_0.7_egl_1_min_0.5_nw_0.02_rdh_2160",
         "integer_motion3_mffw_mmxv_18_mma"},
        {"vmaf_v1.0.16_5d0h", "integer_adm3_csf_2_dlmw_0.7_egl_1_min_0.5_nw_0.02_nvd_5",
         "integer_motion3_mmxv_18"},
        {"vmaf_v1.0.16_hfr_1d5h_2160",
         "integer_adm3_csf_2_dlmw_0.7_egl_1_min_0.5_nw_0.02_nvd_1.5_rdh_2160",
         "integer_motion3_mffw_mmxv_18_mma"},
    };
    for (unsigned i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
        VmafModel *model = load(expected[i][0]);
        assert_string_equal(model_feature_key(model, 2, NULL), expected[i][1]);
        assert_string_equal(model_feature_key(model, 3, NULL), expected[i][2]);
        vmaf_model_destroy(model);
    }
}

CASE(overloading_the_gain_limits_makes_the_neg_model)
{
    VmafModel *model = load("vmaf_v0.6.1");
    overload(model, "adm", "adm_enhn_gain_limit", "1.0");
    overload(model, "vif", "vif_enhn_gain_limit", "1.0");
    assert_keys(model, neg_keys);
    /* Back to the default: the plain key again. */
    overload(model, "adm", "adm_enhn_gain_limit", "100");
    assert_string_equal(model_feature_key(model, 0, NULL), classic_keys[0]);
    vmaf_model_destroy(model);
}

CASE(overloads_of_others_change_nothing)
{
    VmafModel *model = load("vmaf_v0.6.1");
    overload(model, "nosuch", "x", "1");
    overload(model, "psnr", "enable_chroma", "false");
    overload(model, "adm", "nosuch", "1");
    assert_keys(model, classic_keys);
    vmaf_model_destroy(model);
}

CASE(value_out_of_range_leaves_a_reason_instead_of_a_key)
{
    Reason why;
    VmafModel *model = load("vmaf_v0.6.1");
    overload(model, "adm", "adm_enhn_gain_limit", "0.1");
    assert_null(model_feature_key(model, 0, &why));
    assert_non_null(strstr(why.text, "adm_enhn_gain_limit"));
    assert_string_equal(model_feature_key(model, 1, NULL), classic_keys[1]);
    /* A later overload repairs it. */
    overload(model, "adm", "adm_enhn_gain_limit", "1");
    assert_string_equal(model_feature_key(model, 0, NULL), neg_keys[0]);
    vmaf_model_destroy(model);
}

CASE(feature_that_nobody_provides_leaves_a_reason)
{
    VmafModelConfig cfg = {0};
    VmafModel *model = model_create(&cfg, 0);
    Reason why;
    assert_int_equal(model_set_feature_count(model, 1), 0);
    assert_int_equal(model_set_feature_name(model, 0, "VMAF_feature_ansnr_score"), 0);
    assert_int_equal(model_complete(model, &cfg), 0);
    assert_null(model_feature_key(model, 0, &why));
    assert_non_null(strstr(why.text, "VMAF_feature_ansnr_score"));
    assert_null(model_feature_key(model, 0, NULL));
    vmaf_model_destroy(model);
}

CASE(collection_overload_reaches_members_and_base)
{
    VmafModelConfig cfg = {.name = "boot"};
    VmafModel *base;
    VmafModelCollection *collection;
    assert_int_equal(vmaf_model_collection_load(&base, &collection, &cfg, "vmaf_b_v0.6.3"), 0);
    assert_int_equal(vmaf_model_collection_feature_overload(base, &collection, "adm",
                                                            option("adm_enhn_gain_limit", "1.0")),
                     0);
    assert_int_equal(vmaf_model_collection_feature_overload(base, &collection, "vif",
                                                            option("vif_enhn_gain_limit", "1.0")),
                     0);
    assert_keys(base, neg_keys);
    for (unsigned i = 0; i < model_collection_size(collection); i++)
        assert_keys(model_collection_member(collection, i), neg_keys);
    vmaf_model_collection_destroy(collection);
    vmaf_model_destroy(base);
}

CASE(names_follow_the_configuration)
{
    VmafModelConfig cfg = {.name = "boot"};
    VmafModel *base, *plain = load("vmaf_v0.6.1");
    VmafModelCollection *collection;
    assert_string_equal(model_name(plain), "vmaf");
    assert_int_equal(vmaf_model_collection_load(&base, &collection, &cfg, "vmaf_b_v0.6.3"), 0);
    assert_string_equal(model_name(base), "boot");
    assert_string_equal(model_collection_name(collection), "boot");
    assert_string_equal(model_name(model_collection_member(collection, 0)), "boot_0001");
    assert_string_equal(model_name(model_collection_member(collection, 19)), "boot_0020");
    vmaf_model_collection_destroy(collection);
    vmaf_model_destroy(base);
    vmaf_model_destroy(plain);
}

CASE(every_listed_version_loads_as_what_it_is)
{
    VmafModelConfig cfg = {0};
    unsigned count = 0;
    int is_collection;
    for (const char *version; (version = builtin_model_name(count, &is_collection)); count++) {
        VmafModel *model = NULL, *base = NULL;
        VmafModelCollection *collection = NULL;
        int single = vmaf_model_load(&model, &cfg, version);
        int several = vmaf_model_collection_load(&base, &collection, &cfg, version);
        assert_int_equal(single, is_collection ? -EINVAL : 0);
        assert_int_equal(several, is_collection ? 0 : -EINVAL);
        assert_true((model != NULL) == !is_collection);
        assert_true((base != NULL && collection != NULL) == is_collection);
        vmaf_model_destroy(model);
        vmaf_model_destroy(base);
        vmaf_model_collection_destroy(collection);
    }
    assert_int_equal(count, 17);
    assert_string_equal(builtin_model_name(0, NULL), "vmaf_v0.6.1");
    assert_null(builtin_model_name(1000, NULL));
}

CASE(unknown_versions_and_null_arguments_are_refused)
{
    VmafModelConfig cfg = {0};
    VmafModel *const stale = (VmafModel *)&cfg;
    VmafModel *model = stale;
    VmafModelCollection *collection = (VmafModelCollection *)&cfg;

    assert_int_equal(vmaf_model_load(&model, &cfg, "vmaf_v0.6.2"), -EINVAL);
    assert_null(model);
    model = stale;
    assert_int_equal(vmaf_model_load(&model, &cfg, "VMAF_V0.6.1"), -EINVAL);
    assert_null(model);
    model = stale;
    assert_int_equal(vmaf_model_collection_load(&model, &collection, &cfg, "nosuch"), -EINVAL);
    assert_null(model);
    assert_null(collection);

    assert_int_equal(vmaf_model_load(NULL, &cfg, "vmaf_v0.6.1"), -EINVAL);
    assert_int_equal(vmaf_model_load(&model, NULL, "vmaf_v0.6.1"), -EINVAL);
    assert_int_equal(vmaf_model_load(&model, &cfg, NULL), -EINVAL);
    assert_int_equal(vmaf_model_load_from_path(&model, &cfg, NULL), -EINVAL);
    assert_int_equal(vmaf_model_collection_load(&model, NULL, &cfg, "vmaf_b_v0.6.3"), -EINVAL);
    assert_int_equal(vmaf_model_collection_load_from_path(&model, &collection, &cfg, NULL),
                     -EINVAL);
    vmaf_model_destroy(NULL);
    vmaf_model_collection_destroy(NULL);
}

CASE(refused_overload_leaves_the_dictionary_to_the_caller)
{
    VmafModel *model = load("vmaf_v0.6.1");
    VmafModelCollection *none = NULL;
    VmafFeatureDictionary *dict = option("adm_enhn_gain_limit", "1.0");
    assert_int_equal(vmaf_model_feature_overload(NULL, "adm", dict), -EINVAL);
    assert_int_equal(vmaf_model_feature_overload(model, NULL, dict), -EINVAL);
    assert_int_equal(vmaf_model_feature_overload(model, "adm", NULL), -EINVAL);
    assert_int_equal(vmaf_model_collection_feature_overload(model, &none, "adm", dict), -EINVAL);
    assert_int_equal(vmaf_model_collection_feature_overload(model, NULL, "adm", dict), -EINVAL);
    assert_int_equal(vmaf_feature_dictionary_free(&dict), 0);
    vmaf_model_destroy(model);
}
