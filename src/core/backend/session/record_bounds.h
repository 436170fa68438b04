/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CORE_BACKEND_SESSION_RECORD_BOUNDS_H
#define CORE_BACKEND_SESSION_RECORD_BOUNDS_H

/* The records of backend_records.h, and whether one respects the bounds that are stated there. */

#include "feature/extractor.h"

typedef struct RecordKind {
    const char *id; /* also the name of the extractor whose record it is */
    uint32_t version;
    size_t size;
    bool (*within_bounds)(const void *record, const void *options, const PictureFormat *format);
} RecordKind;

/* NULL if the record of this extractor is not public. */
const RecordKind *record_kind_of(const FeatureExtractor *extractor);

#endif
