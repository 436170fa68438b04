/* SPDX-License-Identifier: BSD-2-Clause-Patent */
/* The module that reads media files with FFmpeg. */
#include "media/ffmpeg/device.h"
#include "media/ffmpeg/ffmpeg_video.h"

#include <errno.h>
#include <libavutil/version.h>
#include <libswscale/swscale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((visibility("default"))) const MediaModule *vmaf_media_entry(void);

static void close_video(MediaVideo *video)
{
    converter_destroy(video->converter);
    packets_free(&video->shown);
    av_frame_free(&video->waiting);
    avcodec_free_context(&video->decoder);
    av_packet_free(&video->packet);
    av_buffer_unref(&video->copies);
    av_buffer_unref(&video->device);
    container_close(video);
    free((void *)video->properties.others);
    log_capture_destroy(&video->log);
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
    const AVFrame like = {.format = video->layout, .width = video->width, .height = video->height};
    Converter *converter;
    const MediaProperties *told = &video->properties;
    const int err = converter_create(&converter, &like, video->orientation,
                                     told->is_full_range || told->is_rgb, conversion, why);
    if (err)
        return err;
    converter_destroy(video->converter);
    video->converter = converter;
    video->stays_on_device = conversion->stays_on_device;
    return 0;
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
    if (!err)
        err = describe_video(video, first, why);
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
    log_capture_start();
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
    const int more = decoder_next(video, &decoded, why);
    if (more <= 0)
        return more;
    const int64_t shown = decoded->pts;
    const int err = give(video, decoded, &frame, why);
    if (err)
        return err;
    describe_planes(video, frame, given);
    if (shown != AV_NOPTS_VALUE && video->first_shown != AV_NOPTS_VALUE)
        given->shown = (MediaTime){shown - video->first_shown, video->stream->time_base.num,
                                   video->stream->time_base.den};
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
    static char name[96];
    const unsigned scale = swscale_version(), format = avformat_version(),
                   codec = avcodec_version();
    snprintf(scaler, sizeof(scaler), "libswscale %u.%u.%u", AV_VERSION_MAJOR(scale),
             AV_VERSION_MINOR(scale), AV_VERSION_MICRO(scale));
    snprintf(name, sizeof(name), "FFmpeg %s (libavformat %u.%u, libavcodec %u.%u)",
             av_version_info(), AV_VERSION_MAJOR(format), AV_VERSION_MINOR(format),
             AV_VERSION_MAJOR(codec), AV_VERSION_MINOR(codec));
    static const MediaModule module = {
        .interface = MEDIA_INTERFACE,
        .name = name,
        .scaler = scaler,
        .open = open_video,
        .properties = properties,
        .list_packets = packets_list,
        .free_packets = packets_free,
        .convert = convert,
        .skip_to = decoder_skip_to,
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
