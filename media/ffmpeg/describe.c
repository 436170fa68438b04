/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "media/ffmpeg/ffmpeg_video.h"

#include "media/ffmpeg/layout.h"

#include <errno.h>
#include <libavutil/avstring.h>
#include <libavutil/display.h>
#include <libavutil/mastering_display_metadata.h>
#include <stdio.h>
#include <string.h>

static const char *known(const char *name)
{
    return name ? name : "unknown";
}

static const uint8_t *frame_data(const AVFrame *frame, enum AVFrameSideDataType type, size_t size)
{
    const AVFrameSideData *side = av_frame_get_side_data(frame, type);
    return side && side->size >= size ? side->data : NULL;
}

/* Side data of the first frame, else of the stream. */
static const void *find_data(const MediaVideo *video, const AVFrame *frame,
                             enum AVFrameSideDataType of_frame, enum AVPacketSideDataType of_stream,
                             size_t least)
{
    const uint8_t *data = frame_data(frame, of_frame, least);
    return data ? data : container_data(video, of_stream, least);
}

static bool is_interlaced(const AVFrame *frame)
{
#ifdef AV_FRAME_FLAG_INTERLACED /* FFmpeg 6.1 */
    return frame->flags & AV_FRAME_FLAG_INTERLACED;
#else
    return frame->interlaced_frame;
#endif
}

static void describe_light(MediaVideo *video, const AVFrame *first)
{
    MediaLight *light = &video->properties.light;
    const AVMasteringDisplayMetadata *display =
        find_data(video, first, AV_FRAME_DATA_MASTERING_DISPLAY_METADATA,
                  AV_PKT_DATA_MASTERING_DISPLAY_METADATA, sizeof(*display));
    const AVContentLightMetadata *content =
        find_data(video, first, AV_FRAME_DATA_CONTENT_LIGHT_LEVEL, AV_PKT_DATA_CONTENT_LIGHT_LEVEL,
                  sizeof(*content));
    if (display && display->has_primaries && display->has_luminance) {
        light->has_display = true;
        for (int i = 0; i < 2; i++) {
            light->red[i] = av_q2d(display->display_primaries[0][i]);
            light->green[i] = av_q2d(display->display_primaries[1][i]);
            light->blue[i] = av_q2d(display->display_primaries[2][i]);
            light->white[i] = av_q2d(display->white_point[i]);
        }
        light->min_luminance = av_q2d(display->min_luminance);
        light->max_luminance = av_q2d(display->max_luminance);
    }
    if (content) {
        light->has_content = true;
        light->max_content = content->MaxCLL;
        light->max_frame_average = content->MaxFALL;
    }
}

static void describe_colour(MediaVideo *video, const AVFrame *first, const Layout *layout)
{
    MediaProperties *told = &video->properties;
    const AVCodecParameters *par = video->stream->codecpar;
    const int range = first->color_range ? (int)first->color_range : (int)par->color_range;
    told->is_rgb = layout->is_rgb;
    told->is_full_range = !layout->is_rgb && (layout->is_full || range == AVCOL_RANGE_JPEG);
    told->range = layout->is_full || range == AVCOL_RANGE_JPEG ? "full"
                  : range == AVCOL_RANGE_MPEG                  ? "limited"
                                                               : "unknown";
    const int transfer =
        first->color_trc != AVCOL_TRC_UNSPECIFIED ? (int)first->color_trc : (int)par->color_trc;
    told->is_hdr = transfer == AVCOL_TRC_SMPTE2084 || transfer == AVCOL_TRC_ARIB_STD_B67;
    told->transfer = known(av_color_transfer_name(transfer));
    told->matrix = known(av_color_space_name(first->colorspace));
    told->primaries = known(av_color_primaries_name(first->color_primaries));
}

/* Headers of Matroska and FLV state rates, which may be those of their clocks, or wrong. */
static bool is_doubtful(const MediaVideo *video, AVRational told)
{
    enum { USUAL = 240 };
    const AVStream *stream = video->stream;
    return !stream->nb_frames &&
           (av_match_name("matroska", video->container->iformat->name) ||
            av_match_name("flv", video->container->iformat->name) || av_q2d(told) > USUAL ||
            (stream->r_frame_rate.num > 0 && av_cmp_q(told, stream->r_frame_rate)));
}

static void describe_rate(MediaVideo *video)
{
    MediaProperties *told = &video->properties;
    const AVStream *stream = video->stream;
    AVRational said = stream->avg_frame_rate.num ? stream->avg_frame_rate : stream->r_frame_rate;
    if (said.num <= 0 || said.den <= 0)
        return;
    av_reduce(&said.num, &said.den, said.num, said.den, INT_MAX);
    MediaRate rate = {said.num, said.den};
    if (is_doubtful(video, said))
        packets_judge_rate(video, &rate);
    told->rate_num = (unsigned)rate.num;
    told->rate_den = (unsigned)rate.den;
}

static void describe_time(MediaVideo *video)
{
    MediaProperties *told = &video->properties;
    const AVStream *stream = video->stream;
    describe_rate(video);
    /* All bits of a field that MP4 has for it: whoever wrote it did not know. */
    if (stream->duration > 0 && stream->duration != UINT32_MAX)
        told->duration = ffmpeg_seconds(video, stream->duration);
    else if (video->container->duration > 0 && stream->duration != UINT32_MAX)
        told->duration = (double)video->container->duration / AV_TIME_BASE;
    if (stream->start_time != AV_NOPTS_VALUE && video->container->start_time != AV_NOPTS_VALUE)
        told->begin = ffmpeg_seconds(video, stream->start_time) -
                      (double)video->container->start_time / AV_TIME_BASE;
    if (stream->nb_frames > 0)
        told->frame_count = (uint64_t)stream->nb_frames;
    else if (told->duration > 0 && told->rate_den)
        told->frame_count = (uint64_t)(told->duration * told->rate_num / told->rate_den + 0.5);
}

static void describe_codec(MediaVideo *video)
{
    MediaProperties *told = &video->properties;
    const AVCodecParameters *par = video->stream->codecpar;
    const AVRational aspect = av_guess_sample_aspect_ratio(video->container, video->stream, NULL);
    told->container = video->container->iformat->name;
    told->codec = avcodec_get_name(par->codec_id);
    told->profile = known(avcodec_profile_name(par->codec_id, par->profile));
    told->level = par->level;
    const AVCodecDescriptor *codec = avcodec_descriptor_get(par->codec_id);
    told->is_for_editing =
        codec && (codec->props & AV_CODEC_PROP_INTRA_ONLY || !(codec->props & AV_CODEC_PROP_LOSSY));
    if (aspect.num > 0 && aspect.den > 0) {
        told->aspect_num = (unsigned)aspect.num;
        told->aspect_den = (unsigned)aspect.den;
    }
    /* Sizes that are no multiples of blocks are filled up, which is no news. */
    enum { BLOCK = 16 };
    const AVCodecContext *decoder = video->decoder;
    told->is_cropped_by_codec = decoder->coded_width - decoder->width >= BLOCK ||
                                decoder->coded_height - decoder->height >= BLOCK;
}

static Orientation stream_orientation(const MediaVideo *video, const AVFrame *first)
{
    return orientation_of(find_data(video, first, AV_FRAME_DATA_DISPLAYMATRIX,
                                    AV_PKT_DATA_DISPLAYMATRIX, 9 * sizeof(int32_t)));
}

int describe_video(MediaVideo *video, const AVFrame *first, Message *why)
{
    MediaProperties *told = &video->properties;
    Layout layout;
    if (layout_describe(first->format, &layout))
        return message_set(why, -ENOTSUP, "frames of the format %s cannot be scored",
                           known(av_get_pix_fmt_name(first->format)));
    video->width = first->width;
    video->height = first->height;
    video->layout = first->format;
    video->orientation = stream_orientation(video, first);
    const bool transpose = video->orientation.transpose;
    told->rotation = orientation_degrees(video->orientation);
    told->is_oblique = video->orientation.is_oblique;
    told->format = (VideoFormat){
        .pixel_format = layout.pixel_format,
        .width = (unsigned)(transpose ? first->height : first->width),
        .height = (unsigned)(transpose ? first->width : first->height),
        .bit_depth = layout.bit_depth,
    };
    /* 4:2:2 on its side has half the rows of chroma. */
    told->resampled_from = layout.other;
    if (transpose && layout.pixel_format == VMAF_PIX_FMT_YUV422P) {
        told->format.pixel_format = VMAF_PIX_FMT_YUV444P;
        told->resampled_from = "4:4:0";
    }
    told->stored_layout = known(av_get_pix_fmt_name(first->format));
    told->is_interlaced = is_interlaced(first);
    describe_colour(video, first, &layout);
    describe_light(video, first);
    describe_time(video);
    describe_codec(video);
    return 0;
}
