/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * A libnvcuvid.so.1 for the emulated driver. It looks coded pictures up in files that were decoded
 * before, and is as strict as hardware where programs go wrong: there are as many surfaces as were
 * asked for, they are filled by work on the stream that the program names, and what is in them is
 * gone as soon as they are given back.
 */
#include "driver_api.h"

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/pixdesc.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The part of NVIDIA's interface for decoding (cuviddec.h) that the emulated decoder reads, in our
 * own words, so that no header of NVIDIA's is needed. */

typedef struct VideoDecoder *VideoDecoderHandle;

/* Formats of surfaces. */
enum { SURFACE_NV12, SURFACE_P016, SURFACE_444, SURFACE_444_WORDS };

/* CUVIDDECODECAPS */
typedef struct VideoDecoderAbility {
    uint32_t codec, chroma, depth_minus_8;
    uint32_t reserved[3];
    uint8_t is_supported, n_decoders;
    uint16_t formats; /* bits */
    uint32_t max_width, max_height, max_blocks;
    uint16_t min_width, min_height;
    uint8_t has_histogram, histogram_depth;
    uint16_t histogram_bins;
    uint32_t reserved_too[10];
} VideoDecoderAbility;

typedef struct VideoArea {
    int16_t left, top, right, bottom;
} VideoArea;

/* CUVIDDECODECREATEINFO */
typedef struct VideoDecoderParams {
    unsigned long width, height, n_decode_surfaces;
    uint32_t codec, chroma;
    unsigned long flags, depth_minus_8, intra_only, max_width, max_height, reserved;
    VideoArea display;
    uint32_t format, deinterlace;
    unsigned long target_width, target_height, n_output_surfaces;
    void *lock;
    VideoArea target;
    unsigned long has_histogram, reserved_too[4];
} VideoDecoderParams;

/* CUVIDPICPARAMS, without what codecs add. */
typedef struct CodedPicture {
    int32_t width_in_blocks, height_in_blocks, index, is_field, is_bottom, is_second;
    uint32_t size;
    const uint8_t *data;
    uint32_t n_slices;
    const uint32_t *slices;
    int32_t is_reference, is_intra;
} CodedPicture;

/* CUVIDPROCPARAMS */
typedef struct SurfaceRequest {
    int32_t is_progressive, second_field, top_first, unpaired;
    uint32_t reserved_flags, reserved_zero;
    uint64_t raw_input;
    uint32_t raw_input_pitch, raw_input_format;
    uint64_t raw_output;
    uint32_t raw_output_pitch, reserved;
    CudaStream stream;
} SurfaceRequest;

/* -- the frames of a few files, by their coded bytes -- */

enum { TAIL = 48 }; /* bytes by which a picture is known */

typedef struct CodedFrame {
    uint8_t tail[TAIL];
    size_t size; /* of the tail */
    const void *file;
    int64_t shown;
    AVFrame *frame;
} CodedFrame;

static CodedFrame *frames;
static size_t n_frames, last_found;

/* Coded data end with the last slice; zeros behind it are none of it. */
static size_t without_zeros(const uint8_t *data, size_t size)
{
    while (size && !data[size - 1])
        size--;
    return size;
}

static void remember_packet(const AVPacket *packet, const void *file)
{
    const size_t size = without_zeros(packet->data, (size_t)packet->size);
    frames = realloc(frames, (n_frames + 1) * sizeof(*frames));
    CodedFrame *coded = &frames[n_frames++];
    *coded = (CodedFrame){.size = size < TAIL ? size : TAIL, .file = file, .shown = packet->pts};
    memcpy(coded->tail, packet->data + size - coded->size, coded->size);
}

static void remember_frames(AVCodecContext *decoder, const void *file)
{
    AVFrame *frame = av_frame_alloc();
    while (!avcodec_receive_frame(decoder, frame)) {
        for (size_t i = 0; i < n_frames; i++) {
            if (frames[i].file == file && frames[i].shown == frame->best_effort_timestamp)
                frames[i].frame = av_frame_clone(frame);
        }
    }
    av_frame_free(&frame);
}

static void decode(AVFormatContext *file, int stream, AVCodecContext *decoder)
{
    AVPacket *packet = av_packet_alloc();
    while (av_read_frame(file, packet) >= 0) {
        if (packet->stream_index == stream) {
            remember_packet(packet, file);
            avcodec_send_packet(decoder, packet);
            remember_frames(decoder, file);
        }
        av_packet_unref(packet);
    }
    avcodec_send_packet(decoder, NULL);
    remember_frames(decoder, file);
    av_packet_free(&packet);
}

/* The file stays open, so that nothing else has its address. */
static int load_file(const char *path)
{
    AVFormatContext *file = NULL;
    const AVCodec *codec = NULL;
    if (avformat_open_input(&file, path, NULL, NULL) < 0)
        return -1;
    const int stream = av_find_best_stream(file, AVMEDIA_TYPE_VIDEO, -1, -1, &codec, 0);
    AVCodecContext *decoder = stream < 0 ? NULL : avcodec_alloc_context3(codec);
    if (!decoder)
        return -1;
    decoder->thread_count = 1;
    if (avcodec_parameters_to_context(decoder, file->streams[stream]->codecpar) < 0 ||
        avcodec_open2(decoder, codec, NULL) < 0)
        return -1;
    decode(file, stream, decoder);
    avcodec_free_context(&decoder);
    return 0;
}

/* Decodes the files that VMAF_EMULATED_NVDEC names, "a.mp4:b.mkv", once. 0; -1 and a text on the
 * standard error. */
static int coded_frames_load(void)
{
    const char *paths = getenv("VMAF_EMULATED_NVDEC");
    int err = n_frames ? 0 : -1;
    if (!err || !paths)
        return err;
    char *all = strdup(paths), *rest = all, *path;
    while ((path = strsep(&rest, ":"))) {
        err = load_file(path);
        if (err) {
            fprintf(stderr, "emulated NVDEC: %s cannot be decoded\n", path);
            break;
        }
    }
    free(all);
    return err;
}

/* The frame of the picture that ends with this slice, without its start code; NULL: it is in none
 * of the files. */
static const AVFrame *coded_frames_find(const uint8_t *slice, size_t size)
{
    size = without_zeros(slice, size);
    for (size_t i = 1; i <= n_frames; i++) { /* frames that look the same follow each other */
        const size_t place = (last_found + i) % n_frames;
        const CodedFrame *coded = &frames[place];
        const size_t compared = coded->size < size ? coded->size : size;
        if (!coded->frame ||
            memcmp(coded->tail + coded->size - compared, slice + size - compared, compared) != 0)
            continue;
        last_found = place;
        return coded->frame;
    }
    return NULL;
}

/* -- the decoder -- */

enum { MOST_SURFACES = 64, PITCH = 256, GONE = 0x5a };

typedef struct Surface {
    CudaAddress address; /* 0: not allocated yet */
    bool is_mapped;
    CudaStream stream;
} Surface;

struct VideoDecoder {
    VideoDecoderParams params;
    const AVFrame *decoded[MOST_SURFACES];
    Surface surfaces[MOST_SURFACES];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static CudaResult complain(const char *what)
{
    fprintf(stderr, "emulated NVDEC: %s\n", what);
    return CUDA_ERROR_INVALID_VALUE;
}

/* -- surfaces -- */

static bool is_planar(const VideoDecoderParams *params)
{
    return params->format >= SURFACE_444;
}

static unsigned sample_size(const VideoDecoderParams *params)
{
    return params->format % 2 ? 2 : 1;
}

static size_t pitch_of(const VideoDecoderParams *params)
{
    return (params->target_width * sample_size(params) + PITCH - 1) / PITCH * PITCH;
}

/* Rows of all planes, one after the other. */
static size_t rows_of(const VideoDecoderParams *params)
{
    return is_planar(params) ? 3 * params->target_height
                             : params->target_height + (params->target_height + 1) / 2;
}

static void put_sample(const VideoDecoderParams *params, uint8_t *to, const uint8_t *from, int x)
{
    if (sample_size(params) == 1) {
        *to = from[x];
        return;
    }
    uint16_t sample;
    memcpy(&sample, from + 2 * x, sizeof(sample));
    sample = (uint16_t)(sample << (8 - params->depth_minus_8));
    memcpy(to, &sample, sizeof(sample));
}

/* A plane of the frame into every `step`-th sample of a surface's rows. */
static void put_plane(const VideoDecoderParams *params, uint8_t *to, unsigned step,
                      const AVFrame *frame, unsigned plane)
{
    const AVPixFmtDescriptor *desc = av_pix_fmt_desc_get(frame->format);
    const int width = plane ? AV_CEIL_RSHIFT(frame->width, desc->log2_chroma_w) : frame->width;
    const int height = plane ? AV_CEIL_RSHIFT(frame->height, desc->log2_chroma_h) : frame->height;
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++)
            put_sample(params,
                       to + (size_t)y * pitch_of(params) + (size_t)x * step * sample_size(params),
                       frame->data[plane] + (ptrdiff_t)y * frame->linesize[plane], x);
    }
}

static uint8_t *render(const VideoDecoderParams *params, const AVFrame *frame)
{
    const size_t plane = pitch_of(params) * params->target_height;
    uint8_t *picture = calloc(rows_of(params), pitch_of(params));
    put_plane(params, picture, 1, frame, 0);
    if (is_planar(params)) {
        put_plane(params, picture + plane, 1, frame, 1);
        put_plane(params, picture + 2 * plane, 1, frame, 2);
    } else {
        put_plane(params, picture + plane, 2, frame, 1);
        put_plane(params, picture + plane + sample_size(params), 2, frame, 2);
    }
    return picture;
}

static Surface *find_surface(VideoDecoderHandle decoder)
{
    for (unsigned long i = 0; i < decoder->params.n_output_surfaces; i++) {
        if (!decoder->surfaces[i].is_mapped)
            return &decoder->surfaces[i];
    }
    return NULL;
}

static CudaResult map(VideoDecoderHandle decoder, int index, uint64_t *address, unsigned *pitch,
                      const SurfaceRequest *request)
{
    const VideoDecoderParams *params = &decoder->params;
    const AVFrame *frame = index >= 0 && (unsigned long)index < params->n_decode_surfaces
                               ? decoder->decoded[index]
                               : NULL;
    Surface *surface = find_surface(decoder);
    if (!frame)
        return complain("a picture that was not decoded is mapped");
    if (!surface)
        return complain("more surfaces are mapped than there are");
    const size_t size = rows_of(params) * pitch_of(params);
    CudaResult result = surface->address ? CUDA_SUCCESS : cuMemAlloc_v2(&surface->address, size);
    if (result != CUDA_SUCCESS)
        return result;
    uint8_t *picture = render(params, frame);
    result = cuMemcpyAsync(surface->address, (uintptr_t)picture, size, request->stream);
    free(picture);
    surface->is_mapped = result == CUDA_SUCCESS;
    surface->stream = request->stream;
    *address = surface->address;
    *pitch = (unsigned)pitch_of(params);
    return result;
}

static CudaResult unmap(VideoDecoderHandle decoder, uint64_t address)
{
    for (unsigned i = 0; i < MOST_SURFACES; i++) {
        Surface *surface = &decoder->surfaces[i];
        if (!surface->is_mapped || surface->address != address)
            continue;
        surface->is_mapped = false;
        return cuMemsetD8Async(
            address, GONE, rows_of(&decoder->params) * pitch_of(&decoder->params), surface->stream);
    }
    return complain("what is not mapped is unmapped");
}

/* -- calls -- */

#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* programs look them up */
#define EXPORTED __attribute__((visibility("default")))

EXPORTED CudaResult cuvidGetDecoderCaps(VideoDecoderAbility *ability)
{
    ability->is_supported = 1;
    ability->n_decoders = 1;
    ability->formats = 15;
    ability->max_width = ability->max_height = 8192;
    ability->max_blocks = 1 << 18;
    ability->min_width = ability->min_height = 16;
    return CUDA_SUCCESS;
}

EXPORTED CudaResult cuvidCreateDecoder(VideoDecoderHandle *created,
                                       const VideoDecoderParams *params)
{
    pthread_mutex_lock(&lock);
    const int err = coded_frames_load();
    pthread_mutex_unlock(&lock);
    if (err)
        return complain("VMAF_EMULATED_NVDEC names no files");
    if (params->n_decode_surfaces > MOST_SURFACES || params->n_output_surfaces > MOST_SURFACES)
        return complain("that many surfaces are not to be had");
    *created = calloc(1, sizeof(**created));
    (*created)->params = *params;
    return CUDA_SUCCESS;
}

EXPORTED CudaResult cuvidDestroyDecoder(VideoDecoderHandle decoder)
{
    CudaResult result = cuCtxSynchronize(); /* as memory of devices is freed */
    for (unsigned i = 0; i < MOST_SURFACES; i++) {
        if (decoder->surfaces[i].is_mapped)
            result = complain("a decoder is destroyed while its surfaces are mapped");
        if (decoder->surfaces[i].address)
            cuMemFree_v2(decoder->surfaces[i].address);
    }
    free(decoder);
    return result;
}

EXPORTED CudaResult cuvidDecodePicture(VideoDecoderHandle decoder, const CodedPicture *picture)
{
    if (picture->index < 0 || (unsigned long)picture->index >= decoder->params.n_decode_surfaces)
        return complain("there is no surface of that number");
    enum { START_CODE = 3 };
    const uint32_t last = picture->slices[picture->n_slices - 1] + START_CODE;
    pthread_mutex_lock(&lock);
    const AVFrame *frame = coded_frames_find(picture->data + last, picture->size - last);
    decoder->decoded[picture->index] = frame;
    pthread_mutex_unlock(&lock);
    return frame ? CUDA_SUCCESS : complain("a picture is in none of the files");
}

EXPORTED CudaResult cuvidMapVideoFrame64(VideoDecoderHandle decoder, int index, uint64_t *address,
                                         unsigned *pitch, const SurfaceRequest *request)
{
    pthread_mutex_lock(&lock);
    const CudaResult result = map(decoder, index, address, pitch, request);
    pthread_mutex_unlock(&lock);
    return result;
}

EXPORTED CudaResult cuvidUnmapVideoFrame64(VideoDecoderHandle decoder, uint64_t address)
{
    pthread_mutex_lock(&lock);
    const CudaResult result = unmap(decoder, address);
    pthread_mutex_unlock(&lock);
    return result;
}

EXPORTED CudaResult cuvidCtxLockCreate(void **created, CudaContext context)
{
    (void)context;
    *created = &lock;
    return CUDA_SUCCESS;
}

/* What programs look up and the emulator does not do. */
#define UNSUPPORTED(name)                                                                          \
    EXPORTED CudaResult name(void);                                                                \
    CudaResult name(void)                                                                          \
    {                                                                                              \
        return CUDA_ERROR_NOT_SUPPORTED;                                                           \
    }
UNSUPPORTED(cuvidGetDecodeStatus)
UNSUPPORTED(cuvidReconfigureDecoder)
UNSUPPORTED(cuvidCtxLockDestroy)
UNSUPPORTED(cuvidCtxLock)
UNSUPPORTED(cuvidCtxUnlock)
UNSUPPORTED(cuvidCreateVideoSource)
UNSUPPORTED(cuvidCreateVideoSourceW)
UNSUPPORTED(cuvidDestroyVideoSource)
UNSUPPORTED(cuvidSetVideoSourceState)
UNSUPPORTED(cuvidGetVideoSourceState)
UNSUPPORTED(cuvidGetSourceVideoFormat)
UNSUPPORTED(cuvidGetSourceAudioFormat)
UNSUPPORTED(cuvidCreateVideoParser)
UNSUPPORTED(cuvidParseVideoData)
UNSUPPORTED(cuvidDestroyVideoParser)
