/* SPDX-License-Identifier: BSD-2-Clause-Patent */

#include "media/ffmpeg/ffmpeg_video.h"
#include "media/module_interface.h"

#include <errno.h>
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavformat/avio.h>
#include <libavutil/error.h>
#include <libavutil/mem.h>
#include <libavutil/opt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- bytes that the program reads, as input of FFmpeg -- */

enum { BUFFER_SIZE = 1 << 16 };

typedef struct ByteSource {
    const MediaSource *source;
    int64_t position;
} ByteSource;

static int read_bytes(void *cookie, uint8_t *buffer, int size)
{
    ByteSource *bytes = cookie;
    const MediaSource *source = bytes->source;
    const int got = source->read(source->cookie, bytes->position, buffer, size);
    if (got == -ECANCELED)
        return AVERROR_EXIT;
    if (got < 0)
        return AVERROR(EIO);
    bytes->position += got;
    return got ? got : AVERROR_EOF;
}

static int64_t seek(void *cookie, int64_t offset, int whence)
{
    ByteSource *bytes = cookie;
    const int64_t size = bytes->source->size;
    if (whence == AVSEEK_SIZE)
        return size;
    const int from = whence & ~AVSEEK_FORCE;
    const int64_t position = offset + (from == SEEK_CUR   ? bytes->position
                                       : from == SEEK_END ? size
                                                          : 0);
    if (position < 0)
        return AVERROR(EINVAL);
    return bytes->position = position;
}

/* From their beginning; the source has to outlive it. NULL: no memory. */
static AVIOContext *byte_source_open(const MediaSource *source)
{
    ByteSource *bytes = malloc(sizeof(*bytes));
    uint8_t *buffer = av_malloc(BUFFER_SIZE);
    AVIOContext *context = NULL;
    if (bytes && buffer)
        context = avio_alloc_context(buffer, BUFFER_SIZE, 0, bytes, read_bytes, NULL,
                                     source->size < 0 ? NULL : seek);
    if (!context) {
        av_free(buffer);
        free(bytes);
        return NULL;
    }
    *bytes = (ByteSource){.source = source};
    return context;
}

/* NULL is allowed. */
static void byte_source_close(AVIOContext *context)
{
    if (!context)
        return;
    free(context->opaque);
    av_freep(&context->buffer);
    avio_context_free(&context);
}

/* -- what FFmpeg says -- */

static _Thread_local LogCapture *of_thread;

void log_capture_on_thread(LogCapture *log)
{
    of_thread = log;
}

/* The capture of whoever says something. */
static LogCapture *find_capture(void *object)
{
    const AVClass *class = object ? *(const AVClass **)object : NULL;
    if (!class)
        return of_thread;
    if (class == avcodec_get_class())
        return ((AVCodecContext *)object)->opaque;
    if (class == avformat_get_class())
        return ((AVFormatContext *)object)->opaque;
    return of_thread;
}

/*
 * Concealment is said to those who want to know more. The frame has a flag, too, but with several
 * threads a frame that is shown later may be given out before it is known.
 */
static bool reports_damage(int level, const char *format)
{
    static const char concealed[] = "concealing ";
    return level <= AV_LOG_ERROR ||
           (level <= AV_LOG_DEBUG && !strncmp(format, concealed, sizeof(concealed) - 1));
}

static void take_line(void *object, int level, const char *format, va_list arguments)
{
    LogCapture *log = reports_damage(level, format) ? find_capture(object) : NULL;
    if (!log)
        return;
    vmaf_mutex_lock(&log->lock);
    if (!log->has_error) {
        vsnprintf(log->first, sizeof(log->first), format, arguments);
        log->first[strcspn(log->first, "\r\n")] = '\0';
        log->has_error = true;
    }
    vmaf_mutex_unlock(&log->lock);
}

void log_capture_init(LogCapture *log)
{
    *log = (LogCapture){.has_error = false};
    vmaf_mutex_init(&log->lock);
    av_log_set_callback(take_line);
}

bool log_capture_take(LogCapture *log, char *text, size_t size)
{
    vmaf_mutex_lock(&log->lock);
    const bool has_error = log->has_error;
    if (has_error)
        snprintf(text, size, "%s", log->first);
    log->has_error = false;
    vmaf_mutex_unlock(&log->lock);
    return has_error;
}

/* -- the container -- */

int ffmpeg_error(int error, char text[AV_ERROR_MAX_STRING_SIZE])
{
    if (text)
        av_strerror(error, text, AV_ERROR_MAX_STRING_SIZE);
    if (error == AVERROR_EXIT)
        return -ECANCELED;
    if (error == AVERROR(ENOMEM))
        return -ENOMEM;
    if (error == AVERROR_EXTERNAL)
        return -ENODEV;
    return -EIO;
}

double ffmpeg_seconds(const MediaVideo *video, int64_t ticks)
{
    return ticks == AV_NOPTS_VALUE ? 0 : (double)ticks * av_q2d(video->stream->time_base);
}

static int is_interrupted(void *cookie)
{
    return atomic_load(&((MediaVideo *)cookie)->interrupted);
}

/* Everything that a demuxer opens goes through here, but for what "concat" opens. */
static int open_file(AVFormatContext *context, AVIOContext **file, const char *url, int flags,
                     AVDictionary **options)
{
    MediaVideo *video = context->interrupt_callback.opaque;
    if (playlist_allow(&video->playlist, url))
        return AVERROR(EACCES);
    const int err = video->open_file(context, file, url, flags, options);
    if (err < 0)
        playlist_fail(&video->playlist, url, ffmpeg_error(err, NULL), "cannot be opened");
    return err;
}

static AVFormatContext *allocate_context(MediaVideo *video, LogCapture *log)
{
    AVFormatContext *context = avformat_alloc_context();
    if (!context)
        return NULL;
    context->opaque = log;
    context->interrupt_callback = (AVIOInterruptCB){is_interrupted, video};
    video->open_file = context->io_open;
    context->io_open = open_file;
    if (!video->settings.source.cookie)
        return context;
    context->pb = byte_source_open(&video->settings.source);
    context->flags |= AVFMT_FLAG_CUSTOM_IO;
    if (!context->pb) {
        avformat_free_context(context);
        return NULL;
    }
    return context;
}

/* Finds out what the content is as FFmpeg does when it opens a file. An error of FFmpeg. */
static int find_format(MediaVideo *video, AVIOContext *source, const AVInputFormat **format)
{
    int score = AVPROBE_SCORE_RETRY;
    const AVProbeData named = {.filename = video->url};
    if (video->settings.raw.layout) {
        *format = av_find_input_format("rawvideo");
        return *format ? 0 : AVERROR_DEMUXER_NOT_FOUND;
    }
    if (source)
        return av_probe_input_buffer2(source, format, "", NULL, 0, 0);
    *format = av_probe_input_format2(&named, 0, &score);
    if (*format) /* pictures with numbers in their names */
        return 0;
    AVIOContext *file = NULL;
    int err = avio_open2(&file, video->url, AVIO_FLAG_READ, NULL, NULL);
    if (err < 0)
        return err;
    err = av_probe_input_buffer2(file, format, video->url, NULL, 0, 0);
    avio_closep(&file);
    return err;
}

static int set_options(const MediaVideo *video, AVDictionary **options)
{
    const MediaRaw *raw = &video->settings.raw;
    char text[64];
    if (raw->layout) {
        av_dict_set(options, "pixel_format", raw->layout, 0);
        snprintf(text, sizeof text, "%ux%u", raw->width, raw->height);
        av_dict_set(options, "video_size", text, 0);
        snprintf(text, sizeof text, "%d/%d", raw->rate_num, raw->rate_den);
        av_dict_set(options, "framerate", text, 0);
    }
    if (video->settings.first_picture) {
        av_dict_set_int(options, "start_number", video->settings.first_picture, 0);
        av_dict_set(options, "start_number_range", "1", 0);
    }
    return av_dict_set(options, "protocol_whitelist", "file", 0);
}

/* Opens what `format` says. An error of FFmpeg. */
static int open_format(MediaVideo *video, const AVInputFormat *format, AVFormatContext **context)
{
    AVDictionary *options = NULL;
    AVIOContext *source = (*context)->pb;
    int err = set_options(video, &options);
    if (err >= 0)
        err = avformat_open_input(context, source ? NULL : video->url, format, &options);
    av_dict_free(&options);
    if (!*context)
        byte_source_close(source);
    if (!err)
        err = avformat_find_stream_info(*context, NULL);
    return err;
}

/* Errors of the context go to `log`; NULL: nobody wants them. */
static int open_context(MediaVideo *video, LogCapture *log, AVFormatContext **context, Message *why)
{
    *context = allocate_context(video, log);
    if (!*context)
        return message_set(why, -ENOMEM, "out of memory");
    const AVInputFormat *format = NULL;
    int err = find_format(video, (*context)->pb, &format), result = 0;
    if (err >= 0) {
        playlist_end(&video->playlist);
        result = playlist_start(&video->playlist, format->name, video->settings.path, why);
        if (result)
            return result;
        err = open_format(video, format, context);
        playlist_is_open(&video->playlist);
        if (err < 0 || !video->settings.ignore_errors)
            result = playlist_take_failure(&video->playlist, why);
    }
    if (err >= 0 || result)
        return result;
    char text[AV_ERROR_MAX_STRING_SIZE];
    result = ffmpeg_error(err, text);
    return message_set(why, err == AVERROR_INVALIDDATA ? -EPROTONOSUPPORT : result, "%s", text);
}

static bool is_video(const AVStream *stream)
{
    return stream->codecpar->codec_type == AVMEDIA_TYPE_VIDEO &&
           !(stream->disposition & AV_DISPOSITION_ATTACHED_PIC);
}

/* As the program ffmpeg chooses: a stream of which packets were seen, the one that the file
 * recommends, the larger picture. */
static int64_t rate_stream(const AVStream *stream)
{
    enum { HAS_PACKETS = 100000000, IS_DEFAULT = 5000000 };
    return (int64_t)stream->codecpar->width * stream->codecpar->height +
           (stream->event_flags & AVSTREAM_EVENT_FLAG_NEW_PACKETS ? HAS_PACKETS : 0) +
           (stream->disposition & AV_DISPOSITION_DEFAULT ? IS_DEFAULT : 0);
}

static int choose_stream(MediaVideo *video, const AVFormatContext *context, AVStream **chosen,
                         Message *why)
{
    const int wanted = video->settings.stream;
    unsigned n_videos = 0, n_pictures = 0, which = 0;
    *chosen = NULL;
    for (unsigned i = 0; i < context->nb_streams; i++) {
        AVStream *stream = context->streams[i];
        if (!is_video(stream)) {
            n_pictures += stream->codecpar->codec_type == AVMEDIA_TYPE_VIDEO;
            continue;
        }
        const bool is_better = !*chosen || rate_stream(stream) > rate_stream(*chosen);
        if (wanted < 0 ? is_better : n_videos == (unsigned)wanted) {
            *chosen = stream;
            which = n_videos;
        }
        n_videos++;
    }
    video->properties.stream = which;
    video->properties.n_streams = n_videos;
    if (*chosen) {
        video->properties.index = (unsigned)(*chosen)->index;
        return 0;
    }
    if (n_videos)
        return message_set(why, -EINVAL, "there is no video stream %d; it has %u", wanted,
                           n_videos);
    return message_set(why, -EINVAL, "there is no video stream%s",
                       n_pictures ? ", only a picture that is attached" : "");
}

static MediaStreamKind kind_of(const AVStream *stream)
{
    const AVCodecDescriptor *codec = avcodec_descriptor_get(stream->codecpar->codec_id);
    const int props = codec ? codec->props : 0;
    switch (stream->codecpar->codec_type) {
    case AVMEDIA_TYPE_AUDIO:
        return MEDIA_AUDIO;
    case AVMEDIA_TYPE_SUBTITLE:
        return props & AV_CODEC_PROP_TEXT_SUB && !(props & AV_CODEC_PROP_BITMAP_SUB) ? MEDIA_TEXT
                                                                                     : MEDIA_BITMAP;
    case AVMEDIA_TYPE_ATTACHMENT:
        return MEDIA_ATTACHMENT;
    case AVMEDIA_TYPE_VIDEO:
        return is_video(stream) ? MEDIA_VIDEO : MEDIA_COVER;
    default:
        return MEDIA_DATA;
    }
}

static int list_others(MediaVideo *video, Message *why)
{
    const AVFormatContext *context = video->container;
    if (video->properties.others) /* it is opened once more */
        return 0;
    MediaStream *others = calloc(context->nb_streams, sizeof(*others));
    if (!others)
        return message_set(why, -ENOMEM, "out of memory");
    video->properties.others = others;
    for (unsigned i = 0; i < context->nb_streams; i++)
        if (context->streams[i] != video->stream)
            others[video->properties.n_others++] =
                (MediaStream){kind_of(context->streams[i]),
                              avcodec_get_name(context->streams[i]->codecpar->codec_id)};
    return 0;
}

int container_open(MediaVideo *video, Message *why)
{
    int err = open_context(video, &video->log, &video->container, why);
    if (!err)
        err = choose_stream(video, video->container, &video->stream, why);
    if (!err)
        err = list_others(video, why);
    for (unsigned i = 0; !err && i < video->container->nb_streams; i++) {
        if (video->container->streams[i] != video->stream)
            video->container->streams[i]->discard = AVDISCARD_ALL;
    }
    char text[256];
    (void)log_capture_take(&video->log, text, sizeof(text)); /* what opening said is over */
    return err;
}

void container_close_context(AVFormatContext **context)
{
    const bool is_given = *context && (*context)->flags & AVFMT_FLAG_CUSTOM_IO;
    AVIOContext *source = is_given ? (*context)->pb : NULL;
    avformat_close_input(context);
    byte_source_close(source);
}

void container_close(MediaVideo *video)
{
    container_close_context(&video->container);
    playlist_end(&video->playlist);
}

const uint8_t *container_data(const MediaVideo *video, enum AVPacketSideDataType type, size_t least)
{
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(60, 31, 102) /* FFmpeg 6.1 */
    const AVCodecParameters *par = video->stream->codecpar;
    const AVPacketSideData *side =
        av_packet_side_data_get(par->coded_side_data, par->nb_coded_side_data, type);
    return side && side->size >= least ? side->data : NULL;
#else
    size_t size = 0;
    const uint8_t *data = av_stream_get_side_data(video->stream, type, &size);
    return size >= least ? data : NULL;
#endif
}

/* Frames that the file says it has; 0: it does not say. */
static uint64_t promised_packets(const MediaVideo *video)
{
    const char *name = video->container->iformat->name;
    if (!strstr(name, "mov") && !strstr(name, "avi"))
        return 0; /* others have an index of key packets */
    return (uint64_t)avformat_index_get_entries_count(video->stream);
}

/* The file has no packets left; has it come to its own end? */
static int check_end(const MediaVideo *video, Message *why)
{
    const uint64_t promised = promised_packets(video);
    const uint64_t found = video->was_sought ? video->n_listed : video->n_packets;
    if (promised <= found)
        return 0;
    return message_set(why, -EINVAL, "the file is cut off: it has %llu frames of %llu",
                       (unsigned long long)found, (unsigned long long)promised);
}

int container_read(MediaVideo *video, Message *why)
{
    char text[256];
    for (;;) {
        av_packet_unref(video->packet);
        const int err = av_read_frame(video->container, video->packet);
        if (err == AVERROR(EAGAIN))
            continue;
        const int missing = playlist_take_failure(&video->playlist, why);
        if (missing && !video->settings.ignore_errors) {
            video->at_end = true;
            return missing;
        }
        video->n_errors += missing != 0;
        if (err == AVERROR_EOF) {
            video->at_end = true;
            if (video->container->pb && video->container->pb->error == AVERROR_EXIT)
                return message_set(why, -ECANCELED, "interrupted");
            return check_end(video, why);
        }
        if (err < 0) {
            video->at_end = true;
            const int result = ffmpeg_error(err, text);
            return message_set(why, result, "%s", text);
        }
        if (video->packet->stream_index == video->stream->index)
            break;
    }
    video->n_packets++;
    return 1;
}

int container_open_again(MediaVideo *video, AVFormatContext **context, Message *why)
{
    int err = open_context(video, NULL, context, why); /* decoding hears of the same errors */
    const unsigned index = (unsigned)video->stream->index;
    if (!err && index >= (*context)->nb_streams)
        err = message_set(why, -EIO, "the file has changed");
    for (unsigned i = 0; !err && i < (*context)->nb_streams; i++)
        (*context)->streams[i]->discard = i == index ? AVDISCARD_DEFAULT : AVDISCARD_ALL;
    if (err)
        container_close_context(context);
    return err;
}

int container_seek(MediaVideo *video, int64_t shown, Message *why)
{
    const int err =
        av_seek_frame(video->container, video->stream->index, shown, AVSEEK_FLAG_BACKWARD);
    if (err < 0) {
        char text[AV_ERROR_MAX_STRING_SIZE];
        const int result = ffmpeg_error(err, text);
        return message_set(why, result, "%s", text);
    }
    video->at_end = false;
    return 0;
}
