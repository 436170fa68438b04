/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_MEASURE_MEASURE_INTERNAL_H
#define TUNE_MEASURE_MEASURE_INTERNAL_H

/* Under which names the cache keeps encodes and their scores, what it keeps, and how encodes are
 * looked at. */

#include "tune/measure/measurer.h"

typedef struct MeasureKeys {
    char encode[SHA256_TEXT_SIZE], score[SHA256_TEXT_SIZE];
} MeasureKeys;

/* 0; -EINVAL; -ENOMEM; and why. */
int measure_encode_key(const MeasureOptions *options, const EncodeRequest *request,
                       MeasureKeys *keys, Message *why);

/* A NULL cache keeps and finds nothing. */

/* What was measured of the encode, but for its scores. Not to be able to write is no failure. */
void encode_record_store(TuneCache *cache, const char *key, const MeasuredEncode *measured);
bool encode_record_find(TuneCache *cache, const char *key, MeasuredEncode *measured);

void score_record_store(TuneCache *cache, const char *key, const EncodeScores *scores);
bool score_record_find(TuneCache *cache, const char *key, EncodeScores *scores);

/* Has the encode the pixel format that the user wants, if there is one? Says what of the source it
 * has no room for, which no score shows. 0; -EINVAL and why. */
int measure_check_format(const TuneSource *source, const MeasureOptions *options,
                         const StreamFacts *facts, Message *why);

#endif
