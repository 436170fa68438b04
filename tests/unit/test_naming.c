/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* Keys of scores: examples of libvmaf 3.2. */

#include "support/cases.h"

#include <stdlib.h>
#include <string.h>

#include "metrics/framework/extractor.h"

/* Options as "name=value:name=value". */
static Dictionary *parse(const char *text)
{
    Dictionary *dict = dictionary_create();
    char *copy = strdup(text), *rest = copy;
    for (char *item; (item = strsep(&rest, ":")) && *item;) {
        char *value = strchr(item, '=');
        *value++ = '\0';
        char buffer[32];
        assert_int_equal(dictionary_set(dict, item, option_value_normalise(value, buffer)), 0);
    }
    free(copy);
    return dict;
}

static void check(const char *extractor_name, const char *text, const char *base_name,
                  const char *expected)
{
    const FeatureExtractor *extractor = registry_find(extractor_name);
    assert_non_null(extractor);
    Dictionary *dict = parse(text);
    void *options = calloc(1, extractor->options_size);
    Reason why;
    assert_int_equal(options_parse(options, extractor->options, dict, NULL, NULL, &why), 0);
    char key[FEATURE_KEY_SIZE];
    feature_key(key, base_name, extractor->options, options);
    assert_string_equal(key, expected);
    free(options);
    dictionary_destroy(dict);
}

CASE(given_default_options_when_naming_then_base_names_stay)
{
    check("adm", "", "VMAF_integer_feature_adm2_score", "VMAF_integer_feature_adm2_score");
    check("adm", "", "integer_adm_scale0", "integer_adm_scale0");
    check("adm", "adm_enhn_gain_limit=100:adm_norm_view_dist=3.0",
          "VMAF_integer_feature_adm2_score", "VMAF_integer_feature_adm2_score");
    check("adm", "debug=true", "VMAF_integer_feature_adm2_score",
          "VMAF_integer_feature_adm2_score");
    check("psnr", "enable_mse=true", "psnr_y", "psnr_y");
}

CASE(given_other_options_when_naming_then_suffixes_follow_in_order)
{
    check("adm", "adm_enhn_gain_limit=1.0", "VMAF_integer_feature_adm2_score",
          "integer_adm2_egl_1");
    check("adm", "adm_enhn_gain_limit=1.0", "integer_adm_scale0", "integer_adm_scale0_egl_1");
    check("adm",
          "adm_dlm_weight=.7:adm_enhn_gain_limit=1:adm_noise_weight=.02:adm_norm_view_dist=5:"
          "adm_min_val=.5:adm_csf_mode=2",
          "VMAF_integer_feature_adm3_score",
          "integer_adm3_csf_2_dlmw_0.7_egl_1_min_0.5_nw_0.02_nvd_5");
    check("adm", "adm_csf_mode=3:adm_skip_scale0=true", "integer_adm_scale1",
          "integer_adm_scale1_csf_3_ssz");
    check("motion", "motion_max_val=18", "VMAF_integer_feature_motion_sad_score",
          "VMAF_integer_feature_motion_sad_score_mmxv_18");
    check("motion", "motion_max_val=18", "VMAF_integer_feature_motion2_score",
          "integer_motion2_mmxv_18");
    check("motion", "motion_five_frame_window=true:motion_moving_average=true:motion_max_val=18",
          "VMAF_integer_feature_motion3_score", "integer_motion3_mffw_mmxv_18_mma");
    check("motion", "motion_force_zero=true", "VMAF_integer_feature_motion2_score",
          "integer_motion2_force_0");
    check("motion",
          "motion_blend_factor=.5:motion_blend_offset=2.5:motion_five_frame_window=true:"
          "motion_force_zero=true:motion_fps_weight=1.5:motion_max_val=3:"
          "motion_moving_average=true",
          "VMAF_integer_feature_motion3_score",
          "integer_motion3_mbf_0.5_mbo_2.5_mffw_force_0_mfw_1.5_mmxv_3_mma");
    check("vif", "vif_enhn_gain_limit=1.2", "VMAF_integer_feature_vif_scale0_score",
          "integer_vif_scale0_egl_1.2");
    check("vif", "vif_skip_scale0=true:vif_enhn_gain_limit=1", "integer_vif_num",
          "integer_vif_num_egl_1_ssclz");
}

CASE(given_hidden_options_when_naming_a_further_instance_then_they_show)
{
    const FeatureExtractor *adm = registry_find("adm");
    void *plain = calloc(1, adm->options_size), *debug = calloc(1, adm->options_size);
    Dictionary *dict = parse("debug=true:adm_skip_aim=true:adm_enhn_gain_limit=1");
    Dictionary *limit = parse("adm_enhn_gain_limit=1");
    Reason why;
    assert_int_equal(options_parse(plain, adm->options, limit, NULL, NULL, &why), 0);
    assert_int_equal(options_parse(debug, adm->options, dict, NULL, NULL, &why), 0);
    char key[FEATURE_KEY_SIZE];
    feature_key_distinct(key, "VMAF_integer_feature_adm2_score", adm->options, debug, plain);
    assert_string_equal(key, "integer_adm2_egl_1_adm_skip_aim_true_debug_true");
    /* Options that show anyway are not named again. */
    assert_int_equal(options_parse(plain, adm->options, NULL, NULL, NULL, &why), 0);
    feature_key_distinct(key, "VMAF_integer_feature_adm2_score", adm->options, debug, plain);
    assert_string_equal(key, "integer_adm2_egl_1_adm_skip_aim_true_debug_true");
    dictionary_destroy(dict);
    dictionary_destroy(limit);
    free(plain);
    free(debug);
}

CASE(given_a_very_long_value_when_naming_then_the_key_is_cut)
{
    char value[400];
    memset(value, 'x', sizeof(value) - 1);
    value[sizeof(value) - 1] = '\0';
    static const OptionSpec specs[] = {
        {.name = "text", .type = VMAF_OPTION_TYPE_STRING, .flags = OPTION_NAMED},
        {0},
    };
    const char *options = value;
    char key[FEATURE_KEY_SIZE];
    feature_key(key, "base", specs, &options);
    assert_int_equal(strlen(key), FEATURE_KEY_SIZE - 1);
    assert_memory_equal(key, "base_text_xxx", 13);
}

CASE(given_a_key_when_looking_up_its_alias_then_only_exact_matches_count)
{
    assert_string_equal(feature_alias("VMAF_integer_feature_adm2_score"), "integer_adm2");
    assert_string_equal(feature_alias("VMAF_feature_vif_scale3_score"), "vif_scale3");
    assert_string_equal(feature_alias("Cambi_feature_cambi_score"), "cambi");
    assert_string_equal(feature_alias("VMAF_integer_feature_motion_sad_score"),
                        "VMAF_integer_feature_motion_sad_score");
    assert_string_equal(feature_alias("integer_adm2_egl_1"), "integer_adm2_egl_1");
}
