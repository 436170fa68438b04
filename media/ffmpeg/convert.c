/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "media/ffmpeg/ffmpeg_video.h"

#include "media/ffmpeg/layout.h"

#include <errno.h>
#include <libavutil/opt.h>
#include <libswscale/swscale.h>
#include <stdlib.h>

/* Steps that frames need, in this order; most need none. */
struct Converter {
    MediaConversion conversion;
    Orientation orientation;
    bool is_full_range; /* of the decoder's frames */

    /* Layout without rotation, where the frame has to be rotated and is not planar. */
    struct SwsContext *unpacker;
    enum AVPixelFormat unpacked;
    bool gathers_first;

    struct SwsContext *scaler; /* or all that it does: chroma, size, range, depth */
    bool gathers;              /* takes components apart, raises samples */
    enum AVPixelFormat result; /* of the two steps before */
    unsigned shift;
};

static int scaler_flags(MediaScaler scaler)
{
    static const int method[] = {
        [MEDIA_BICUBIC] = SWS_BICUBIC,
        [MEDIA_LANCZOS] = SWS_LANCZOS,
        [MEDIA_BILINEAR] = SWS_BILINEAR,
        [MEDIA_SPLINE] = SWS_SPLINE,
    };
    return method[scaler] | SWS_ACCURATE_RND | SWS_BITEXACT;
}

typedef struct Picture {
    enum AVPixelFormat format;
    int width, height;
    bool is_full;
} Picture;

/* Both of what is no RGB, which is not converted between matrices, and by which RGB becomes YUV. */
static const int *coefficients(const MediaConversion *conversion, bool is_rgb)
{
    int matrix = SWS_CS_DEFAULT; /* BT.601 */
    if (is_rgb)
        matrix = conversion->rgb_matrix ? av_color_space_from_name(conversion->rgb_matrix)
                                        : SWS_CS_ITU709;
    return sws_getCoefficients(matrix);
}

static struct SwsContext *create_scaler(Picture from, Picture to, const MediaConversion *conversion)
{
    struct SwsContext *context = sws_alloc_context();
    if (!context)
        return NULL;
    Layout layout = {.other = ""};
    (void)layout_describe(from.format, &layout);
    av_opt_set_int(context, "srcw", from.width, 0);
    av_opt_set_int(context, "srch", from.height, 0);
    av_opt_set_int(context, "src_format", layout_without_range(from.format), 0);
    av_opt_set_int(context, "src_range", from.is_full, 0);
    av_opt_set_int(context, "dstw", to.width, 0);
    av_opt_set_int(context, "dsth", to.height, 0);
    av_opt_set_int(context, "dst_format", to.format, 0);
    av_opt_set_int(context, "dst_range", to.is_full, 0);
    av_opt_set_int(context, "sws_flags", scaler_flags(conversion->scaler), 0);
    if (sws_init_context(context, NULL, NULL) < 0) {
        sws_freeContext(context);
        return NULL;
    }
    const int *matrix = coefficients(conversion, layout.is_rgb);
    /* -1 means that there is nothing to set between these formats. */
    (void)sws_setColorspaceDetails(context, matrix, from.is_full, matrix, to.is_full, 0, 1 << 16,
                                   1 << 16);
    return context;
}

static AVFrame *allocate(enum AVPixelFormat format, int width, int height)
{
    enum { ALIGNMENT = 64 };
    AVFrame *frame = av_frame_alloc();
    if (!frame)
        return NULL;
    frame->format = format;
    frame->width = width;
    frame->height = height;
    if (av_frame_get_buffer(frame, ALIGNMENT) < 0)
        av_frame_free(&frame);
    return frame;
}

/* -- what has to be done -- */

/* The format of planes whose rows have become columns: 4:2:2 on its side is 4:4:0. */
static enum AVPixelFormat on_its_side(enum AVPixelFormat planar)
{
    switch (planar) {
    case AV_PIX_FMT_YUV422P:
        return AV_PIX_FMT_YUV440P;
    case AV_PIX_FMT_YUV422P10:
        return AV_PIX_FMT_YUV440P10;
    case AV_PIX_FMT_YUV422P12:
        return AV_PIX_FMT_YUV440P12;
    default:
        return planar;
    }
}

/* Frames are rotated as planes of samples. */
static int prepare_rotation(Converter *converter, Picture *picture)
{
    Layout layout;
    (void)layout_describe(picture->format, &layout);
    enum AVPixelFormat planar = picture->format;
    if (!layout.is_planar) {
        planar = layout_planar(layout.pixel_format, layout.bit_depth);
        const Picture to = {planar, picture->width, picture->height,
                            picture->is_full && !layout.is_rgb};
        converter->gathers_first = layout.is_exact;
        if (!layout.is_exact)
            converter->unpacker = create_scaler(*picture, to, &converter->conversion);
        if (planar == AV_PIX_FMT_NONE || (!layout.is_exact && !converter->unpacker))
            return -ENOTSUP;
        picture->is_full = to.is_full;
    }
    planar = layout_without_range(planar);
    converter->unpacked = planar;
    if (converter->orientation.transpose) {
        const int width = picture->width;
        picture->width = picture->height;
        picture->height = width;
        planar = on_its_side(converter->unpacked);
        if (planar == converter->unpacked && layout.pixel_format == VMAF_PIX_FMT_YUV422P)
            return -ENOTSUP;
    }
    picture->format = planar;
    return 0;
}

static int scaled_width(const MediaConversion *to)
{
    return (int)(to->cut.width ? to->whole_width : to->format.width);
}

static int scaled_height(const MediaConversion *to)
{
    return (int)(to->cut.width ? to->whole_height : to->format.height);
}

/* Chroma that nobody looks at is as good in any format. */
static bool needs_scaler(const Converter *converter, Picture from, const Layout *layout)
{
    const MediaConversion *to = &converter->conversion;
    const bool has_chroma = to->planes & 6;
    return from.width != scaled_width(to) || from.height != scaled_height(to) || layout->is_rgb ||
           (!layout->is_exact && (has_chroma || !*layout->other)) ||
           (has_chroma && layout->pixel_format != to->format.pixel_format) ||
           from.is_full != to->is_full_range || layout->bit_depth > to->format.bit_depth;
}

static int prepare_result(Converter *converter, Picture from)
{
    const MediaConversion *to = &converter->conversion;
    Layout layout;
    (void)layout_describe(from.format, &layout);
    const bool luma_alone = !(to->planes & 6);
    const bool scales = needs_scaler(converter, from, &layout);
    const bool keeps_range = from.is_full == to->is_full_range;
    Picture result = {AV_PIX_FMT_NONE, scaled_width(to), scaled_height(to), to->is_full_range};
    enum VmafPixelFormat made = to->format.pixel_format;
    if (luma_alone && !scales) {
        made = layout.pixel_format;
    } else if (luma_alone && !keeps_range) {
        made = VMAF_PIX_FMT_YUV420P;
    } else if (luma_alone && layout.pixel_format != VMAF_PIX_FMT_YUV400P) {
        /* As gray it is scaled to the same luma. libswscale gives full range to gray of more than
         * 8 bits whatever it is told, and converts nothing between two of full range. */
        made = VMAF_PIX_FMT_YUV400P;
        from.is_full = result.is_full = true;
    }
    converter->result = layout_planar(made, to->format.bit_depth);
    if (converter->result == AV_PIX_FMT_NONE)
        return -ENOTSUP;
    if (scales) {
        result.format = converter->result;
        converter->scaler = create_scaler(from, result, to);
        return converter->scaler ? 0 : -ENOTSUP;
    }
    converter->shift = to->format.bit_depth - layout.bit_depth;
    converter->gathers = !layout.is_planar || converter->shift;
    return 0;
}

int converter_create(Converter **converter, const AVFrame *first, Orientation orientation,
                     bool is_full_range, const MediaConversion *conversion, Message *why)
{
    Converter *created = calloc(1, sizeof(*created));
    if (!created)
        return message_set(why, -ENOMEM, "out of memory");
    created->conversion = *conversion;
    created->orientation = orientation;
    created->is_full_range = is_full_range;
    Picture picture = {first->format, first->width, first->height, is_full_range};
    int err = orientation_is_plain(orientation) ? 0 : prepare_rotation(created, &picture);
    if (!err && conversion->crop.width) {
        picture.width = (int)conversion->crop.width;
        picture.height = (int)conversion->crop.height;
    }
    if (!err)
        err = prepare_result(created, picture);
    if (err) {
        converter_destroy(created);
        const char *result = av_get_pix_fmt_name(
            layout_planar(conversion->format.pixel_format, conversion->format.bit_depth));
        return message_set(why, err, "libswscale cannot make %ux%u %s of %u bits from %s",
                           conversion->format.width, conversion->format.height,
                           result ? result : "samples", conversion->format.bit_depth,
                           av_get_pix_fmt_name(first->format));
    }
    *converter = created;
    return 0;
}

void converter_destroy(Converter *converter)
{
    if (!converter)
        return;
    sws_freeContext(converter->unpacker);
    sws_freeContext(converter->scaler);
    free(converter);
}

unsigned converter_planes(const Converter *converter)
{
    return converter->conversion.planes;
}

/* -- doing it: each takes `frame` over and gives another -- */

static AVFrame *scale(struct SwsContext *scaler, AVFrame *frame, enum AVPixelFormat format,
                      int width, int height)
{
    AVFrame *to = allocate(format, width, height);
    if (to && sws_scale(scaler, (const uint8_t *const *)frame->data, frame->linesize, 0,
                        frame->height, to->data, to->linesize) < 0)
        av_frame_free(&to);
    av_frame_free(&frame);
    return to;
}

static AVFrame *gather(AVFrame *frame, enum AVPixelFormat format, unsigned shift, unsigned planes)
{
    AVFrame *to = allocate(format, frame->width, frame->height);
    if (to)
        layout_gather(to, frame, shift, planes);
    av_frame_free(&frame);
    return to;
}

static AVFrame *rotate(const Converter *converter, AVFrame *frame)
{
    const unsigned all = 7;
    if (converter->gathers_first)
        frame = gather(frame, converter->unpacked, 0, all);
    else if (converter->unpacker)
        frame = scale(converter->unpacker, frame, converter->unpacked, frame->width, frame->height);
    if (!frame)
        return NULL;
    AVFrame *to = converter->orientation.transpose
                      ? allocate(on_its_side(converter->unpacked), frame->height, frame->width)
                      : allocate(converter->unpacked, frame->width, frame->height);
    if (to)
        orientation_apply(to, frame, converter->orientation, all);
    av_frame_free(&frame);
    return to;
}

/* Fewer samples of the same planes. NULL: it failed. */
static AVFrame *crop(AVFrame *frame, const MediaCrop *inside)
{
    if (!inside->width)
        return frame;
    frame->crop_left = inside->x;
    frame->crop_top = inside->y;
    frame->crop_right = (size_t)frame->width - inside->x - inside->width;
    frame->crop_bottom = (size_t)frame->height - inside->y - inside->height;
    if (av_frame_apply_cropping(frame, AV_FRAME_CROP_UNALIGNED) < 0)
        av_frame_free(&frame);
    return frame;
}

int converter_apply(Converter *converter, AVFrame *decoded, AVFrame **result, Message *why)
{
    const MediaConversion *to = &converter->conversion;
    AVFrame *frame = decoded;
    *result = NULL;
    if (!orientation_is_plain(converter->orientation))
        frame = rotate(converter, frame);
    if (frame)
        frame = crop(frame, &to->crop);
    if (frame && converter->scaler)
        frame =
            scale(converter->scaler, frame, converter->result, scaled_width(to), scaled_height(to));
    else if (frame && (converter->gathers || frame->linesize[0] < 0))
        frame = gather(frame, converter->result, converter->shift, to->planes);
    if (frame)
        frame = crop(frame, &to->cut);
    if (!frame)
        return message_set(why, -ENOMEM, "a frame cannot be converted");
    *result = frame;
    return 0;
}
