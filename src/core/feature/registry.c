/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "feature/registry.h"

#include <string.h>

#include "feature/adm/adm.h"
#include "feature/cambi/cambi.h"
#include "feature/ciede/ciede.h"
#include "feature/float_adm/float_adm.h"
#include "feature/float_ansnr/float_ansnr.h"
#include "feature/float_moment/float_moment.h"
#include "feature/float_motion/float_motion.h"
#include "feature/float_psnr/float_psnr.h"
#include "feature/float_ssim/float_ms_ssim.h"
#include "feature/float_ssim/float_ssim.h"
#include "feature/float_vif/float_vif.h"
#include "feature/motion/motion.h"
#include "feature/null.h"
#include "feature/psnr/psnr.h"
#include "feature/psnr_hvs/psnr_hvs.h"
#include "feature/ssim/ssim.h"
#include "feature/ssimulacra2/ssimulacra2.h"
#include "feature/speed/speed.h"
#include "feature/vif/vif.h"

/* One per line, in the order of libvmaf. */
/* clang-format off */
static const FeatureExtractor *const extractors[] = {
    &float_psnr_extractor,
    &float_ansnr_extractor,
    &float_adm_extractor,
    &float_vif_extractor,
    &float_motion_extractor,
    &float_moment_extractor,
    &speed_chroma_extractor,
    &speed_temporal_extractor,
    &float_ms_ssim_extractor,
    &float_ssim_extractor,
    &ciede_extractor,
    &psnr_extractor,
    &psnr_hvs_extractor,
    &adm_extractor,
    &motion_extractor,
    &vif_extractor,
    &cambi_extractor,
    &ssim_extractor,
    &ssimulacra2_extractor,
    &null_extractor,
};
/* clang-format on */

enum { N_EXTRACTORS = sizeof(extractors) / sizeof(extractors[0]) };

const FeatureExtractor *registry_get(unsigned index)
{
    return index < N_EXTRACTORS ? extractors[index] : NULL;
}

const FeatureExtractor *registry_find(const char *name)
{
    for (unsigned i = 0; i < N_EXTRACTORS; i++) {
        if (!strcmp(extractors[i]->name, name))
            return extractors[i];
    }
    return NULL;
}

static bool provides(const FeatureExtractor *extractor, const char *feature_name)
{
    for (const FeatureOutput *output = extractor->outputs; output->name; output++) {
        if ((output->flags & OUTPUT_PROVIDED) && !strcmp(output->name, feature_name))
            return true;
    }
    for (const char *const *name = extractor->also_provides; name && *name; name++) {
        if (!strcmp(*name, feature_name))
            return true;
    }
    return false;
}

const FeatureExtractor *registry_find_provider(const char *feature_name)
{
    for (unsigned i = 0; i < N_EXTRACTORS; i++) {
        if (provides(extractors[i], feature_name))
            return extractors[i];
    }
    return NULL;
}
