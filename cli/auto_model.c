/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "auto_model.h"

enum { MOST_LONG = 2560, MOST_SHORT = 1440, USUAL_RATE = 50 };

bool auto_model_is_4k(const VideoFormat *format)
{
    const bool upright = format->height > format->width;
    const unsigned longer = upright ? format->height : format->width;
    const unsigned shorter = upright ? format->width : format->height;
    return longer > MOST_LONG || shorter > MOST_SHORT;
}

const char *auto_model_version(const VideoFormat *format)
{
    return auto_model_is_4k(format) ? "vmaf_4k_v0.6.1" : "vmaf_v0.6.1";
}

void auto_model_note(const VideoFormat *format, Notes *notes)
{
    const bool is_4k = auto_model_is_4k(format);
    const double rate = format->rate_den ? format->rate_num / (double)format->rate_den : 0;
    notes_add(notes, "--model auto: %s, since %ux%u samples are %s %dx%d",
              auto_model_version(format), format->width, format->height,
              is_4k ? "more than" : "not more than", MOST_LONG, MOST_SHORT);
    if (rate > USUAL_RATE)
        notes_add(notes,
                  "--model auto: %.6g frames a second: version=%s was made for high frame rates",
                  rate, is_4k ? "vmaf_v1.0.16_hfr_1d5h_2160" : "vmaf_v1.0.16_hfr_3d0h");
}
