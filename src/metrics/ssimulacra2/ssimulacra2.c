/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/ssimulacra2/ssimulacra2.h"

#include <errno.h>
#include <float.h>
#include <math.h>

#include "metrics/ssimulacra2/ssimulacra2_plan.h"
#include "metrics/ssimulacra2/ssimulacra2_pool.h"

enum { OUTPUT_SCORE };

static const FeatureOutput outputs[] = {
    {"ssimulacra2", OUTPUT_PROVIDED},
    {0},
};

static size_t record_size(const void *options, const PictureFormat *format)
{
    (void)options;
    (void)format;
    return sizeof(VmafRecordSsimulacra2);
}

/*
 * What a pixel adds at most. Components are within 0 to 1.5 and blurred ones hardly beyond, so that
 * edges e are below 3, and (1 + e) / (1 + e') - 1 is above -1 and at most e. The variances that
 * dissimilarity is divided by may be small.
 */
static double most_of(unsigned norm)
{
    static const double most[SSIMULACRA2_NORMS] = {
        [SSIMULACRA2_SSIM1] = DBL_MAX, [SSIMULACRA2_RING1] = 4,   [SSIMULACRA2_BLUR1] = 1,
        [SSIMULACRA2_SSIM4] = DBL_MAX, [SSIMULACRA2_RING4] = 256, [SSIMULACRA2_BLUR4] = 1,
    };
    return most[norm];
}

static bool is_possible(const void *opaque, const void *options, const PictureFormat *format)
{
    (void)options;
    const VmafRecordSsimulacra2 *record = opaque;
    const Ssimulacra2Sizes sizes = ssimulacra2_sizes(format->w[0], format->h[0]);
    for (unsigned c = 0; c < SSIMULACRA2_COMPONENTS; c++) {
        for (unsigned s = 0; s < SSIMULACRA2_SCALES; s++) {
            const double n = s < sizes.n_scales ? (double)sizes.w[s] * (double)sizes.h[s] : 0;
            for (unsigned k = 0; k < SSIMULACRA2_NORMS; k++) {
                const double most = n > 0 && ssimulacra2_has_weight(c, s, k) ? most_of(k) : 0;
                const double sum = record->sum[c][s][k];
                if (!(sum >= 0 && sum / (n > 0 ? n : 1) <= most))
                    return false;
            }
        }
    }
    return true;
}

/* Always a whole frame: records do not merge. */
static int accumulate(const void *plan, void *scratch, const FrameInput *input, RowBand band,
                      void *const records[])
{
    (void)band;
    const VmafPicture *const pictures[2] = {input->ref, input->dist};
    ssimulacra2_accumulate(plan, scratch, pictures, records);
    return 0;
}

static int finish(const FinishInput *input, FeatureSink *sink)
{
    const Ssimulacra2Sizes sizes = ssimulacra2_sizes(input->format->w[0], input->format->h[0]);
    const double weighted_norms = ssimulacra2_weighted_norms(input->record, &sizes);
    if (!isfinite(weighted_norms))
        return -EINVAL;
    feature_sink_write(sink, OUTPUT_SCORE, ssimulacra2_score(weighted_norms));
    return 0;
}

const FeatureExtractor ssimulacra2_extractor = {
    .name = "ssimulacra2",
    .summary = "SSIMULACRA 2: structure and edges in a perceptual colour space",
    .outputs = outputs,
    .options = ssimulacra2_option_specs,
    .options_size = sizeof(Ssimulacra2Options),
    .limits = {.chroma = true},
    .needs = {.planes = PLANE_Y | PLANE_CHROMA},
    .record = {.id = VMAF_RECORD_SSIMULACRA2,
               .version = VMAF_RECORD_SSIMULACRA2_VERSION,
               .is_possible = is_possible,
               .is_bytes = true},
    .record_size = record_size,
    .plan_create = ssimulacra2_plan_create,
    .plan_destroy = ssimulacra2_plan_destroy,
    .scratch_create = ssimulacra2_scratch_create,
    .scratch_destroy = ssimulacra2_scratch_destroy,
    .accumulate = accumulate,
    .finish = finish,
};
