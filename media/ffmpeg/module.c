/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "media/ffmpeg/ffmpeg_video.h"
#include "media/ffmpeg/layout.h"

#include <errno.h>
#include <libavutil/avstring.h>
#include <libavutil/display.h>
#include <libavutil/dovi_meta.h>
#include <libavutil/mastering_display_metadata.h>
#include <libavutil/version.h>
#include <libswscale/swscale.h>
#include <stdio.h>
#include <stdlib.h>
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

static void describe_dolby_vision(MediaVideo *video)
{
    const AVDOVIDecoderConfigurationRecord *dovi =
        (const void *)container_data(video, AV_PKT_DATA_DOVI_CONF, sizeof(*dovi));
    video->properties.dolby_vision = dovi ? dovi->dv_profile : 0;
    video->properties.has_plain_base = !dovi || dovi->dv_bl_signal_compatibility_id;
}

static void describe_colour(MediaVideo *video, const AVFrame *first, const Layout *layout)
{
    MediaProperties *properties = &video->properties;
    const AVCodecParameters *par = video->stream->codecpar;
    const int range = first->color_range ? (int)first->color_range : (int)par->color_range;
    properties->is_rgb = layout->is_rgb;
    properties->is_full_range = !layout->is_rgb && (layout->is_full || range == AVCOL_RANGE_JPEG);
    properties->range = layout->is_full || range == AVCOL_RANGE_JPEG ? "full"
                        : range == AVCOL_RANGE_MPEG                  ? "limited"
                                                                     : "unknown";
    const int transfer =
        first->color_trc != AVCOL_TRC_UNSPECIFIED ? (int)first->color_trc : (int)par->color_trc;
    properties->is_hdr = transfer == AVCOL_TRC_SMPTE2084 || transfer == AVCOL_TRC_ARIB_STD_B67;
    properties->transfer = known(av_color_transfer_name(transfer));
    properties->matrix = known(av_color_space_name(first->colorspace));
    properties->primaries = known(av_color_primaries_name(first->color_primaries));
}

/* Headers of Matroska and FLV state rates, which may be those of their clocks, or wrong. */
static bool is_doubtful(const MediaVideo *video, AVRational stated)
{
    enum { USUAL = 240 };
    const AVStream *stream = video->stream;
    return !stream->nb_frames &&
           (av_match_name("matroska", video->container->iformat->name) ||
            av_match_name("flv", video->container->iformat->name) || av_q2d(stated) > USUAL ||
            (stream->r_frame_rate.num > 0 && av_cmp_q(stated, stream->r_frame_rate)));
}

static void describe_rate(MediaVideo *video)
{
    MediaProperties *properties = &video->properties;
    const AVStream *stream = video->stream;
    AVRational stated = stream->avg_frame_rate.num ? stream->avg_frame_rate : stream->r_frame_rate;
    if (stated.num <= 0 || stated.den <= 0)
        return;
    av_reduce(&stated.num, &stated.den, stated.num, stated.den, INT_MAX);
    MediaRate rate = {stated.num, stated.den};
    if (is_doubtful(video, stated))
        packets_judge_rate(video, &rate);
    properties->rate_num = (unsigned)rate.num;
    properties->rate_den = (unsigned)rate.den;
}

static void describe_time(MediaVideo *video)
{
    MediaProperties *properties = &video->properties;
    const AVStream *stream = video->stream;
    describe_rate(video);
    /* All bits of a field that MP4 has for it: whoever wrote it did not know. */
    if (stream->duration > 0 && stream->duration != UINT32_MAX)
        properties->duration = ffmpeg_seconds(video, stream->duration);
    else if (video->container->duration > 0 && stream->duration != UINT32_MAX)
        properties->duration = (double)video->container->duration / AV_TIME_BASE;
    if (stream->start_time != AV_NOPTS_VALUE && video->container->start_time != AV_NOPTS_VALUE)
        properties->begin = ffmpeg_seconds(video, stream->start_time) -
                            (double)video->container->start_time / AV_TIME_BASE;
    if (stream->nb_frames > 0)
        properties->frame_count = (uint64_t)stream->nb_frames;
    else if (properties->duration > 0 && properties->rate_den)
        properties->frame_count =
            (uint64_t)(properties->duration * properties->rate_num / properties->rate_den + 0.5);
}

static void describe_codec(MediaVideo *video)
{
    MediaProperties *properties = &video->properties;
    const AVCodecParameters *par = video->stream->codecpar;
    const AVRational aspect = av_guess_sample_aspect_ratio(video->container, video->stream, NULL);
    properties->container = video->container->iformat->name;
    properties->codec = avcodec_get_name(par->codec_id);
    properties->profile = known(avcodec_profile_name(par->codec_id, par->profile));
    properties->level = par->level;
    const AVCodecDescriptor *codec = avcodec_descriptor_get(par->codec_id);
    properties->is_for_editing =
        codec && (codec->props & AV_CODEC_PROP_INTRA_ONLY || !(codec->props & AV_CODEC_PROP_LOSSY));
    if (aspect.num > 0 && aspect.den > 0) {
        properties->aspect_num = (unsigned)aspect.num;
        properties->aspect_den = (unsigned)aspect.den;
    }
    /* Sizes that are no multiples of blocks are filled up, which is no news. */
    enum { BLOCK = 16 };
    const AVCodecContext *decoder = video->decoder;
    properties->is_cropped_by_codec = decoder->coded_width - decoder->width >= BLOCK ||
                                      decoder->coded_height - decoder->height >= BLOCK;
}

static Orientation stream_orientation(const MediaVideo *video, const AVFrame *first)
{
    return orientation_of(find_data(video, first, AV_FRAME_DATA_DISPLAYMATRIX,
                                    AV_PKT_DATA_DISPLAYMATRIX, 9 * sizeof(int32_t)));
}

static FrameShape shape_of(const AVFrame *frame)
{
    return (FrameShape){frame->width, frame->height, frame->format};
}

/* Fills in the properties, from the file and its first frame, which is to be turned so. */
static int describe_video(MediaVideo *video, const AVFrame *first, Orientation orientation,
                          Message *why)
{
    MediaProperties *properties = &video->properties;
    Layout layout;
    if (layout_describe(first->format, &layout))
        return message_set(why, -ENOTSUP, "frames of the format %s cannot be scored",
                           known(av_get_pix_fmt_name(first->format)));
    video->given = shape_of(first);
    video->orientation = orientation;
    const bool transpose = video->orientation.transpose;
    properties->rotation = orientation_degrees(video->orientation);
    properties->is_oblique = video->orientation.is_oblique;
    properties->format = (VideoFormat){
        .pixel_format = layout.pixel_format,
        .width = (unsigned)(transpose ? first->height : first->width),
        .height = (unsigned)(transpose ? first->width : first->height),
        .bit_depth = layout.bit_depth,
    };
    /* 4:2:2 on its side has half the rows of chroma. */
    properties->resampled_from = layout.other;
    if (transpose && layout.pixel_format == VMAF_PIX_FMT_YUV422P) {
        properties->format.pixel_format = VMAF_PIX_FMT_YUV444P;
        properties->resampled_from = "4:4:0";
    }
    properties->stored_layout = known(av_get_pix_fmt_name(first->format));
    properties->is_interlaced = is_interlaced(first);
    describe_colour(video, first, &layout);
    describe_light(video, first);
    describe_dolby_vision(video);
    describe_time(video);
    describe_codec(video);
    return 0;
}

/* -- the module -- */

__attribute__((visibility("default"))) const MediaModule *vmaf_media_entry(void);

static void close_video(MediaVideo *video)
{
    converter_destroy(video->converter);
    packets_free(&video->shown);
    filter_close(video);
    av_frame_free(&video->waiting);
    avcodec_free_context(&video->decoder);
    av_packet_free(&video->packet);
    av_buffer_unref(&video->copies);
    av_buffer_unref(&video->device);
    container_close(video);
    free((void *)video->properties.others);
    vmaf_mutex_destroy(&video->log.lock);
    free(video->url);
    free(video);
}

/* The name of a file, which FFmpeg must not take for a protocol. */
static char *make_url(const char *path)
{
    const size_t size = strlen("file:") + strlen(path) + 1;
    char *url = malloc(size);
    if (url)
        snprintf(url, size, "file:%s", path);
    return url;
}

static int convert(MediaVideo *video, const MediaConversion *conversion, Message *why)
{
    const FrameShape *given = &video->given;
    const AVFrame like = {.format = given->layout, .width = given->width, .height = given->height};
    Converter *converter;
    const MediaProperties *properties = &video->properties;
    const int err =
        converter_create(&converter, &like, video->orientation,
                         properties->is_full_range || properties->is_rgb, conversion, why);
    if (err)
        return err;
    converter_destroy(video->converter);
    video->converter = converter;
    video->stays_on_device = conversion->stays_on_device;
    return 0;
}

/* The video is what filters make of it. */
static int describe_filtered(MediaVideo *video, const AVFrame *decoded, Message *why)
{
    MediaProperties *properties = &video->properties;
    FilterStage *filter = &video->filter;
    int err = filter_open(video, decoded, why);
    if (err)
        return err;
    const int more = filter_next(video, &filter->waiting, why);
    if (more <= 0)
        return more ? more : message_set(why, -EINVAL, "no frame comes out of its filters");
    filter->n_out--;
    const int rotation = properties->rotation;
    err = describe_video(video, filter->waiting, (Orientation){.transpose = false}, why);
    properties->rotation = rotation;
    properties->rate_num = (unsigned)filter->rate.num;
    properties->rate_den = filter->rate.num ? (unsigned)filter->rate.den : 0;
    properties->frame_count = 0;
    return err;
}

/* Describes the video by its first frame, in memory or on a device. */
static int describe(MediaVideo *video, Message *why)
{
    AVFrame *first = av_frame_clone(video->waiting);
    int err = first ? 0 : message_set(why, -ENOMEM, "out of memory");
    if (!err) {
        device_describe(video, first, &video->properties.device);
        err = device_has(first) ? device_download(&first, why) : 0;
    }
    if (!err) {
        video->decoded = shape_of(first);
        err = describe_video(video, first, stream_orientation(video, first), why);
    }
    if (!err && video->settings.filter.chain)
        err = describe_filtered(video, first, why);
    av_frame_free(&first);
    return err;
}

/* Decodes the first frame, which has more information than headers do. */
static int open_first(MediaVideo *video, Message *why)
{
    int err = container_open(video, why);
    if (!err)
        err = decoder_open(video, why);
    if (err)
        return err;
    const int more = decoder_next(video, &video->waiting, why);
    if (!more)
        message_set(why, 0, "there is no frame that can be decoded");
    if (more <= 0)
        return more == -ENOMEM || more == -ECANCELED || more == -EACCES ? more : -ENODATA;
    err = describe(video, why);
    const MediaConversion none = {
        .format = video->properties.format,
        .is_full_range = video->properties.is_full_range,
        .planes = 7,
    };
    return err ? err : convert(video, &none, why);
}

static int open_video(MediaVideo **opened, const MediaSettings *settings, Message *why)
{
    MediaVideo *video = calloc(1, sizeof(*video));
    if (!video)
        return message_set(why, -ENOMEM, "out of memory");
    log_capture_init(&video->log);
    video->settings = *settings;
    video->last_shown = AV_NOPTS_VALUE;
    video->url = make_url(settings->path);
    const int err =
        video->url ? open_first(video, why) : message_set(why, -ENOMEM, "out of memory");
    if (err) {
        close_video(video);
        return err;
    }
    *opened = video;
    return 0;
}

static const MediaProperties *properties(const MediaVideo *video)
{
    return &video->properties;
}

/* Planes as they are given out; those that nobody looks at are NULL. */
static void describe_planes(const MediaVideo *video, AVFrame *frame, MediaFrame *given)
{
    const unsigned planes = video->stays_on_device ? 7 : converter_planes(video->converter);
    *given = (MediaFrame){.held = frame};
    for (int p = 0; p < 3; p++) {
        if (!(planes >> p & 1))
            continue;
        given->planes[p] = frame->data[p];
        given->stride[p] = frame->linesize[p];
    }
}

/* What becomes of a decoded frame, which is taken over. */
static int give(MediaVideo *video, AVFrame *decoded, AVFrame **frame, Message *why)
{
    *frame = decoded;
    if (video->stays_on_device)
        return device_keep(video, frame, why);
    const int err = device_has(decoded) ? device_download(&decoded, why) : 0;
    return err ? err : converter_apply(video->converter, decoded, frame, why);
}

static int next_frame(MediaVideo *video, MediaFrame *given, Message *why)
{
    AVFrame *decoded, *frame;
    const int more = filter_next(video, &decoded, why);
    if (more <= 0)
        return more;
    const bool is_filtered = video->settings.filter.chain != NULL;
    const int64_t shown = decoded->pts, first = is_filtered ? 0 : video->first_shown;
    const AVRational clock = is_filtered ? video->filter.clock : video->stream->time_base;
    const int err = give(video, decoded, &frame, why);
    if (err)
        return err;
    describe_planes(video, frame, given);
    if (shown != AV_NOPTS_VALUE && first != AV_NOPTS_VALUE)
        given->shown = (MediaTime){shown - first, clock.num, clock.den};
    return 1;
}

static void release_frame(void *held)
{
    AVFrame *frame = held;
    av_frame_free(&frame);
}

static void *share_frame(void *held)
{
    return av_frame_clone(held);
}

static uint64_t errors_ignored(const MediaVideo *video)
{
    return video->n_errors;
}

static void interrupt(MediaVideo *video)
{
    atomic_store(&video->interrupted, true);
}

const MediaModule *vmaf_media_entry(void)
{
    static char scaler[64];
    static char filter[64];
    static char name[96];
    const unsigned scale = swscale_version(), format = avformat_version(),
                   codec = avcodec_version();
    snprintf(scaler, sizeof(scaler), "libswscale %u.%u.%u", AV_VERSION_MAJOR(scale),
             AV_VERSION_MINOR(scale), AV_VERSION_MICRO(scale));
    const unsigned filters = avfilter_version();
    snprintf(filter, sizeof(filter), "libavfilter %u.%u.%u", AV_VERSION_MAJOR(filters),
             AV_VERSION_MINOR(filters), AV_VERSION_MICRO(filters));
    snprintf(name, sizeof(name), "FFmpeg %s (libavformat %u.%u, libavcodec %u.%u)",
             av_version_info(), AV_VERSION_MAJOR(format), AV_VERSION_MINOR(format),
             AV_VERSION_MAJOR(codec), AV_VERSION_MINOR(codec));
    static const MediaModule module = {
        .interface = MEDIA_INTERFACE,
        .name = name,
        .scaler = scaler,
        .filter = filter,
        .open = open_video,
        .properties = properties,
        .list_packets = packets_list,
        .free_packets = packets_free,
        .convert = convert,
        .skip_to = filter_skip_to,
        .skip_to_time = decoder_skip_to_time,
        .next_frame = next_frame,
        .release_frame = release_frame,
        .share_frame = share_frame,
        .fetch_rows = device_fetch_rows,
        .errors_ignored = errors_ignored,
        .interrupt = interrupt,
        .close = close_video,
    };
    return &module;
}
