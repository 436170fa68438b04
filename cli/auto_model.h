/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef CLI_AUTO_MODEL_H
#define CLI_AUTO_MODEL_H

/* The model that --model auto stands for. */

#include "media/match.h"
#include "media/video_format.h"

#include <stdbool.h>

/* Is a video of that size more than fits into 2560x1440, upright or not? */
bool auto_model_is_4k(const VideoFormat *format);
/* The built-in model for videos of that size, as a constant. */
const char *auto_model_version(const VideoFormat *format);
/* Says which it is and why; and, if there are many frames a second, which was made for them. */
void auto_model_note(const VideoFormat *format, Notes *notes);

#endif
