/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "media/ffmpeg/orientation.h"

#include <libavutil/pixdesc.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

Orientation orientation_of(const int32_t *matrix)
{
    if (!matrix)
        return (Orientation){.transpose = false};
    /* A place of the stored frame is shown at (a x + c y, b x + d y). */
    const double a = matrix[0], b = matrix[1], c = matrix[3], d = matrix[4];
    const double straight = fabs(a) + fabs(d), turned = fabs(b) + fabs(c);
    const double small = 0.02 * (straight + turned); /* FFmpeg takes a degree for nothing, too */
    if (straight + turned == 0)
        return (Orientation){.transpose = false};
    if (turned <= small)
        return (Orientation){.flip_columns = a < 0, .flip_rows = d < 0};
    if (straight <= small)
        return (Orientation){.transpose = true, .flip_columns = c < 0, .flip_rows = b < 0};
    return (Orientation){.is_oblique = true};
}

bool orientation_is_plain(Orientation orientation)
{
    return !orientation.transpose && !orientation.flip_columns && !orientation.flip_rows;
}

int orientation_degrees(Orientation orientation)
{
    if (orientation.transpose)
        return orientation.flip_columns ? 90 : 270;
    return orientation.flip_rows ? 180 : 0;
}

static void copy_sample(uint8_t *to, const uint8_t *from, size_t bytes)
{
    to[0] = from[0];
    if (bytes == 2)
        to[1] = from[1];
}

static void turn_plane(AVFrame *to, const AVFrame *from, int plane, int width, int height,
                       size_t bytes, Orientation orientation)
{
    for (int y = 0; y < height; y++) {
        const int v = orientation.flip_rows ? height - 1 - y : y;
        uint8_t *out = to->data[plane] + (ptrdiff_t)y * to->linesize[plane];
        for (int x = 0; x < width; x++) {
            const int u = orientation.flip_columns ? width - 1 - x : x;
            const int column = orientation.transpose ? v : u, row = orientation.transpose ? u : v;
            copy_sample(out + (size_t)x * bytes,
                        from->data[plane] + (ptrdiff_t)row * from->linesize[plane] +
                            (size_t)column * bytes,
                        bytes);
        }
    }
}

void orientation_apply(AVFrame *to, const AVFrame *from, Orientation orientation, unsigned planes)
{
    const AVPixFmtDescriptor *desc = av_pix_fmt_desc_get(to->format);
    const size_t bytes = desc->comp[0].depth > 8 ? 2 : 1;
    for (int p = 0; p < desc->nb_components && p < 3; p++) {
        if (!(planes >> p & 1))
            continue;
        const int width = p ? AV_CEIL_RSHIFT(to->width, desc->log2_chroma_w) : to->width;
        const int height = p ? AV_CEIL_RSHIFT(to->height, desc->log2_chroma_h) : to->height;
        turn_plane(to, from, p, width, height, bytes, orientation);
    }
}
