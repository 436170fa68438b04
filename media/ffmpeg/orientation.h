/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#ifndef MEDIA_FFMPEG_ORIENTATION_H
#define MEDIA_FFMPEG_ORIENTATION_H

/* The rotation and mirroring that a file asks players for. */

#include <libavutil/frame.h>
#include <stdbool.h>
#include <stdint.h>

/* Rows become columns; then columns, then rows change their order. */
typedef struct Orientation {
    bool transpose, flip_columns, flip_rows;
    bool is_oblique; /* no multiple of 90 degrees, which is not done */
} Orientation;

/* The orientation for a display matrix as files store it; NULL: none. */
Orientation orientation_of(const int32_t *matrix);
bool orientation_is_plain(Orientation orientation);
/* Clockwise: 0, 90, 180, 270, for people. */
int orientation_degrees(Orientation orientation);

/* Turns planes of 8 or 16-bit samples. `to` is allocated, in its size. */
void orientation_apply(AVFrame *to, const AVFrame *from, Orientation orientation, unsigned planes);

#endif
