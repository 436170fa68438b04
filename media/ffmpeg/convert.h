/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef MEDIA_FFMPEG_CONVERT_H
#define MEDIA_FFMPEG_CONVERT_H

/* Frames of a decoder become what is scored; see MediaConversion. */

#include "media/module_interface.h"
#include "media/ffmpeg/orientation.h"

#include <libavutil/frame.h>

typedef struct Converter Converter;

/* Makes a converter for frames like `first`. 0; negative errno, and why. */
int converter_create(Converter **converter, const AVFrame *first, Orientation orientation,
                     bool is_full_range, const MediaConversion *conversion, Message *why);
/* The planes that are used, as bits. */
unsigned converter_planes(const Converter *converter);
void converter_destroy(Converter *converter);

/* Takes `decoded` over, also if it fails. NULL planes of the result are not wanted. 0; negative
 * errno. */
int converter_apply(Converter *converter, AVFrame *decoded, AVFrame **result, Message *why);

#endif
