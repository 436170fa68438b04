/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/ssimulacra2/ssimulacra2.h"

#include <stdbool.h>

#include "metrics/common/math/math_functions.h"
#include "metrics/ssimulacra2/ssimulacra2_kernel.h"

const OptionSpec ssimulacra2_option_specs[] = {
    {.name = "yuv_matrix",
     .help = "0: BT.709 limited range, 1: BT.601 limited, 2: BT.709 full, 3: BT.601 full",
     .type = OPTION_INT,
     .flags = OPTION_ACCUMULATE,
     .offset = offsetof(Ssimulacra2Options, yuv_matrix),
     .default_value = SSIMULACRA2_BT709_LIMITED,
     .min = SSIMULACRA2_BT709_LIMITED,
     .max = SSIMULACRA2_BT601_FULL},
    {0},
};

/* Offsets are those of 8 bits at every depth, and chroma is centred on half the peak: both differ
 * from the standards by less than a code value, and are part of the metric. */
Ssimulacra2Conversion ssimulacra2_conversion(int matrix, unsigned bpc)
{
    const bool is_full = matrix == SSIMULACRA2_BT709_FULL || matrix == SSIMULACRA2_BT601_FULL;
    const bool is_709 = matrix == SSIMULACRA2_BT709_LIMITED || matrix == SSIMULACRA2_BT709_FULL;
    const float r = is_709 ? 0.2126f : 0.299f;
    const float g = is_709 ? 0.7152f : 0.587f;
    const float b = is_709 ? 0.0722f : 0.114f;
    return (Ssimulacra2Conversion){
        .unit = 1.0f / (float)((1u << bpc) - 1),
        .luma_offset = is_full ? 0 : 16.0f / 255.0f,
        .luma_scale = is_full ? 1 : 255.0f / 219.0f,
        .chroma_scale = is_full ? 1 : 255.0f / 224.0f,
        .r_of_v = 2 * (1 - r),
        .g_of_u = -((2 * b) * (1 - b)) / g,
        .g_of_v = -((2 * r) * (1 - r)) / g,
        .b_of_u = 2 * (1 - b),
    };
}

/* sRGB, IEC 61966-2-1. */
static float srgb_to_linear(double v)
{
    return (float)(v <= 0.04045 ? v / 12.92 : math_pow((v + 0.055) / 1.055, 2.4));
}

void ssimulacra2_transfer_init(Ssimulacra2Segment transfer[SSIMULACRA2_TRANSFER_SIZE])
{
    const int last = SSIMULACRA2_TRANSFER_SIZE - 1;
    for (int i = 0; i <= last; i++)
        transfer[i].value = srgb_to_linear((double)i / last);
    for (int i = 0; i < last; i++)
        transfer[i].slope = transfer[i + 1].value - transfer[i].value;
    transfer[last].slope = 0;
}

/* Fitted by the author of the metric to subjective scores; by component, scale and norm. */
static const double weights[SSIMULACRA2_COMPONENTS][SSIMULACRA2_SCALES][SSIMULACRA2_NORMS] = {
    {
        {0, 0.0007376606707406586, 0, 0, 0.0007793481682867309, 0},
        {0, 0.0004371155730107379, 0, 1.1041726426657346, 0.00066284834129271,
         0.00015231632783718752},
        {0, 0.0016406437456599754, 0, 1.8422455520539298, 11.441172603757666, 0},
        {0.0007989109436015163, 0.000176816438078653, 0, 1.8787594979546387, 10.94906990605142, 0},
        {0.0007289346991508072, 0.9677937080626833, 0, 0.00014003424285435884, 0.9981766977854967,
         0.00031949755934435053},
        {0.0004550992113792063, 0, 0, 0.0013648766163243398, 0, 0},
    },
    {
        {0, 0, 0, 7.466890328078848, 0, 17.445833984131262},
        {0.0006235601634041466, 0, 0, 6.683678146179332, 0.00037724407979611296, 1.027889937768264},
        {225.20515300849274, 0, 0, 19.213238186143016, 0.0011401524586618361, 0.001237755635509985},
        {176.39317598450694, 0, 0, 24.43300999870476, 0.28520802612117757, 0.0004485436923833408},
        {0, 0, 0, 34.77906344483772, 44.835625328877896, 0},
        {0, 0, 0, 0, 0, 0},
    },
    {
        {0, 0.0008680556573291698, 0, 0, 0, 0},
        {0, 0.0005313191874358747, 0, 0.00016533814161379112, 0, 0},
        {0, 0, 0, 0.0004179171803251336, 0.0017290828234722833, 0},
        {0.0020827005846636437, 0, 0, 8.826982764996862, 23.19243343998926, 0},
        {95.1080498811086, 0.9863978034400682, 0.9834382792465353, 0.0012286405048278493,
         171.2667255897307, 0.9807858872435379},
        {0, 0, 0, 0.0005130064588990679, 0, 0.00010854057858411537},
    },
};

Ssimulacra2Sizes ssimulacra2_sizes(unsigned w, unsigned h)
{
    Ssimulacra2Sizes sizes = {0};
    while (sizes.n_scales < SSIMULACRA2_SCALES && w >= SSIMULACRA2_MIN_SIZE &&
           h >= SSIMULACRA2_MIN_SIZE) {
        sizes.w[sizes.n_scales] = w;
        sizes.h[sizes.n_scales] = h;
        sizes.n_scales++;
        w = w / 2 + w % 2;
        h = h / 2 + h % 2;
    }
    return sizes;
}

double ssimulacra2_weight(unsigned component, unsigned scale, unsigned norm)
{
    return weights[component][scale][norm];
}

Ssimulacra2Work ssimulacra2_work(unsigned component, unsigned scale)
{
    Ssimulacra2Work work = {0};
    for (unsigned norm = 0; norm < SSIMULACRA2_NORMS; norm++) {
        if (!ssimulacra2_has_weight(component, scale, norm))
            continue;
        work.norms |= 1u << norm;
        if (norm == SSIMULACRA2_SSIM1 || norm == SSIMULACRA2_SSIM4)
            work.ssim = true;
        else
            work.edges = true;
    }
    return work;
}
