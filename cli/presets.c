/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "presets.h"

#include <stddef.h>
#include <string.h>

static const char *const aom_models[] = {
    "version=vmaf_v0.6.1:name=vmaf",
    "version=vmaf_v0.6.1neg:name=vmaf_neg",
    NULL,
};

static const char *const aom_features[] = {
    "psnr=reduced_hbd_peak=true:enable_apsnr=true:min_sse=0.5",
    "ciede",
    "float_ssim=enable_db=true:clip_db=true",
    "float_ms_ssim=enable_db=true:clip_db=true",
    "psnr_hvs",
    NULL,
};

static const char *const aom_features_with_cambi[] = {
    "psnr=reduced_hbd_peak=true:enable_apsnr=true:min_sse=0.5",
    "ciede",
    "float_ssim=enable_db=true:clip_db=true",
    "float_ms_ssim=enable_db=true:clip_db=true",
    "psnr_hvs",
    "cambi",
    NULL,
};

static const char *const nflx_models[] = {
    "version=vmaf_4k_v0.6.1:name=vmaf",
    "version=vmaf_4k_v0.6.1neg:name=vmaf_neg",
    NULL,
};

static const char *const nflx_features[] = {
    "psnr=enable_chroma=true:enable_apsnr=true",
    "float_ssim=enable_db=true:clip_db=true",
    "cambi",
    NULL,
};

typedef struct NamedPreset {
    const char *version;
    Preset preset;
} NamedPreset;

static const NamedPreset aom_presets[] = {
    {"v1.0", {aom_models, aom_features, NULL, false}},
    {"v2.0", {aom_models, aom_features, NULL, false}},
    {"v3.0", {aom_models, aom_features_with_cambi, NULL, false}},
    {"v4.0", {aom_models, aom_features_with_cambi, NULL, false}},
    {"v5.0", {aom_models, aom_features_with_cambi, NULL, false}},
    {"v6.0", {aom_models, aom_features_with_cambi, NULL, true}},
    /* Full-resolution SSIM; the place of the entry decides the order of columns. */
    {"v7.0",
     {aom_models, aom_features_with_cambi, "float_ssim=scale=1:enable_db=true:clip_db=true", true}},
};

static const NamedPreset nflx_presets[] = {
    {"v1.0", {nflx_models, nflx_features, NULL, false}},
};

static const Preset *find(const NamedPreset *presets, size_t count, const char *version)
{
    for (size_t i = 0; i < count; i++) {
        if (!strcmp(presets[i].version, version))
            return &presets[i].preset;
    }
    return NULL;
}

const Preset *preset_aom_ctc(const char *version)
{
    return find(aom_presets, sizeof(aom_presets) / sizeof(aom_presets[0]), version);
}

const Preset *preset_nflx_ctc(const char *version)
{
    return find(nflx_presets, sizeof(nflx_presets) / sizeof(nflx_presets[0]), version);
}
