/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_COMMANDS_ENCODE_RESULT_H
#define TUNE_COMMANDS_ENCODE_RESULT_H

/* What became of an encode that was made after a profile. */

#include "tune/commands/encode_profile/profile.h"
#include "tune/commands/session/session.h"
#include "tune/measure/measurer.h"

typedef struct EncodeResult {
    const TuneSource *source;
    const Encoder *encoder;
    const char *preset, *output;
    EncodeOutcome outcome;
    StreamFacts stream;
    bool is_verified;
    EncodeScores scores;
    double score; /* pooled */
    const char *pool;
    char model[256];
    bool is_calibrated;
} EncodeResult;

/* False: it was verified, and misses the target. */
bool encode_result_reaches(const EncodeResult *result, const Profile *profile);

/* A new reference; NULL without memory. */
json_t *encode_result_to_json(const EncodeResult *result, const Profile *profile);
void encode_result_print(const EncodeResult *result, const Profile *profile, FILE *out);

#endif
