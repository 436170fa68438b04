/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "score_sense.h"

#include <string.h>

/* The first part that is in the name decides. */
static const struct {
    const char *part;
    HtmlSense sense;
} senses[] = {
    {"motion", HTML_NO_SENSE}, /* of the reference */
    {"moment", HTML_NO_SENSE},   {"_num", HTML_NO_SENSE},      {"_den", HTML_NO_SENSE},
    {"ansnr", HTML_LOW_IS_BAD},  {"mse_", HTML_HIGH_IS_BAD},   {"ciede", HTML_HIGH_IS_BAD},
    {"cambi", HTML_HIGH_IS_BAD}, {"speed_", HTML_HIGH_IS_BAD}, {"aim", HTML_HIGH_IS_BAD},
    {"adm", HTML_LOW_IS_BAD},    {"vif", HTML_LOW_IS_BAD},     {"psnr", HTML_LOW_IS_BAD},
    {"ssim", HTML_LOW_IS_BAD}, /* also of ssimulacra2 */
};

HtmlSense score_sense(const char *name)
{
    for (size_t i = 0; i < sizeof(senses) / sizeof(senses[0]); i++) {
        if (strstr(name, senses[i].part))
            return senses[i].sense;
    }
    return HTML_NO_SENSE;
}
