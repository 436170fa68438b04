/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_ENCODERS_HDR_VALUES_H
#define TUNE_ENCODERS_HDR_VALUES_H

/* Colours of HDR, as arguments of encoders say them. */

#include "tune/encoders/hdr_tags.h"
#include "tune/encoders/template.h"

typedef struct HdrTexts {
    char mastering_integers[160], mastering_decimals[320], light[32];
} HdrTexts;

/* The values that the tags know. They point into *texts. */
void hdr_values(const HdrTags *tags, HdrTexts *texts, TemplateValues *values);

#endif
