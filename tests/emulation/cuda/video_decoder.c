/* SPDX-License-Identifier: BSD-2-Clause-Patent */

/*
 * A libnvcuvid.so.1 for the emulated driver. It looks coded pictures up in files that were decoded
 * before (coded_frames.h), and is as strict as hardware where programs go wrong: there are as many
 * surfaces as were asked for, they are filled by work on the stream that the program names, and
 * what is in them is gone as soon as they are given back.
 */
#include "coded_frames.h"
#include "driver_api.h"
#include "video_decoder_types.h"

#include <libavutil/pixdesc.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
