/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Registration of features: dictionaries, several instances, backends, introspection. */
#include "api/api_support.h"
#include "support/cases.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

CASE(unknown_extractors_are_refused_and_the_dictionary_stays)
{
    VmafContext *vmaf = open_context(0, 0);
    VmafFeatureDictionary *dict = options("enable_chroma", "false", NULL);
    assert_refused(vmaf_use_feature(vmaf, "nope", NULL));
    assert_refused(vmaf_use_feature(vmaf, "", NULL));
    assert_refused(vmaf_use_feature(vmaf, "psnr_y", NULL));
    assert_refused(vmaf_use_feature(vmaf, "nope", dict));
    assert_success(vmaf_feature_dictionary_set(&dict, "min_sse", "0.5"));
    assert_success(vmaf_feature_dictionary_free(&dict));
    assert_success(vmaf_close(vmaf));
}

typedef struct BadOption {
    const char *extractor, *option, *value;
} BadOption;

CASE(bad_values_are_refused_and_the_dictionary_stays)
{
    static const BadOption bad[] = {
        {"psnr", "enable_chroma", "foo"},
        {"psnr", "enable_chroma", "1"},
        {"psnr", "min_sse", "-1"},
        {"psnr", "min_sse", "text"},
        {"adm", "adm_enhn_gain_limit", "0.5"},
        {"adm", "adm_enhn_gain_limit", "101"},
        {"adm", "adm_csf_mode", "4"},
        {"adm", "adm_csf_mode", "-1"},
        {"vif", "vif_enhn_gain_limit", "0"},
        {"motion", "motion_force_zero", "True"},
        {"motion", "motion_max_val", "10001"},
        {"motion", "motion_fps_weight", ""},
    };
    VmafContext *vmaf = open_context(0, 0);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        VmafFeatureDictionary *dict = options(bad[i].option, bad[i].value, NULL);
        int err = vmaf_use_feature(vmaf, bad[i].extractor, dict);
        if (err != -EINVAL)
            fail_msg("%s=%s=%s: %d", bad[i].extractor, bad[i].option, bad[i].value, err);
        assert_success(vmaf_feature_dictionary_set(&dict, bad[i].option, "again"));
        assert_success(vmaf_feature_dictionary_free(&dict));
    }
    /* Nothing was registered, so a flush has no features without frames. */
    flush_and_close(vmaf);
}

CASE(unknown_options_are_ignored)
{
    VmafContext *vmaf = open_context(0, 0);
    use(vmaf, "vif", options("egl", "1.2", "no_such_option", "text", NULL));
    read_frames(vmaf, tiny, 1);
    assert_true(has_feature_score(vmaf, "VMAF_integer_feature_vif_scale0_score", 0));
    assert_success(vmaf_close(vmaf));
}

CASE(options_show_in_keys)
{
    VmafContext *vmaf = open_context(0, 0);
    use(vmaf, "adm", options("adm_enhn_gain_limit", "1.0", NULL));
    use(vmaf, "adm", options("adm_enhn_gain_limit", "100", NULL));
    use(vmaf, "vif", options("vif_enhn_gain_limit", "1.2", NULL));
    use(vmaf, "motion", options("motion_max_val", "18", NULL));
    read_clip(vmaf, clip_f, CLIP_F_FRAMES);
    expect_score(feature_score(vmaf, "integer_adm2_egl_1", 0), 0.97487671844118207);
    expect_score(feature_score(vmaf, "VMAF_integer_feature_adm2_score", 0), 0.98439982141529148);
    assert_true(has_feature_score(vmaf, "integer_adm_scale0_egl_1", 0));
    assert_true(has_feature_score(vmaf, "integer_vif_scale0_egl_1.2", 0));
    assert_true(has_feature_score(vmaf, "VMAF_integer_feature_motion_sad_score_mmxv_18", 1));
    assert_true(has_feature_score(vmaf, "integer_motion2_mmxv_18", 1));
    assert_false(has_feature_score(vmaf, "integer_adm2", 0));
    assert_success(vmaf_close(vmaf));
}

CASE(asking_twice_for_the_same_gives_one_instance)
{
    VmafContext *vmaf = open_context(0, 0);
    VmafModel *model = load_model("vmaf_v0.6.1");
    use(vmaf, "psnr", NULL);
    use(vmaf, "psnr", NULL);
    use(vmaf, "psnr", options("enable_chroma", "true", NULL));
    use(vmaf, "adm", NULL);
    assert_success(vmaf_use_features_from_model(vmaf, model));
    assert_success(vmaf_use_features_from_model(vmaf, model));
    read_clip(vmaf, clip_f, CLIP_F_FRAMES);
    expect_score(model_score(vmaf, model, 3), 97.6126093470737);

    char *csv = report_text(vmaf, VMAF_OUTPUT_FORMAT_CSV);
    csv[strcspn(csv, "\n")] = '\0';
    assert_string_equal(
        csv, "Frame,psnr_y,psnr_cb,psnr_cr,integer_adm2,integer_aim,integer_adm3,"
             "integer_adm_scale0,integer_adm_scale1,integer_adm_scale2,integer_adm_scale3,"
             "VMAF_integer_feature_motion_sad_score,integer_vif_scale0,integer_vif_scale1,"
             "integer_vif_scale2,integer_vif_scale3,integer_motion2,integer_motion3,vmaf,");
    free(csv);
    close_with_model(vmaf, model);
}

/* Options that do not appear in keys: a later instance gets them appended. */
CASE(instances_that_differ_invisibly_get_keys_of_their_own)
{
    VmafContext *vmaf = open_context(0, 0);
    use(vmaf, "psnr", options("enable_chroma", "false", NULL));
    use(vmaf, "psnr", options("enable_mse", "true", NULL));
    use(vmaf, "psnr", options("enable_chroma", "false", "enable_mse", "true", NULL));
    use(vmaf, "psnr", options("enable_mse", "true", NULL));
    read_clip(vmaf, clip_f, 2);

    expect_score(feature_score(vmaf, "psnr_y", 1), 28.339342079723142);
    assert_false(has_feature_score(vmaf, "psnr_cb", 1));
    assert_false(has_feature_score(vmaf, "mse_y", 1));
    expect_score(feature_score(vmaf, "psnr_cb_enable_chroma_true_enable_mse_true", 1),
                 31.85737177719183);
    assert_true(has_feature_score(vmaf, "mse_y_enable_chroma_true_enable_mse_true", 1));
    expect_score(feature_score(vmaf, "psnr_y_enable_mse_true", 1), 28.339342079723142);
    assert_true(has_feature_score(vmaf, "mse_y_enable_mse_true", 1));

    char *csv = report_text(vmaf, VMAF_OUTPUT_FORMAT_CSV);
    csv[strcspn(csv, "\n")] = '\0';
    assert_string_equal(csv, "Frame,psnr_y,psnr_y_enable_chroma_true_enable_mse_true,"
                             "mse_y_enable_chroma_true_enable_mse_true,"
                             "psnr_cb_enable_chroma_true_enable_mse_true,"
                             "mse_cb_enable_chroma_true_enable_mse_true,"
                             "psnr_cr_enable_chroma_true_enable_mse_true,"
                             "mse_cr_enable_chroma_true_enable_mse_true,"
                             "psnr_y_enable_mse_true,mse_y_enable_mse_true,");
    free(csv);
    assert_success(vmaf_close(vmaf));
}

CASE(aggregates_of_a_later_instance_get_names_of_their_own)
{
    VmafContext *vmaf = open_context(0, 0);
    use(vmaf, "psnr", options("enable_apsnr", "true", NULL));
    use(vmaf, "psnr", options("enable_apsnr", "true", "min_sse", "1000", NULL));
    read_clip(vmaf, clip_f, 2);
    char *xml = report_text(vmaf, VMAF_OUTPUT_FORMAT_XML);
    assert_non_null(strstr(xml, " apsnr_y=\""));
    assert_non_null(strstr(xml, " apsnr_y_min_sse_1000=\""));
    free(xml);
    assert_success(vmaf_close(vmaf));
}

CASE(models_never_add_instances_that_differ_invisibly)
{
    VmafModel *model = load_model("vmaf_v0.6.1");
    VmafContext *vmaf = open_context(0, 0);
    use(vmaf, "adm", options("debug", "true", NULL));
    assert_success(vmaf_use_features_from_model(vmaf, model));
    read_frames(vmaf, clip_f, 2);
    assert_true(has_feature_score(vmaf, "integer_adm", 0));
    assert_true(has_feature_score(vmaf, "VMAF_integer_feature_adm2_score", 0));
    expect_score(model_score(vmaf, model, 0), 88.088684460453138);
    assert_success(vmaf_close(vmaf));

    vmaf = open_context(0, 0);
    assert_success(vmaf_use_features_from_model(vmaf, model));
    use(vmaf, "adm", options("debug", "true", NULL));
    read_frames(vmaf, clip_f, 2);
    assert_false(has_feature_score(vmaf, "integer_adm", 0));
    expect_score(feature_score(vmaf, "integer_adm2_debug_true", 0),
                 feature_score(vmaf, "VMAF_integer_feature_adm2_score", 0));
    assert_true(has_feature_score(vmaf, "integer_adm_debug_true", 0));
    close_with_model(vmaf, model);
}

CASE(overloads_change_what_a_model_registers)
{
    VmafModel *model = load_model("vmaf_v0.6.1");
    assert_success(
        vmaf_model_feature_overload(model, "adm", options("adm_enhn_gain_limit", "1", NULL)));
    assert_success(
        vmaf_model_feature_overload(model, "vif", options("vif_enhn_gain_limit", "1.0", NULL)));
    VmafContext *vmaf = open_with_model(0, 0, model);
    read_frames(vmaf, clip_f, 3);
    expect_score(model_score(vmaf, model, 0), 85.917667851500667);
    close_with_model(vmaf, model);
    model = load_model("vmaf_v0.6.1");
    assert_success(
        vmaf_model_feature_overload(model, "adm", options("adm_enhn_gain_limit", "0.1", NULL)));
    vmaf = open_context(0, 0);
    assert_refused(vmaf_use_features_from_model(vmaf, model));
    close_with_model(vmaf, model);
}

CASE(overloads_reach_all_members_of_a_collection)
{
    VmafModelConfig cfg = {0};
    VmafModel *base;
    VmafModelCollection *collection;
    assert_success(vmaf_model_collection_load(&base, &collection, &cfg, "vmaf_b_v0.6.3"));
    assert_success(vmaf_model_collection_feature_overload(
        base, &collection, "adm", options("adm_enhn_gain_limit", "1", NULL)));
    VmafContext *vmaf = open_context(0, 0);
    assert_success(vmaf_use_features_from_model_collection(vmaf, collection));
    read_frames(vmaf, clip_f, 2);
    VmafModelCollectionScore score;
    assert_success(vmaf_score_at_index_model_collection(vmaf, collection, &score, 0));
    model_score(vmaf, base, 0);
    assert_true(has_feature_score(vmaf, "integer_adm2_egl_1", 0));
    assert_false(has_feature_score(vmaf, "VMAF_integer_feature_adm2_score", 0));
    vmaf_model_collection_destroy(collection);
    close_with_model(vmaf, base);
}

/* This build has no backend but the CPU. */
CASE(backends_are_selected_by_name_before_the_first_pair)
{
    VmafContext *vmaf = open_with_features(0, 0, "psnr", NULL);
    assert_success(vmaf_backend_select(vmaf, "auto", -1));
    assert_success(vmaf_backend_select(vmaf, "cpu", -1));
    assert_refused(vmaf_backend_select(vmaf, "no such name", -1));
    assert_int_equal(vmaf_backend_select(vmaf, "nosuchbackend", -1), -EBUSY);
    assert_refused(vmaf_backend_select(vmaf, "", -1));
    assert_refused(vmaf_backend_select(vmaf, "cpu", -2));
    read_frames(vmaf, tiny, 1);
    assert_int_equal(vmaf_backend_select(vmaf, "cpu", -1), -EBUSY);
    assert_true(has_feature_score(vmaf, "psnr_y", 0));
    assert_success(vmaf_close(vmaf));
}

CASE(a_backend_that_is_not_there_is_refused_and_says_why)
{
    VmafContext *vmaf = open_context(0, 0);
    assert_int_equal(vmaf_backend_select(vmaf, "nosuchbackend", -1), -ENODEV);
    VmafBackendStatus status = {.struct_size = sizeof(status)};
    assert_success(vmaf_backend_status(vmaf, &status));
    assert_int_equal(status.phase, VMAF_BACKEND_PHASE_FAILED);
    assert_int_equal(status.availability, VMAF_AVAILABILITY_PLUGIN_NOT_FOUND);
    assert_string_equal(status.name, "nosuchbackend");
    assert_non_null(status.reason);
    assert_success(vmaf_close(vmaf));
}

CASE(every_extractor_and_option_is_described)
{
    unsigned n_extractors = 0;
    bool has_vif = false;
    VmafExtractorInfo info = {.struct_size = sizeof(info)};
    for (; vmaf_extractor_info(n_extractors, &info) == 0; n_extractors++) {
        assert_true(strlen(info.name) > 0);
        assert_true(strlen(info.summary) > 0);
        has_vif = has_vif || !strcmp(info.name, "vif");
        for (unsigned i = 0; i < info.n_options; i++) {
            VmafOptionInfo option = {.struct_size = sizeof(option)};
            assert_success(vmaf_extractor_option_info(info.name, i, &option));
            assert_true(strlen(option.name) > 0);
            if (!option.help || !*option.help)
                fail_msg("option %s of %s has no help", option.name, info.name);
            assert_in_range(option.type, VMAF_OPTION_TYPE_BOOL, VMAF_OPTION_TYPE_STRING);
            if (option.type == VMAF_OPTION_TYPE_INT || option.type == VMAF_OPTION_TYPE_DOUBLE)
                assert_true(option.min <= option.max);
        }
        VmafOptionInfo option = {.struct_size = sizeof(option)};
        assert_int_equal(vmaf_extractor_option_info(info.name, info.n_options, &option), -ERANGE);
        VmafContext *vmaf = open_context(0, 0);
        use(vmaf, info.name, NULL);
        assert_success(vmaf_close(vmaf));
    }
    assert_true(n_extractors >= 5);
    assert_true(has_vif);
    assert_int_equal(vmaf_extractor_info(n_extractors, &info), -ERANGE);
    assert_int_equal(vmaf_extractor_info(4294967295u, &info), -ERANGE);
}

static VmafOptionInfo option_info(const char *extractor, const char *name)
{
    VmafOptionInfo info = {.struct_size = sizeof(info)};
    for (unsigned i = 0; vmaf_extractor_option_info(extractor, i, &info) == 0; i++) {
        if (!strcmp(info.name, name))
            return info;
    }
    fail_msg("%s has no option %s", extractor, name);
    return info;
}

CASE(option_tables_tell_defaults_and_ranges)
{
    VmafOptionInfo info = option_info("adm", "adm_enhn_gain_limit");
    assert_int_equal(info.type, VMAF_OPTION_TYPE_DOUBLE);
    assert_string_equal(info.alias, "egl");
    expect_score(info.default_value, 100);
    expect_score(info.min, 1);
    expect_score(info.max, 100);
    info = option_info("psnr", "enable_chroma");
    assert_int_equal(info.type, VMAF_OPTION_TYPE_BOOL);
    assert_null(info.alias);
    expect_score(info.default_value, 1);
    info = option_info("adm", "adm_csf_mode");
    assert_int_equal(info.type, VMAF_OPTION_TYPE_INT);
    expect_score(info.max, 3);
}

CASE(built_in_models_load_as_they_are_listed)
{
    unsigned count = 0, n_collections = 0;
    VmafBuiltinModelInfo info = {.struct_size = sizeof(info)};
    for (; vmaf_builtin_model_info(count, &info) == 0; count++) {
        VmafModelConfig cfg = {0};
        VmafModel *model;
        VmafModelCollection *collection = NULL;
        if (info.is_collection)
            assert_success(vmaf_model_collection_load(&model, &collection, &cfg, info.name));
        else
            assert_success(vmaf_model_load(&model, &cfg, info.name));
        n_collections += info.is_collection != 0;
        vmaf_model_destroy(model);
        vmaf_model_collection_destroy(collection);
    }
    assert_true(count >= 17);
    assert_true(n_collections >= 1);
    assert_int_equal(vmaf_builtin_model_info(count, &info), -ERANGE);
}

/* A program compiled with a shorter structure receives the part that it knows. */
CASE(structures_may_be_shorter_than_the_library_knows)
{
    VmafExtractorInfo info, untouched;
    memset(&untouched, 0x5a, sizeof(untouched));
    info = untouched;
    info.struct_size = offsetof(VmafExtractorInfo, summary);
    assert_success(vmaf_extractor_info(0, &info));
    assert_true(strlen(info.name) > 0);
    assert_memory_equal(&info.summary, &untouched.summary,
                        sizeof(info) - offsetof(VmafExtractorInfo, summary));
    info.struct_size = 0;
    assert_refused(vmaf_extractor_info(0, &info));

    VmafOptionInfo option = {.struct_size = sizeof(option)};
    VmafBuiltinModelInfo model = {.struct_size = 0};
    assert_refused(vmaf_builtin_model_info(0, &model));
    assert_refused(vmaf_builtin_model_info(0, NULL));
    assert_refused(vmaf_extractor_info(0, NULL));
    assert_refused(vmaf_extractor_option_info(NULL, 0, &option));
    assert_refused(vmaf_extractor_option_info("adm", 0, NULL));
    assert_refused(vmaf_extractor_option_info("nope", 0, &option));
    option.struct_size = 1;
    assert_refused(vmaf_extractor_option_info("adm", 0, &option));
}
