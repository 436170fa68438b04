/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "media/ffmpeg/layout.h"

#include <errno.h>
#include <libavutil/imgutils.h>
#include <libavutil/pixdesc.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

static bool is_little_endian(void)
{
    const uint16_t one = 1;
    return *(const uint8_t *)&one;
}

enum AVPixelFormat layout_without_range(enum AVPixelFormat format)
{
    switch (format) {
    case AV_PIX_FMT_YUVJ420P:
        return AV_PIX_FMT_YUV420P;
    case AV_PIX_FMT_YUVJ422P:
        return AV_PIX_FMT_YUV422P;
    case AV_PIX_FMT_YUVJ444P:
        return AV_PIX_FMT_YUV444P;
    case AV_PIX_FMT_YUVJ440P:
        return AV_PIX_FMT_YUV440P;
    case AV_PIX_FMT_YUVJ411P:
        return AV_PIX_FMT_YUV411P;
    default:
        return format;
    }
}

/* Chroma as pictures have it, and what it was if that is something else. */
static enum VmafPixelFormat nearest_chroma(const AVPixFmtDescriptor *desc, const char **other)
{
    static const struct {
        unsigned w, h;
        enum VmafPixelFormat nearest;
        const char *other;
    } table[] = {
        {1, 1, VMAF_PIX_FMT_YUV420P, ""},      {1, 0, VMAF_PIX_FMT_YUV422P, ""},
        {0, 0, VMAF_PIX_FMT_YUV444P, ""},      {2, 2, VMAF_PIX_FMT_YUV420P, "4:1:0"},
        {2, 0, VMAF_PIX_FMT_YUV422P, "4:1:1"}, {0, 1, VMAF_PIX_FMT_YUV444P, "4:4:0"},
    };
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        if (desc->log2_chroma_w == table[i].w && desc->log2_chroma_h == table[i].h) {
            *other = table[i].other;
            return table[i].nearest;
        }
    }
    *other = "other chroma";
    return VMAF_PIX_FMT_YUV444P;
}

/* Components lie where pictures of ours have them. */
static bool is_planar(const AVPixFmtDescriptor *desc, unsigned n_planes)
{
    const bool big = desc->flags & AV_PIX_FMT_FLAG_BE;
    if (desc->comp[0].depth > 8 && big == is_little_endian())
        return false;
    for (unsigned c = 0; c < n_planes; c++) {
        const AVComponentDescriptor *component = &desc->comp[c];
        if (component->plane != (int)c || component->shift || component->offset ||
            component->step != (component->depth > 8 ? 2 : 1))
            return false;
    }
    return true;
}

int layout_describe(enum AVPixelFormat format, Layout *layout)
{
    const AVPixFmtDescriptor *desc = av_pix_fmt_desc_get(format);
    if (!desc || desc->flags & (AV_PIX_FMT_FLAG_HWACCEL | AV_PIX_FMT_FLAG_BAYER))
        return -ENOTSUP;
    int depth = desc->comp[0].depth;
    const bool is_float = desc->flags & AV_PIX_FMT_FLAG_FLOAT;
    const bool is_coded = desc->flags & (AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BITSTREAM);
    for (int c = 1; c < desc->nb_components && c < 3; c++)
        depth = desc->comp[c].depth > depth ? desc->comp[c].depth : depth;
    const bool is_gray = desc->nb_components < 3 && !(desc->flags & AV_PIX_FMT_FLAG_PAL);
    const bool is_xyz = !strncmp(desc->name, "xyz", 3);
    *layout = (Layout){.other = ""};
    layout->bit_depth = is_float || depth > 16 ? 16 : depth < 8 || is_coded ? 8 : (unsigned)depth;
    layout->is_rgb = !is_gray && (is_xyz || desc->flags & AV_PIX_FMT_FLAG_RGB ||
                                  desc->flags & AV_PIX_FMT_FLAG_PAL);
    layout->is_full = layout->is_rgb || layout_without_range(format) != format;
    layout->pixel_format = is_gray          ? VMAF_PIX_FMT_YUV400P
                           : layout->is_rgb ? VMAF_PIX_FMT_YUV444P
                                            : nearest_chroma(desc, &layout->other);
    layout->is_exact = !layout->is_rgb && !is_float && !is_coded && depth >= 8 && !layout->other[0];
    layout->is_planar = layout->is_exact && is_planar(desc, is_gray ? 1 : 3);
    return 0;
}

enum AVPixelFormat layout_planar(enum VmafPixelFormat pixel_format, unsigned bit_depth)
{
    static const struct {
        unsigned depth;
        enum AVPixelFormat gray, yuv420, yuv422, yuv444;
    } table[] = {
        {8, AV_PIX_FMT_GRAY8, AV_PIX_FMT_YUV420P, AV_PIX_FMT_YUV422P, AV_PIX_FMT_YUV444P},
        {9, AV_PIX_FMT_GRAY9, AV_PIX_FMT_YUV420P9, AV_PIX_FMT_YUV422P9, AV_PIX_FMT_YUV444P9},
        {10, AV_PIX_FMT_GRAY10, AV_PIX_FMT_YUV420P10, AV_PIX_FMT_YUV422P10, AV_PIX_FMT_YUV444P10},
        {12, AV_PIX_FMT_GRAY12, AV_PIX_FMT_YUV420P12, AV_PIX_FMT_YUV422P12, AV_PIX_FMT_YUV444P12},
        {14, AV_PIX_FMT_GRAY14, AV_PIX_FMT_YUV420P14, AV_PIX_FMT_YUV422P14, AV_PIX_FMT_YUV444P14},
        {16, AV_PIX_FMT_GRAY16, AV_PIX_FMT_YUV420P16, AV_PIX_FMT_YUV422P16, AV_PIX_FMT_YUV444P16},
    };
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        if (table[i].depth != bit_depth)
            continue;
        switch (pixel_format) {
        case VMAF_PIX_FMT_YUV400P:
            return table[i].gray;
        case VMAF_PIX_FMT_YUV420P:
            return table[i].yuv420;
        case VMAF_PIX_FMT_YUV422P:
            return table[i].yuv422;
        case VMAF_PIX_FMT_YUV444P:
            return table[i].yuv444;
        default:
            return AV_PIX_FMT_NONE;
        }
    }
    return AV_PIX_FMT_NONE;
}

/* A row of samples in words: shifted, and stored as the picture has them. */
static void store_row(uint8_t *to, const uint16_t *row, int width, unsigned shift, bool wide)
{
    if (!wide) {
        for (int x = 0; x < width; x++)
            to[x] = (uint8_t)row[x];
        return;
    }
    for (int x = 0; x < width; x++) {
        const uint16_t word = (uint16_t)(row[x] << shift);
        memcpy(to + 2 * x, &word, sizeof(word));
    }
}

/* Bytes of every `step`-th place: what decoders of devices give. */
static void store_bytes(uint8_t *to, const uint8_t *from, int step, int width, unsigned shift,
                        bool wide)
{
    if (!wide) {
        for (int x = 0; x < width; x++)
            to[x] = from[(ptrdiff_t)x * step];
        return;
    }
    for (int x = 0; x < width; x++) {
        const uint16_t word = (uint16_t)((unsigned)from[(ptrdiff_t)x * step] << shift);
        memcpy(to + 2 * x, &word, sizeof(word));
    }
}

static void gather_plane(AVFrame *to, const AVFrame *from, unsigned plane, unsigned shift,
                         uint16_t *row)
{
    const AVPixFmtDescriptor *desc = av_pix_fmt_desc_get(from->format);
    const AVPixFmtDescriptor *result = av_pix_fmt_desc_get(to->format);
    const AVComponentDescriptor *component = &desc->comp[plane];
    const bool wide = result->comp[0].depth > 8;
    const int width = plane ? AV_CEIL_RSHIFT(to->width, result->log2_chroma_w) : to->width;
    const int height = plane ? AV_CEIL_RSHIFT(to->height, result->log2_chroma_h) : to->height;
    for (int y = 0; y < height; y++) {
        uint8_t *out = to->data[plane] + (ptrdiff_t)y * to->linesize[plane];
        if (component->depth == 8 && !component->shift) {
            const uint8_t *in = from->data[component->plane] + component->offset +
                                (ptrdiff_t)y * from->linesize[component->plane];
            store_bytes(out, in, component->step, width, shift, wide);
            continue;
        }
        av_read_image_line(row, (const uint8_t **)from->data, from->linesize, desc, 0, y,
                           (int)plane, width, 0);
        store_row(out, row, width, shift, wide);
    }
}

void layout_gather(AVFrame *to, const AVFrame *from, unsigned shift, unsigned planes)
{
    const AVPixFmtDescriptor *result = av_pix_fmt_desc_get(to->format);
    uint16_t *row = av_malloc_array((size_t)to->width, sizeof(*row));
    for (unsigned p = 0; row && p < result->nb_components; p++) {
        if (planes >> p & 1)
            gather_plane(to, from, p, shift, row);
    }
    av_free(row);
}

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
