/* SPDX-License-Identifier: BSD-2-Clause-Patent */
#include "media/ffmpeg/byte_source.h"

#include <errno.h>
#include <libavutil/error.h>
#include <libavutil/mem.h>
#include <stdio.h>
#include <stdlib.h>

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

AVIOContext *byte_source_open(const MediaSource *source)
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

void byte_source_close(AVIOContext *context)
{
    if (!context)
        return;
    free(context->opaque);
    av_freep(&context->buffer);
    avio_context_free(&context);
}
