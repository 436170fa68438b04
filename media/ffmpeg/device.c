/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "media/ffmpeg/device.h"

#include "media/ffmpeg/layout.h"

#include <errno.h>
#include <libavutil/hwcontext.h>
#include <libavutil/pixdesc.h>
#include <stdio.h>
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

enum AVPixelFormat device_layout(const AVFrame *frame)
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

/* Newer versions give out copies themselves, unless they are told not to. */
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
