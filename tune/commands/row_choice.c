/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "tune/commands/row_choice.h"

#include <math.h>
#include <string.h>

static int integer_of(int64_t value)
{
    return value >= -10000000 && value <= 10000000 ? (int)value : 0;
}

EncodePoint point_of_row(const Row *row, size_t source)
{
    return (EncodePoint){
        .width = integer_of(row->width),
        .height = integer_of(row->height),
        .q = integer_of(row->crf),
        .kbps = row_kbps(row),
        .score = row->vmaf_score,
        .low = row->vmaf_interval_low,
        .high = row->vmaf_interval_high,
        .source = source,
    };
}

Knob knob_of_encoder(const char *encoder)
{
    /* Encoders of Apple's VideoToolbox have a quality, all others a quantiser. */
    return (Knob){.lowest = 0,
                  .highest = 100,
                  .higher_is_better = encoder && strstr(encoder, "_videotoolbox")};
}
