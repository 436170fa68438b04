/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "metrics/ssimulacra2/ssimulacra2_colour.h"

#include <stdbool.h>

#include "metrics/common/math/math_functions.h"
#include "metrics/ssimulacra2/ssimulacra2_options.h"

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
