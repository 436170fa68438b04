/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef TUNE_ENCODERS_HDR_TAGS_H
#define TUNE_ENCODERS_HDR_TAGS_H

/* What is known of the colours of an HDR video. Primaries are always those of BT.2020. */

#include <stdbool.h>

typedef enum HdrTransfer { HDR_PQ, HDR_HLG } HdrTransfer;

/* SMPTE ST 2086. */
typedef struct MasteringDisplay {
    bool known;
    double red[2], green[2], blue[2], white[2]; /* x and y, 0 to 1 */
    double lowest, highest;                     /* cd/m² */
} MasteringDisplay;

/* CTA-861.3; cd/m². */
typedef struct ContentLight {
    bool known;
    int maximum;       /* MaxCLL */
    int frame_average; /* MaxFALL: the highest average of a frame */
} ContentLight;

typedef struct HdrTags {
    HdrTransfer transfer;
    bool constant_luminance; /* bt2020c; else bt2020nc */
    bool full_range;
    MasteringDisplay mastering;
    ContentLight light;
} HdrTags;

#endif
