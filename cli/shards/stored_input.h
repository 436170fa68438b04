/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_STORED_INPUT_H
#define CLI_STORED_INPUT_H

/* What is known of the videos of a run whose records come from files: they may be gone. */

#include "media/video_format.h"

#include <stdbool.h>

typedef struct StoredVideo {
    VideoFormat format;
    const char *name; /* the file's */
    char *report;     /* what follows its name in reports, as text; to be freed */
    bool is_media;
} StoredVideo;

typedef struct StoredInput {
    StoredVideo reference, distorted;
} StoredInput;

#endif
