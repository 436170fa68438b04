/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* clang-format off */

/*
 * Made by tools/model-tables from the model files that are published at
 * https://github.com/Netflix/vmaf under the licence BSD-2-Clause-Patent.
 * Copyright Netflix, Inc. Do not edit.
 */

#include "model/builtin/builtin.h"

static const BuiltinFeature features_0[] = {
    {"VMAF_integer_feature_adm2_score", {2.8098077502505414, -1.7993968597186747}, NULL},
    {"VMAF_integer_feature_motion2_score", {0.06264407466686016, -0.003017198086831897}, NULL},
    {"VMAF_integer_feature_vif_scale0_score", {1.222763456258933, -0.1728125095425364}, NULL},
    {"VMAF_integer_feature_vif_scale1_score", {1.5360318811084146, -0.5294309090081222}, NULL},
    {"VMAF_integer_feature_vif_scale2_score", {1.7620864995501058, -0.7577185792093722}, NULL},
    {"VMAF_integer_feature_vif_scale3_score", {2.08656468286432, -1.083428597549764}, NULL},
};

static const ModelParameters parameters_0 = {
    .type = MODEL_TYPE_SINGLE, .normalisation = NORMALISATION_LINEAR_RESCALE,
    .score_map = {0.012020766332648465, -0.3092981927591963},
    .has_clip = true, .clip_min = 0.0, .clip_max = 1e+02,
    .transform = {.enabled = false,
        .has_p0 = true, .p0 = 1.70674692,
        .has_p1 = true, .p1 = 1.72643844,
        .has_p2 = true, .p2 = -0.00705305,
        .out_lte_in = false, .out_gte_in = true},
};

static const BuiltinOption options_0[] = {
    {"adm_enhn_gain_limit", "1"},
    {NULL, NULL},
};

static const BuiltinOption options_1[] = {
    {"vif_enhn_gain_limit", "1"},
    {NULL, NULL},
};

static const BuiltinFeature features_1[] = {
    {"VMAF_integer_feature_adm2_score", {2.8098077502505414, -1.7993968597186747}, options_0},
    {"VMAF_integer_feature_motion2_score", {0.06264407466686016, -0.003017198086831897}, NULL},
    {"VMAF_integer_feature_vif_scale0_score", {1.222763456258933, -0.1728125095425364}, options_1},
    {"VMAF_integer_feature_vif_scale1_score", {1.5360318811084146, -0.5294309090081222}, options_1},
    {"VMAF_integer_feature_vif_scale2_score", {1.7620864995501058, -0.7577185792093722}, options_1},
    {"VMAF_integer_feature_vif_scale3_score", {2.08656468286432, -1.083428597549764}, options_1},
};

static const BuiltinFeature features_2[] = {
    {"VMAF_integer_feature_adm2_score", {1.853012066458466, -0.8536192302086182}, NULL},
    {"VMAF_integer_feature_motion2_score", {0.05141551931924402, -0.01336836451078975}, NULL},
    {"VMAF_integer_feature_vif_scale0_score", {1.0960374437054892, -0.09603743694887917}, NULL},
    {"VMAF_integer_feature_vif_scale1_score", {1.2189036205165853, -0.21890356649141152}, NULL},
    {"VMAF_integer_feature_vif_scale2_score", {1.3583508615652835, -0.35835059999617175}, NULL},
    {"VMAF_integer_feature_vif_scale3_score", {1.5373567703674345, -0.5373563330683786}, NULL},
};

static const ModelParameters parameters_2 = {
    .type = MODEL_TYPE_SINGLE, .normalisation = NORMALISATION_LINEAR_RESCALE,
    .score_map = {0.012388059998472608, -0.31191973282964003},
    .has_clip = true, .clip_min = 0.0, .clip_max = 1e+02,
};

static const BuiltinFeature features_3[] = {
    {"VMAF_integer_feature_adm2_score", {1.853012066458466, -0.8536192302086182}, options_0},
    {"VMAF_integer_feature_motion2_score", {0.05141551931924402, -0.01336836451078975}, NULL},
    {"VMAF_integer_feature_vif_scale0_score", {1.0960374437054892, -0.09603743694887917}, options_1},
    {"VMAF_integer_feature_vif_scale1_score", {1.2189036205165853, -0.21890356649141152}, options_1},
    {"VMAF_integer_feature_vif_scale2_score", {1.3583508615652835, -0.35835059999617175}, options_1},
    {"VMAF_integer_feature_vif_scale3_score", {1.5373567703674345, -0.5373563330683786}, options_1},
};

static const BuiltinFeature features_4[] = {
    {"VMAF_integer_feature_adm2_score", {2.7863890579902773, -1.778561646908718}, NULL},
    {"VMAF_integer_feature_motion2_score", {0.06264407466686016, -0.003017198086831897}, NULL},
    {"VMAF_integer_feature_vif_scale0_score", {1.222763456258933, -0.1728125095425364}, NULL},
    {"VMAF_integer_feature_vif_scale1_score", {1.5360318811084146, -0.5294309090081222}, NULL},
    {"VMAF_integer_feature_vif_scale2_score", {1.7620864995501058, -0.7577185792093722}, NULL},
    {"VMAF_integer_feature_vif_scale3_score", {2.08656468286432, -1.083428597549764}, NULL},
};

static const ModelParameters parameters_4 = {
    .type = MODEL_TYPE_BOOTSTRAP, .normalisation = NORMALISATION_LINEAR_RESCALE,
    .score_map = {0.012020766332648465, -0.3092981927591963},
    .has_clip = true, .clip_min = 0.0, .clip_max = 1e+02,
    .transform = {.enabled = false,
        .has_p0 = true, .p0 = 1.70674692,
        .has_p1 = true, .p1 = 1.72643844,
        .has_p2 = true, .p2 = -0.00705305,
        .out_lte_in = false, .out_gte_in = true},
};

static const BuiltinFeature features_25[] = {
    {"VMAF_feature_adm2_score", {2.8098077502505414, -1.7993968597186747}, NULL},
    {"VMAF_feature_motion2_score", {0.06264407466686016, -0.003017198086831897}, NULL},
    {"VMAF_feature_vif_scale0_score", {1.222763456258933, -0.1728125095425364}, NULL},
    {"VMAF_feature_vif_scale1_score", {1.5360318811084146, -0.5294309090081222}, NULL},
    {"VMAF_feature_vif_scale2_score", {1.7620864995501058, -0.7577185792093722}, NULL},
    {"VMAF_feature_vif_scale3_score", {2.08656468286432, -1.083428597549764}, NULL},
};

static const BuiltinFeature features_26[] = {
    {"VMAF_feature_adm2_score", {2.8098077502505414, -1.7993968597186747}, options_0},
    {"VMAF_feature_motion2_score", {0.06264407466686016, -0.003017198086831897}, NULL},
    {"VMAF_feature_vif_scale0_score", {1.222763456258933, -0.1728125095425364}, options_1},
    {"VMAF_feature_vif_scale1_score", {1.5360318811084146, -0.5294309090081222}, options_1},
    {"VMAF_feature_vif_scale2_score", {1.7620864995501058, -0.7577185792093722}, options_1},
    {"VMAF_feature_vif_scale3_score", {2.08656468286432, -1.083428597549764}, options_1},
};

static const BuiltinFeature features_27[] = {
    {"VMAF_feature_adm2_score", {1.853012066458466, -0.8536192302086182}, NULL},
    {"VMAF_feature_motion2_score", {0.05141551931924402, -0.01336836451078975}, NULL},
    {"VMAF_feature_vif_scale0_score", {1.0960374437054892, -0.09603743694887917}, NULL},
    {"VMAF_feature_vif_scale1_score", {1.2189036205165853, -0.21890356649141152}, NULL},
    {"VMAF_feature_vif_scale2_score", {1.3583508615652835, -0.35835059999617175}, NULL},
    {"VMAF_feature_vif_scale3_score", {1.5373567703674345, -0.5373563330683786}, NULL},
};

static const BuiltinFeature features_28[] = {
    {"VMAF_feature_adm2_score", {2.7863890579902773, -1.778561646908718}, NULL},
    {"VMAF_feature_motion2_score", {0.06264407466686016, -0.003017198086831897}, NULL},
    {"VMAF_feature_vif_scale0_score", {1.222763456258933, -0.1728125095425364}, NULL},
    {"VMAF_feature_vif_scale1_score", {1.5360318811084146, -0.5294309090081222}, NULL},
    {"VMAF_feature_vif_scale2_score", {1.7620864995501058, -0.7577185792093722}, NULL},
    {"VMAF_feature_vif_scale3_score", {2.08656468286432, -1.083428597549764}, NULL},
};

static const BuiltinOption options_2[] = {
    {"cambi_high_res_speedup", "1080"},
    {"cambi_vis_lum_threshold", "0.06"},
    {"cambi_max_val", "17"},
    {NULL, NULL},
};

static const BuiltinOption options_3[] = {
    {"speed_kernelscale", "1"},
    {"speed_nn_floor", "0.1"},
    {"speed_sigma_nn", "0.19"},
    {"speed_weight_var_mode", "5"},
    {"speed_max_val", "45"},
    {NULL, NULL},
};

static const BuiltinOption options_4[] = {
    {"adm_dlm_weight", "0.7"},
    {"adm_enhn_gain_limit", "1"},
    {"adm_noise_weight", "0.02"},
    {"adm_norm_view_dist", "3"},
    {"adm_ref_display_height", "1080"},
    {"adm_min_val", "0.5"},
    {"adm_csf_mode", "2"},
    {NULL, NULL},
};

static const BuiltinOption options_5[] = {
    {"motion_max_val", "18"},
    {NULL, NULL},
};

static const BuiltinFeature features_49[] = {
    {"Cambi_feature_cambi_score", {0.07265168094288038, -0.00016348141788834398}, options_2},
    {"Speed_chroma_feature_speed_chroma_uv_score", {0.03147688934068315, -0.014977474082856242}, options_3},
    {"VMAF_integer_feature_adm3_score", {4.044462665497729, -3.0226057825839794}, options_4},
    {"VMAF_integer_feature_motion3_score", {0.06242930101138472, -0.003051650363248205}, options_5},
};

static const ModelParameters parameters_49 = {
    .type = MODEL_TYPE_SINGLE, .normalisation = NORMALISATION_LINEAR_RESCALE,
    .score_map = {0.012020766332648467, -0.30712690585348135},
    .has_clip = true, .clip_min = 0.0, .clip_max = 1e+02,
    .chroma_correction = 1.2e+02,
    .transform = {.enabled = true,
        .has_p0 = true, .p0 = 5.30624188,
        .has_p1 = true, .p1 = 0.980791305,
        .has_p2 = true, .p2 = -0.000490758318,
        .out_lte_in = false, .out_gte_in = false},
};

static const BuiltinOption options_6[] = {
    {"speed_nn_floor", "0.1"},
    {"speed_sigma_nn", "0.19"},
    {"speed_weight_var_mode", "5"},
    {"speed_prescale", "0.6"},
    {"speed_prescale_method", "bilinear"},
    {"speed_max_val", "45"},
    {NULL, NULL},
};

static const BuiltinOption options_7[] = {
    {"adm_dlm_weight", "0.7"},
    {"adm_enhn_gain_limit", "1"},
    {"adm_noise_weight", "0.02"},
    {"adm_norm_view_dist", "5"},
    {"adm_ref_display_height", "1080"},
    {"adm_min_val", "0.5"},
    {"adm_csf_mode", "2"},
    {NULL, NULL},
};

static const BuiltinFeature features_50[] = {
    {"Cambi_feature_cambi_score", {0.07265168094288038, -0.00016348141788834398}, options_2},
    {"Speed_chroma_feature_speed_chroma_uv_score", {0.03147688934068315, -0.014977474082856242}, options_6},
    {"VMAF_integer_feature_adm3_score", {4.044462665497729, -3.0226057825839794}, options_7},
    {"VMAF_integer_feature_motion3_score", {0.06242930101138472, -0.003051650363248205}, options_5},
};

static const BuiltinOption options_8[] = {
    {"speed_nn_floor", "0.1"},
    {"speed_sigma_nn", "0.19"},
    {"speed_weight_var_mode", "5"},
    {"speed_prescale", "0.5"},
    {"speed_prescale_method", "bilinear"},
    {"speed_max_val", "45"},
    {NULL, NULL},
};

static const BuiltinOption options_9[] = {
    {"adm_dlm_weight", "0.7"},
    {"adm_enhn_gain_limit", "1"},
    {"adm_noise_weight", "0.02"},
    {"adm_norm_view_dist", "3"},
    {"adm_ref_display_height", "2160"},
    {"adm_min_val", "0.5"},
    {"adm_csf_mode", "2"},
    {NULL, NULL},
};

static const BuiltinFeature features_51[] = {
    {"Cambi_feature_cambi_score", {0.07265168094288038, -0.00016348141788834398}, options_2},
    {"Speed_chroma_feature_speed_chroma_uv_score", {0.03147688934068315, -0.014977474082856242}, options_8},
    {"VMAF_integer_feature_adm3_score", {4.044462665497729, -3.0226057825839794}, options_9},
    {"VMAF_integer_feature_motion3_score", {0.06242930101138472, -0.003051650363248205}, options_5},
};

static const ModelParameters parameters_51 = {
    .type = MODEL_TYPE_SINGLE, .normalisation = NORMALISATION_LINEAR_RESCALE,
    .score_map = {0.012020766332648467, -0.30712690585348135},
    .has_clip = true, .clip_min = 0.0, .clip_max = 1.1e+02,
    .chroma_correction = 1.2e+02,
    .transform = {.enabled = true,
        .has_p0 = true, .p0 = 5.0,
        .has_p1 = true, .p1 = 1.0,
        .has_p2 = true, .p2 = 0.0,
        .out_lte_in = false, .out_gte_in = false},
};

static const BuiltinOption options_10[] = {
    {"speed_nn_floor", "0.1"},
    {"speed_sigma_nn", "0.19"},
    {"speed_weight_var_mode", "5"},
    {"speed_max_val", "45"},
    {NULL, NULL},
};

static const BuiltinOption options_11[] = {
    {"adm_dlm_weight", "0.7"},
    {"adm_enhn_gain_limit", "1"},
    {"adm_noise_weight", "0.02"},
    {"adm_norm_view_dist", "1.5"},
    {"adm_ref_display_height", "2160"},
    {"adm_min_val", "0.5"},
    {"adm_csf_mode", "2"},
    {NULL, NULL},
};

static const BuiltinFeature features_52[] = {
    {"Cambi_feature_cambi_score", {0.07265168094288038, -0.00016348141788834398}, options_2},
    {"Speed_chroma_feature_speed_chroma_uv_score", {0.03147688934068315, -0.014977474082856242}, options_10},
    {"VMAF_integer_feature_adm3_score", {4.044462665497729, -3.0226057825839794}, options_11},
    {"VMAF_integer_feature_motion3_score", {0.06242930101138472, -0.003051650363248205}, options_5},
};

static const ModelParameters parameters_52 = {
    .type = MODEL_TYPE_SINGLE, .normalisation = NORMALISATION_LINEAR_RESCALE,
    .score_map = {0.012020766332648467, -0.30712690585348135},
    .has_clip = true, .clip_min = 0.0, .clip_max = 1e+02,
    .chroma_correction = 1.2e+02,
    .transform = {.enabled = true,
        .has_p0 = true, .p0 = 0.0,
        .has_p1 = true, .p1 = 1.0,
        .has_p2 = true, .p2 = 0.0,
        .out_lte_in = false, .out_gte_in = false},
};

static const BuiltinOption options_12[] = {
    {"motion_max_val", "18"},
    {"motion_five_frame_window", "true"},
    {"motion_moving_average", "true"},
    {NULL, NULL},
};

static const BuiltinFeature features_53[] = {
    {"Cambi_feature_cambi_score", {0.07265168094288038, -0.00016348141788834398}, options_2},
    {"Speed_chroma_feature_speed_chroma_uv_score", {0.03147688934068315, -0.014977474082856242}, options_3},
    {"VMAF_integer_feature_adm3_score", {4.044462665497729, -3.0226057825839794}, options_4},
    {"VMAF_integer_feature_motion3_score", {0.06242930101138472, -0.003051650363248205}, options_12},
};

static const BuiltinFeature features_54[] = {
    {"Cambi_feature_cambi_score", {0.07265168094288038, -0.00016348141788834398}, options_2},
    {"Speed_chroma_feature_speed_chroma_uv_score", {0.03147688934068315, -0.014977474082856242}, options_6},
    {"VMAF_integer_feature_adm3_score", {4.044462665497729, -3.0226057825839794}, options_7},
    {"VMAF_integer_feature_motion3_score", {0.06242930101138472, -0.003051650363248205}, options_12},
};

static const BuiltinFeature features_55[] = {
    {"Cambi_feature_cambi_score", {0.07265168094288038, -0.00016348141788834398}, options_2},
    {"Speed_chroma_feature_speed_chroma_uv_score", {0.03147688934068315, -0.014977474082856242}, options_8},
    {"VMAF_integer_feature_adm3_score", {4.044462665497729, -3.0226057825839794}, options_9},
    {"VMAF_integer_feature_motion3_score", {0.06242930101138472, -0.003051650363248205}, options_12},
};

static const BuiltinFeature features_56[] = {
    {"Cambi_feature_cambi_score", {0.07265168094288038, -0.00016348141788834398}, options_2},
    {"Speed_chroma_feature_speed_chroma_uv_score", {0.03147688934068315, -0.014977474082856242}, options_10},
    {"VMAF_integer_feature_adm3_score", {4.044462665497729, -3.0226057825839794}, options_11},
    {"VMAF_integer_feature_motion3_score", {0.06242930101138472, -0.003051650363248205}, options_12},
};

static const BuiltinModel vmaf_v0_6_1[1] = {
    {&parameters_0, features_0, 6, &builtin_svrs[0]},
};

static const BuiltinModel vmaf_v0_6_1neg[1] = {
    {&parameters_0, features_1, 6, &builtin_svrs[0]},
};

static const BuiltinModel vmaf_4k_v0_6_1[1] = {
    {&parameters_2, features_2, 6, &builtin_svrs[1]},
};

static const BuiltinModel vmaf_4k_v0_6_1neg[1] = {
    {&parameters_2, features_3, 6, &builtin_svrs[1]},
};

static const BuiltinModel vmaf_b_v0_6_3[21] = {
    {&parameters_4, features_4, 6, &builtin_svrs[2]},
    {&parameters_4, features_4, 6, &builtin_svrs[3]},
    {&parameters_4, features_4, 6, &builtin_svrs[4]},
    {&parameters_4, features_4, 6, &builtin_svrs[5]},
    {&parameters_4, features_4, 6, &builtin_svrs[6]},
    {&parameters_4, features_4, 6, &builtin_svrs[7]},
    {&parameters_4, features_4, 6, &builtin_svrs[8]},
    {&parameters_4, features_4, 6, &builtin_svrs[9]},
    {&parameters_4, features_4, 6, &builtin_svrs[10]},
    {&parameters_4, features_4, 6, &builtin_svrs[11]},
    {&parameters_4, features_4, 6, &builtin_svrs[12]},
    {&parameters_4, features_4, 6, &builtin_svrs[13]},
    {&parameters_4, features_4, 6, &builtin_svrs[14]},
    {&parameters_4, features_4, 6, &builtin_svrs[15]},
    {&parameters_4, features_4, 6, &builtin_svrs[16]},
    {&parameters_4, features_4, 6, &builtin_svrs[17]},
    {&parameters_4, features_4, 6, &builtin_svrs[18]},
    {&parameters_4, features_4, 6, &builtin_svrs[19]},
    {&parameters_4, features_4, 6, &builtin_svrs[20]},
    {&parameters_4, features_4, 6, &builtin_svrs[21]},
    {&parameters_4, features_4, 6, &builtin_svrs[22]},
};

static const BuiltinModel vmaf_float_v0_6_1[1] = {
    {&parameters_0, features_25, 6, &builtin_svrs[0]},
};

static const BuiltinModel vmaf_float_v0_6_1neg[1] = {
    {&parameters_0, features_26, 6, &builtin_svrs[0]},
};

static const BuiltinModel vmaf_float_4k_v0_6_1[1] = {
    {&parameters_2, features_27, 6, &builtin_svrs[1]},
};

static const BuiltinModel vmaf_float_b_v0_6_3[21] = {
    {&parameters_4, features_28, 6, &builtin_svrs[2]},
    {&parameters_4, features_28, 6, &builtin_svrs[3]},
    {&parameters_4, features_28, 6, &builtin_svrs[4]},
    {&parameters_4, features_28, 6, &builtin_svrs[5]},
    {&parameters_4, features_28, 6, &builtin_svrs[6]},
    {&parameters_4, features_28, 6, &builtin_svrs[7]},
    {&parameters_4, features_28, 6, &builtin_svrs[8]},
    {&parameters_4, features_28, 6, &builtin_svrs[9]},
    {&parameters_4, features_28, 6, &builtin_svrs[10]},
    {&parameters_4, features_28, 6, &builtin_svrs[11]},
    {&parameters_4, features_28, 6, &builtin_svrs[12]},
    {&parameters_4, features_28, 6, &builtin_svrs[13]},
    {&parameters_4, features_28, 6, &builtin_svrs[14]},
    {&parameters_4, features_28, 6, &builtin_svrs[15]},
    {&parameters_4, features_28, 6, &builtin_svrs[16]},
    {&parameters_4, features_28, 6, &builtin_svrs[17]},
    {&parameters_4, features_28, 6, &builtin_svrs[18]},
    {&parameters_4, features_28, 6, &builtin_svrs[19]},
    {&parameters_4, features_28, 6, &builtin_svrs[20]},
    {&parameters_4, features_28, 6, &builtin_svrs[21]},
    {&parameters_4, features_28, 6, &builtin_svrs[22]},
};

static const BuiltinModel vmaf_v1_0_16_3d0h[1] = {
    {&parameters_49, features_49, 4, &builtin_svrs[23]},
};

static const BuiltinModel vmaf_v1_0_16_5d0h[1] = {
    {&parameters_49, features_50, 4, &builtin_svrs[23]},
};

static const BuiltinModel vmaf_v1_0_16_3d0h_2160[1] = {
    {&parameters_51, features_51, 4, &builtin_svrs[23]},
};

static const BuiltinModel vmaf_v1_0_16_1d5h_2160[1] = {
    {&parameters_52, features_52, 4, &builtin_svrs[23]},
};

static const BuiltinModel vmaf_v1_0_16_hfr_3d0h[1] = {
    {&parameters_49, features_53, 4, &builtin_svrs[23]},
};

static const BuiltinModel vmaf_v1_0_16_hfr_5d0h[1] = {
    {&parameters_49, features_54, 4, &builtin_svrs[23]},
};

static const BuiltinModel vmaf_v1_0_16_hfr_3d0h_2160[1] = {
    {&parameters_51, features_55, 4, &builtin_svrs[23]},
};

static const BuiltinModel vmaf_v1_0_16_hfr_1d5h_2160[1] = {
    {&parameters_52, features_56, 4, &builtin_svrs[23]},
};

const BuiltinVersion builtin_versions[] = {
    {"vmaf_v0.6.1", false, 1, vmaf_v0_6_1,
     "5950d61fa1f861bd45d8149d80539ed9f3376cfc2495b8f0fa8e9f57cb131ee3"},
    {"vmaf_v0.6.1neg", false, 1, vmaf_v0_6_1neg,
     "1fcda193aaa2a3136471b7516b3c5dc344546c05fcde2d58609f8c60a2387392"},
    {"vmaf_4k_v0.6.1", false, 1, vmaf_4k_v0_6_1,
     "73b187001309703c89d57cf58baab01660bd11e4ea6fac62bc064c5f5da6dac8"},
    {"vmaf_4k_v0.6.1neg", false, 1, vmaf_4k_v0_6_1neg,
     "f92048bf94401a5b915f551eb248709275c61df5f20d062a3ae010dcf4d4e8fc"},
    {"vmaf_b_v0.6.3", true, 21, vmaf_b_v0_6_3,
     "34f620dbaff662fe7d33dd80326553c2cc3910e4135349ba4c367171d3a3cfbd"},
    {"vmaf_float_v0.6.1", false, 1, vmaf_float_v0_6_1,
     "26573aa333346f1109226e7283969e8b3581119a1ab7f18897767351dd963ff8"},
    {"vmaf_float_v0.6.1neg", false, 1, vmaf_float_v0_6_1neg,
     "8ac8e9bd6153e57fed4e9809c49711ea7654da2a14ea701423187905e914597a"},
    {"vmaf_float_4k_v0.6.1", false, 1, vmaf_float_4k_v0_6_1,
     "2af34f3068174720a35126807dbe8d0b19c5143fee328a9fc2331c15c54e4433"},
    {"vmaf_float_b_v0.6.3", true, 21, vmaf_float_b_v0_6_3,
     "e32df73119386b124836910956fe8e0b0583a35638d2c518719e5a5069d0248b"},
    {"vmaf_v1.0.16_3d0h", false, 1, vmaf_v1_0_16_3d0h,
     "e4cf8c147e1368b35497d772920bc92f98c1ad7853c1033d8a836947f427140e"},
    {"vmaf_v1.0.16_5d0h", false, 1, vmaf_v1_0_16_5d0h,
     "64e12d9c1e4ed5d79da7fa515b82fac7247a9e2ccc91e0ebce31d05489500385"},
    {"vmaf_v1.0.16_3d0h_2160", false, 1, vmaf_v1_0_16_3d0h_2160,
     "77f552fd8d5b6c6a2166bfc4470c9368ec68d2425ed40f1cc235b0cc500f33c2"},
    {"vmaf_v1.0.16_1d5h_2160", false, 1, vmaf_v1_0_16_1d5h_2160,
     "634d36e0502cb797384726cdd1a106a2c207827595a9e4958d3dae1bd517b139"},
    {"vmaf_v1.0.16_hfr_3d0h", false, 1, vmaf_v1_0_16_hfr_3d0h,
     "dcfdfab1c00685c1e5f75b6f1078bb4a44c722654e4de090fa5c66784c75241b"},
    {"vmaf_v1.0.16_hfr_5d0h", false, 1, vmaf_v1_0_16_hfr_5d0h,
     "590f612c87df94badca58e563b318fa9958eac631ab8aadd73bff8cc1adfc515"},
    {"vmaf_v1.0.16_hfr_3d0h_2160", false, 1, vmaf_v1_0_16_hfr_3d0h_2160,
     "1bc502f00aeee11433e2d09468186bbf1bbce56ee650c9bade06c7435ebdd4db"},
    {"vmaf_v1.0.16_hfr_1d5h_2160", false, 1, vmaf_v1_0_16_hfr_1d5h_2160,
     "0371db55d3de81a760125f6d65eb4386f1d38af6cf1d00c2f48158e3596246d4"},
    {NULL, false, 0, NULL, NULL},
};
