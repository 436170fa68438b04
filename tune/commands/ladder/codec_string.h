/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_COMMANDS_CODEC_STRING_H
#define TUNE_COMMANDS_CODEC_STRING_H

/* Names of codecs as manifests of streams have them (RFC 6381 and the mappings of the codecs to
 * ISO files). */

#include "tune/measure/measurer.h"

#include <stdbool.h>

enum { CODEC_STRING_SIZE = 48 };

/*
 * "avc1.640028", "hvc1.1.6.L120.B0", "av01.0.08M.08", "vp09.00.40.08", "vvc1.1.L64". Levels that
 * the stream does not tell are computed from its size and rate, for VP9 and AV1. False, and "", if
 * the codec or its profile is unknown.
 */
bool codec_string(const StreamFacts *facts, FrameRate rate, char text[CODEC_STRING_SIZE]);

#endif
