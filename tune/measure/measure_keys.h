/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_MEASURE_MEASURE_KEYS_H
#define TUNE_MEASURE_MEASURE_KEYS_H

/* Under which names an encode and its scores are kept. */

#include "tune/measure/measurer.h"

typedef struct MeasureKeys {
    char encode[SHA256_TEXT_SIZE], score[SHA256_TEXT_SIZE];
} MeasureKeys;

/* 0; -EINVAL; -ENOMEM; and why. */
int measure_encode_key(const TuneSource *source, const MeasureOptions *options,
                       const EncodeSpec *spec, const EncodeRequest *request, MeasureKeys *keys,
                       Message *why);

#endif
