/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_MEASURE_ENCODE_RECORD_H
#define TUNE_MEASURE_ENCODE_RECORD_H

/* What the cache keeps of an encode and of its scores. A NULL cache keeps and finds nothing. */

#include "tune/measure/measurer.h"

/* What was measured of the encode, but for its scores. A cache that cannot be written is no
 * failure. */
void encode_record_store(TuneCache *cache, const char *key, const MeasuredEncode *measured);
bool encode_record_find(TuneCache *cache, const char *key, MeasuredEncode *measured);

void score_record_store(TuneCache *cache, const char *key, const EncodeScores *scores);
bool score_record_find(TuneCache *cache, const char *key, EncodeScores *scores);

#endif
