/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "media/ffmpeg/ffmpeg_video.h"
#include "media/ffmpeg/layout.h"

#include <errno.h>
#include <libavutil/hwcontext.h>
#include <libavutil/pixdesc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* FFmpeg's header wants CUDA's own one for two names. */
#define CUDA_VERSION 10000
typedef struct CUctx_st *CUcontext;
typedef struct CUstream_st *CUstream;
#include <libavutil/hwcontext_cuda.h>

/* -- the device -- */

static enum AVPixelFormat choose_format(AVCodecContext *decoder, const enum AVPixelFormat *offered)
{
    /* The decoder knows the capture, which is a part of its video. */
    MediaVideo *video = (MediaVideo *)((char *)decoder->opaque - offsetof(MediaVideo, log));
    for (const enum AVPixelFormat *format = offered; *format != AV_PIX_FMT_NONE; format++) {
        if (*format == video->device_format) {
            video->tries_device = true;
            return *format;
        }
    }
    /* It is not offered again if the device cannot decode this; what was said of it is no damage.
     */
    char text[256];
    if (video->tries_device)
        (void)log_capture_take(&video->log, text, sizeof(text));
    video->tries_device = false;
    return avcodec_default_get_format(decoder, offered);
}

/* CUDA's context is that which backends use, if it can be had: its frames can be scored where they
 * are. */
static bool create_device(MediaVideo *video, enum AVHWDeviceType type)
{
    char index[16];
    snprintf(index, sizeof(index), "%u", video->settings.device);
    video->shares_context =
        type == AV_HWDEVICE_TYPE_CUDA &&
        av_hwdevice_ctx_create(&video->device, type, index, NULL, AV_CUDA_USE_PRIMARY_CONTEXT) >= 0;
    return video->shares_context ||
           av_hwdevice_ctx_create(&video->device, type, NULL, NULL, 0) >= 0;
}

/* Finds what decodes this and is wanted. The device stays when the file is opened again. */
static const AVCodecHWConfig *find_device(MediaVideo *video, const AVCodec *codec)
{
    const char *wanted = video->settings.hwaccel;
    const AVCodecHWConfig *config;
    for (int i = 0; wanted && (config = avcodec_get_hw_config(codec, i)); i++) {
        const char *name = av_hwdevice_get_type_name(config->device_type);
        if (!(config->methods & AV_CODEC_HW_CONFIG_METHOD_HW_DEVICE_CTX) || !name ||
            (strcmp(wanted, "auto") != 0 && strcmp(wanted, name) != 0))
            continue;
        if (video->device ? config->pix_fmt == video->device_format
                          : create_device(video, config->device_type))
            return config;
    }
    return NULL;
}

void device_open(MediaVideo *video, const AVCodec *codec)
{
    const AVCodecHWConfig *config = find_device(video, codec);
    if (!config || !(video->decoder->hw_device_ctx = av_buffer_ref(video->device)))
        return;
    video->device_format = config->pix_fmt;
    video->decoder->get_format = choose_format;
    video->decoder->thread_count = 1;
    video->properties.decoder = av_hwdevice_get_type_name(config->device_type);
}

/* -- its frames -- */

static const AVHWFramesContext *frames_of(const AVFrame *frame)
{
    return frame->hw_frames_ctx
               ? (const AVHWFramesContext *)(const void *)frame->hw_frames_ctx->data
               : NULL;
}

bool device_has(const AVFrame *frame)
{
    return frame->hw_frames_ctx != NULL;
}

/* The format of the samples, wherever they are. */
static enum AVPixelFormat device_layout(const AVFrame *frame)
{
    const AVHWFramesContext *frames = frames_of(frame);
    return frames ? frames->sw_format : frame->format;
}

int device_download(AVFrame **frame, Message *why)
{
    AVFrame *copy = av_frame_alloc();
    if (!copy)
        return message_set(why, -ENOMEM, "out of memory");
    int err = av_hwframe_transfer_data(copy, *frame, 0);
    if (err >= 0)
        err = av_frame_copy_props(copy, *frame);
    av_frame_free(frame);
    *frame = copy;
    if (err < 0) {
        av_frame_free(frame);
        return message_set(why, -EIO, "a frame cannot be fetched from the device");
    }
    return 0;
}

/* -- frames that stay there -- */

void device_describe(const MediaVideo *video, const AVFrame *first, MediaDevice *device)
{
    const AVHWFramesContext *frames = frames_of(first);
    Layout layout;
    if (!frames || !video->shares_context || first->format != AV_PIX_FMT_CUDA || first->crop_left ||
        first->crop_top || layout_describe(frames->sw_format, &layout))
        return;
    const AVCUDADeviceContext *cuda = frames->device_ctx->hwctx;
    *device = (MediaDevice){
        .index = video->settings.device,
        .kind = VMAF_IMPORT_CUDA_POINTER,
        .ready = {VMAF_SYNC_CUDA_STREAM, (uintptr_t)cuda->stream, 0},
    };
    if (layout.is_planar)
        device->layout = VMAF_IMPORT_PLANAR;
    else if (frames->sw_format == AV_PIX_FMT_NV12)
        device->layout = VMAF_IMPORT_NV12;
    else if (frames->sw_format == AV_PIX_FMT_P010)
        device->layout = VMAF_IMPORT_P010;
    else if (frames->sw_format == AV_PIX_FMT_P016)
        device->layout = VMAF_IMPORT_P016;
    else
        return;
    device->backend = "cuda";
}

/* Room for frames like these, as much as it takes: a decoder has only so many of its own. */
static int create_copies(MediaVideo *video, const AVFrame *like)
{
    const AVHWFramesContext *decoded = frames_of(like);
    AVBufferRef *created = av_hwframe_ctx_alloc(decoded->device_ref);
    if (!created)
        return -ENOMEM;
    AVHWFramesContext *copies = (AVHWFramesContext *)(void *)created->data;
    copies->format = decoded->format;
    copies->sw_format = decoded->sw_format;
    copies->width = decoded->width;
    copies->height = decoded->height;
    if (av_hwframe_ctx_init(created) < 0) {
        av_buffer_unref(&created);
        return -EIO;
    }
    video->copies = created;
    return 0;
}

static AVFrame *copy_on_device(MediaVideo *video, const AVFrame *frame)
{
    AVFrame *copy = av_frame_alloc();
    if (!copy)
        return NULL;
    if (av_hwframe_get_buffer(video->copies, copy, 0) < 0 ||
        av_hwframe_transfer_data(copy, frame, 0) < 0 || av_frame_copy_props(copy, frame) < 0) {
        av_frame_free(&copy);
        return NULL;
    }
    copy->width = frame->width;
    copy->height = frame->height;
    return copy;
}

/* Newer versions give out copies themselves, unless they are asked not to. */
#ifdef AV_HWACCEL_FLAG_UNSAFE_OUTPUT
enum { DECODER_COPIES = 1 };
#else
enum { DECODER_COPIES = 0 };
#endif

int device_keep(MediaVideo *video, AVFrame **frame, Message *why)
{
    if (DECODER_COPIES)
        return 0;
    AVFrame *copy = NULL;
    if (video->copies || !create_copies(video, *frame))
        copy = copy_on_device(video, *frame);
    av_frame_free(frame);
    *frame = copy;
    return copy ? 0 : message_set(why, -EIO, "a frame cannot be kept on the device");
}

/* -- a few rows -- */

/* Rows of luma, every `step`-th one, as a frame of their own. */
static AVFrame *view_rows(const AVFrame *frame, const MediaRows *rows)
{
    AVFrame *view = av_frame_clone(frame);
    if (!view)
        return NULL;
    view->data[0] += (ptrdiff_t)rows->first * frame->linesize[0];
    view->linesize[0] = frame->linesize[0] * (int)rows->step;
    for (int p = 1; p < AV_NUM_DATA_POINTERS; p++)
        view->data[p] = NULL;
    view->height = (int)rows->count;
    return view;
}

int device_fetch_rows(void *held, const MediaRows *rows, void *to, Message *why)
{
    const AVFrame *frame = held;
    AVFrame *view = view_rows(frame, rows), *memory = av_frame_alloc();
    int err = view && memory ? 0 : AVERROR(ENOMEM);
    if (!err) {
        memory->format = device_layout(frame);
        memory->width = frame->width;
        memory->height = (int)rows->count;
        err = av_frame_get_buffer(memory, 0);
    }
    if (!err) {
        for (int p = 1; p < AV_NUM_DATA_POINTERS; p++)
            memory->data[p] = NULL;
        err = av_hwframe_transfer_data(memory, view, 0);
    }
    for (unsigned y = 0; y < rows->count && !err; y++)
        memcpy((char *)to + y * rows->bytes, memory->data[0] + (ptrdiff_t)y * memory->linesize[0],
               rows->bytes);
    av_frame_free(&view);
    av_frame_free(&memory);
    return err ? message_set(why, -EIO, "a frame cannot be fetched from the device") : 0;
}

/* A side of 32768 samples is the most that a video has (VIDEO_MAX_SIDE); an area this large is
 * taken for damage as well. */
enum { MAX_PIXELS = 1 << 28 };

/* -- opening -- */

static int open_codec(MediaVideo *video, Message *why)
{
    const AVCodecParameters *par = video->stream->codecpar;
    const AVCodec *codec = avcodec_find_decoder(par->codec_id);
    if (!codec) {
        return message_set(why, -EINVAL, "FFmpeg has no decoder for %s",
                           avcodec_get_name(par->codec_id));
    }
    if (par->width > VIDEO_MAX_SIDE || par->height > VIDEO_MAX_SIDE ||
        (int64_t)par->width * par->height > MAX_PIXELS)
        return message_set(why, -EINVAL, "%dx%d is over the limit of %dx%d, or of %d samples",
                           par->width, par->height, VIDEO_MAX_SIDE, VIDEO_MAX_SIDE, MAX_PIXELS);
    video->decoder = avcodec_alloc_context3(codec);
    video->packet = av_packet_alloc();
    if (!video->decoder || !video->packet || avcodec_parameters_to_context(video->decoder, par) < 0)
        return message_set(why, -ENOMEM, "out of memory");
    video->decoder->opaque = &video->log;
    video->decoder->pkt_timebase = video->stream->time_base;
    video->decoder->thread_count = (int)video->settings.threads;
    video->decoder->max_pixels = MAX_PIXELS;
    if (video->settings.no_film_grain)
        video->decoder->export_side_data |= AV_CODEC_EXPORT_DATA_FILM_GRAIN;
    device_open(video, codec);
    const int err = avcodec_open2(video->decoder, codec, NULL);
    if (err >= 0)
        return 0;
    char text[AV_ERROR_MAX_STRING_SIZE];
    const int result = ffmpeg_error(err, text);
    return message_set(why, result, "the decoder of %s does not start: %s", codec->name, text);
}

static int reject_encrypted(Message *why)
{
    return message_set(why, -EACCES, "it is encrypted");
}

int decoder_open(MediaVideo *video, Message *why)
{
    if (container_data(video, AV_PKT_DATA_ENCRYPTION_INIT_INFO, 0))
        return reject_encrypted(why);
    return open_codec(video, why);
}

/* -- packets and frames -- */

/* What can be decoded from here on has to be right. */
static int judge_damage(MediaVideo *video, bool is_flagged, int64_t shown, Message *why)
{
    char text[256] = "its decoder says so";
    const bool is_logged = log_capture_take(&video->log, text, sizeof(text));
    if ((!is_logged && !is_flagged) || !video->saw_key)
        return 0;
    if (video->settings.ignore_errors) {
        video->n_errors++;
        return 0;
    }
    /* What is only said may concern a frame that a thread decodes ahead. */
    return message_set(
        why, -EINVAL, "frame %llu, at %.3f s,%s is damaged: %s",
        (unsigned long long)video->n_frames,
        ffmpeg_seconds(video, shown != AV_NOPTS_VALUE ? shown - video->first_shown : shown),
        is_flagged ? "" : " or one near it", text);
}

/* A failure counts as damage of the next frame, unless it is the user's wish to end. */
static int fail_or_ignore(MediaVideo *video, int err, const Message *reason, Message *why)
{
    if (err == -ECANCELED || err == -ENOMEM) {
        *why = *reason;
        return err;
    }
    if (!video->saw_key)
        return 0;
    if (video->settings.ignore_errors) {
        video->n_errors++;
        return 0;
    }
    char logged[256];
    const bool is_logged = log_capture_take(&video->log, logged, sizeof(logged));
    const bool knows_time = video->n_frames && video->last_shown != AV_NOPTS_VALUE;
    const int result = video->stays_on_device && err == -ENODEV ? err : -EINVAL;
    return message_set(why, result, "frame %llu, %s%.3f s: %s%s%s",
                       (unsigned long long)video->n_frames, knows_time ? "after " : "at ",
                       knows_time ? ffmpeg_seconds(video, video->last_shown - video->first_shown)
                                  : 0,
                       reason->text, is_logged ? ": " : "", is_logged ? logged : "");
}

/* Gives the decoder one packet, or tells it that there is none. */
static int feed(MediaVideo *video, Message *why)
{
    Message reason;
    const int more = container_read(video, &reason);
    if (more < 0) {
        const int err = fail_or_ignore(video, more, &reason, why);
        if (err)
            return err;
    }
    if (more <= 0) {
        if (video->at_end)
            avcodec_send_packet(video->decoder, NULL);
        return 0;
    }
    if (av_packet_get_side_data(video->packet, AV_PKT_DATA_ENCRYPTION_INFO, NULL))
        return reject_encrypted(why); /* some files tell it only here */
    video->saw_key |= video->packet->flags & AV_PKT_FLAG_KEY;
    const bool is_corrupt = video->packet->flags & AV_PKT_FLAG_CORRUPT;
    const int64_t shown = video->packet->pts;
    const int result = avcodec_send_packet(video->decoder, video->packet);
    av_packet_unref(video->packet);
    if (result < 0 && result != AVERROR(EAGAIN)) {
        char text[AV_ERROR_MAX_STRING_SIZE];
        const int err = ffmpeg_error(result, text);
        message_set(&reason, err, "%s", text);
        return fail_or_ignore(video, err, &reason, why);
    }
    return judge_damage(video, is_corrupt, shown, why);
}

/* Does it look like the first one? */
static int check_frame(const MediaVideo *video, const AVFrame *frame, Message *why)
{
    const FrameShape *first = &video->decoded;
    if (!first->width)
        return 0;
    if (video->stays_on_device && !device_has(frame))
        return message_set(why, -EINVAL, "frame %llu cannot be decoded by the device",
                           (unsigned long long)video->n_frames);
    if (frame->width == first->width && frame->height == first->height &&
        device_layout(frame) == first->layout)
        return 0;
    return message_set(why, -EINVAL, "frame %llu, at %.3f s, is %dx%d %s, those before %dx%d %s",
                       (unsigned long long)video->n_frames,
                       ffmpeg_seconds(video, video->last_shown - video->first_shown), frame->width,
                       frame->height, av_get_pix_fmt_name(device_layout(frame)), first->width,
                       first->height, av_get_pix_fmt_name(first->layout));
}

static int take(MediaVideo *video, AVFrame **frame, Message *why)
{
    if (!video->n_frames && !device_has(*frame)) /* there may be a device that cannot decode this */
        video->properties.decoder = "software";
    /* What others than CUDA give may change its format on the way. */
    int err = device_has(*frame) && !video->shares_context ? device_download(frame, why) : 0;
    if (err)
        return err;
    video->saw_key = true; /* as good as one */
    const bool is_flagged = (*frame)->decode_error_flags || (*frame)->flags & AV_FRAME_FLAG_CORRUPT;
    (*frame)->pts = (*frame)->best_effort_timestamp;
    if (!video->n_frames)
        video->first_shown = (*frame)->pts;
    err = judge_damage(video, is_flagged, (*frame)->pts, why);
    video->last_shown = (*frame)->pts;
    if (!err)
        err = check_frame(video, *frame, why);
    if (!err)
        video->n_frames++;
    return err;
}

static int decode(MediaVideo *video, AVFrame **result, Message *why)
{
    AVFrame *frame = av_frame_alloc();
    if (!frame)
        return message_set(why, -ENOMEM, "out of memory");
    int status = 0;
    for (;;) {
        const int err = avcodec_receive_frame(video->decoder, frame);
        if (!err) {
            status = take(video, &frame, why);
            break;
        }
        if (err == AVERROR_EOF) {
            status = judge_damage(video, false, video->last_shown, why);
            av_frame_free(&frame);
            return status;
        }
        if (err == AVERROR(EAGAIN)) {
            status = feed(video, why);
        } else {
            Message reason;
            char text[AV_ERROR_MAX_STRING_SIZE];
            status = ffmpeg_error(err, text);
            message_set(&reason, status, "%s", text);
            status = fail_or_ignore(video, status, &reason, why);
        }
        if (status)
            break;
    }
    if (status) {
        av_frame_free(&frame);
        return status;
    }
    *result = frame;
    return 1;
}

int decoder_next(MediaVideo *video, AVFrame **frame, Message *why)
{
    if (video->waiting) {
        *frame = video->waiting;
        video->waiting = NULL;
        return 1;
    }
    return decode(video, frame, why);
}

/* -- to another frame -- */

/* Reads and drops frames until `frame` is the next one. */
static int drop_until(MediaVideo *video, uint64_t frame, Message *why)
{
    while (video->n_frames - (video->waiting != NULL) < frame) {
        AVFrame *dropped = NULL;
        const int more = decoder_next(video, &dropped, why);
        av_frame_free(&dropped);
        if (more <= 0)
            return more;
    }
    return 1;
}

static int compare_ticks(const void *a, const void *b)
{
    const int64_t first = ((const MediaPacket *)a)->shown.ticks;
    const int64_t second = ((const MediaPacket *)b)->shown.ticks;
    return (first > second) - (first < second);
}

/* Sorts packets as their frames are shown. Are all times known, and different? */
static bool sort_packets(MediaPackets *packets)
{
    for (size_t i = 0; i < packets->count; i++) {
        if (!packets->packet[i].shown.den)
            return false;
    }
    if (packets->count)
        qsort(packets->packet, packets->count, sizeof(*packets->packet), compare_ticks);
    for (size_t i = 1; i < packets->count; i++) {
        if (packets->packet[i].shown.ticks == packets->packet[i - 1].shown.ticks)
            return false;
    }
    return packets->count > 0;
}

/*
 * Frames that are shown at a key packet or after it need nothing before it; those shown before it
 * may stand behind it in the file and need what is not there.
 */
static size_t key_before(const MediaPackets *packets, size_t frame)
{
    while (frame && !packets->packet[frame].is_key)
        frame--;
    return frame;
}

/* The decoder's own word. */
static bool is_key_frame(const MediaVideo *video, const AVFrame *frame)
{
    const AVCodecDescriptor *codec = avcodec_descriptor_get(video->decoder->codec_id);
    if (codec && codec->props & AV_CODEC_PROP_INTRA_ONLY)
        return true;
#ifdef AV_FRAME_FLAG_KEY /* FFmpeg 6.1 */
    return frame->flags & AV_FRAME_FLAG_KEY;
#else
    return frame->key_frame;
#endif
}

/* Decodes from the key packet; the frame is found by its time. NULL: it was not found, or what the
 * decoder began with is no key frame. */
static AVFrame *find_from(MediaVideo *video, int64_t key, int64_t shown)
{
    Message unused;
    AVFrame *found = NULL;
    if (container_seek(video, key, &unused))
        return NULL;
    avcodec_flush_buffers(video->decoder);
    av_frame_free(&video->waiting);
    video->was_sought = true;
    int more = decode(video, &found, &unused);
    const bool is_right = more > 0 && is_key_frame(video, found);
    while (more > 0 && is_right && found->pts < shown) {
        av_frame_free(&found);
        more = decode(video, &found, &unused);
    }
    if (more <= 0 || !is_right || found->pts != shown)
        av_frame_free(&found);
    return found;
}

/* 1; 0: the frame was not found. */
static int decode_from(MediaVideo *video, int64_t key, int64_t shown, uint64_t frame)
{
    char text[256];
    const bool ignores = video->settings.ignore_errors;
    video->settings.ignore_errors = true;
    AVFrame *found = find_from(video, key, shown);
    video->settings.ignore_errors = ignores;
    video->n_errors = 0;
    (void)log_capture_take(&video->log, text, sizeof(text));
    if (!found)
        return 0;
    video->waiting = found;
    video->n_frames = frame + 1;
    return 1;
}

static int start_again(MediaVideo *video, Message *why)
{
    av_frame_free(&video->waiting);
    avcodec_free_context(&video->decoder);
    av_packet_free(&video->packet);
    container_close(video);
    video->at_end = video->saw_key = video->was_sought = false;
    video->n_packets = video->n_frames = video->n_errors = 0;
    int err = container_open(video, why);
    if (!err)
        err = decoder_open(video, why);
    return err;
}

/* Decodes up to the frame, which may be one that was given out already. */
static int go_on_to(MediaVideo *video, uint64_t frame, Message *why)
{
    const uint64_t next = video->n_frames - (video->waiting != NULL);
    const int err = next > frame ? start_again(video, why) : 0;
    return err ? err : drop_until(video, frame, why);
}

/* From the key packet before it, or one before that if decoding cannot begin there; else from the
 * beginning. */
static int go_to(MediaVideo *video, const MediaPackets *packets, uint64_t frame, Message *why)
{
    enum { NEAR = 32 };
    size_t key = frame < packets->count ? key_before(packets, frame) : 0;
    if (key <= NEAR || video->settings.ignore_errors)
        return go_on_to(video, frame, why);
    for (size_t back = NEAR; key > NEAR; back *= 2) {
        if (decode_from(video, packets->packet[key].shown.ticks, packets->packet[frame].shown.ticks,
                        frame)) {
            video->first_shown = packets->packet[0].shown.ticks; /* which was not decoded */
            return 1;
        }
        key = key_before(packets, key > back ? key - back : 0);
    }
    const int err = start_again(video, why);
    return err ? err : drop_until(video, frame, why);
}

/* The packets in the order in which they are shown; NULL if the file does not tell it. */
static const MediaPackets *find_packets(MediaVideo *video)
{
    Message unused;
    MediaPackets *packets = &video->shown;
    if (!packets->count && !packets_list(video, packets, &unused) && !sort_packets(packets))
        packets_free(packets);
    return packets->count ? packets : NULL;
}

int decoder_skip_to(MediaVideo *video, uint64_t frame, Message *why)
{
    const MediaPackets *packets = find_packets(video);
    return packets ? go_to(video, packets, frame, why) : go_on_to(video, frame, why);
}

/* Reads frames until one is shown late enough. */
static int drop_until_time(MediaVideo *video, double seconds, uint64_t *frame, Message *why)
{
    AVFrame *next = NULL;
    int more;
    while ((more = decoder_next(video, &next, why)) > 0) {
        const double shown = ffmpeg_seconds(video, next->pts - video->first_shown);
        if (shown >= seconds - 1e-9) {
            video->waiting = next;
            *frame = video->n_frames - 1;
            return 1;
        }
        av_frame_free(&next);
    }
    return more;
}

int decoder_skip_to_time(MediaVideo *video, double seconds, uint64_t *frame, Message *why)
{
    if (video->settings.filter.chain)
        return message_set(why, -ENOTSUP, "filtered frames are found by their number");
    const MediaPackets *packets = find_packets(video);
    if (!packets)
        return drop_until_time(video, seconds, frame, why);
    const int64_t first = packets->packet[0].shown.ticks;
    size_t i = 0;
    while (i < packets->count &&
           ffmpeg_seconds(video, packets->packet[i].shown.ticks - first) < seconds - 1e-9)
        i++;
    *frame = i;
    return i < packets->count ? go_to(video, packets, i, why) : 0;
}
