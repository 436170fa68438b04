/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "coded_frames.h"

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

int coded_frames_load(void)
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

const AVFrame *coded_frames_find(const uint8_t *slice, size_t size)
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
